package tracing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"example.com/minillm/serve/tracing"
)

// The trace that a client has begun goes on in the handlers.
func Example() {
	tracer := noop.NewTracerProvider().Tracer("server")
	handler := tracing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(trace.SpanContextFromContext(r.Context()).TraceID())
	}), tracer)

	r := httptest.NewRequest("POST", "/v1/completions", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 0af7651916cd43dd8448eb211c80319c
}

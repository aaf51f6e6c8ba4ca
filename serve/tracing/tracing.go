// Package tracing writes OpenTelemetry spans of what a server does, through the
// standard API: a program that sets up no exporter pays next to nothing.
//
// [Handler] continues the trace that a client's traceparent header names, with a
// span for each HTTP request. [Observer] adds spans below it for what the engine
// did: how long a request waited in the queue, in prefill and in decoding.
// Attributes follow OpenTelemetry's conventions for HTTP and for generative AI;
// nothing that anybody said is in them.
//
//	tracer := provider.Tracer("example.com/minillm/serve")
//	m, err := minillm.Open(path, minillm.Options{Observer: tracing.Observer(tracer, "my-model")})
//	http.ListenAndServe(addr, tracing.Handler(handlers, tracer))
//
// The provider is the program's, with the exporter it likes: minillm serve has
// none, because OTLP alone would add 8 MB to the command.
//
// Package tracing is one of its own so that embedders don't carry the API.
package tracing

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// Handler writes a span for each request to next, below the span that its
// traceparent header names.
func Handler(next http.Handler, tracer trace.Tracer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("http.request.method", r.Method),
			attribute.String("url.path", r.URL.Path),
		))
		r = r.WithContext(ctx)
		note := &wire.Note{ResponseWriter: w}
		whole := false
		defer func() { end(span, r, note.Status, whole) }()
		next.ServeHTTP(note, r)
		whole = true
	})
}

// end ends the span of a request. A handler that did not return broke the
// connection off.
func end(span trace.Span, r *http.Request, status int, whole bool) {
	if r.Pattern != "" { // muxes on the way have set it
		route := r.Pattern[strings.IndexByte(r.Pattern, '/'):]
		span.SetName(r.Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route))
	}
	if status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
	}
	if !whole || status >= 500 {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// Observer writes the spans of requests when they have ended, below those of
// the contexts with which they were submitted. Model is what clients call it.
func Observer(tracer trace.Tracer, model string) serve.Observer {
	return serve.Observer{Finished: func(r serve.RequestInfo) { write(tracer, model, r, time.Now()) }}
}

// write writes the span of a request that ended at now, and one for each part of
// it that it lived to see.
func write(tracer trace.Tracer, model string, r serve.RequestInfo, now time.Time) {
	start := now.Add(-r.Timing.Total)
	ctx, span := tracer.Start(r.Context, "text_completion "+model, trace.WithTimestamp(start))
	if !span.IsRecording() {
		span.End()
		return
	}
	part := func(name string, from, to time.Duration) {
		_, s := tracer.Start(ctx, name, trace.WithTimestamp(start.Add(from)))
		s.End(trace.WithTimestamp(start.Add(to)))
	}
	t := r.Timing
	switch {
	case t.TTFT > 0:
		part("queue", 0, t.Queued)
		part("prefill", t.Queued, t.TTFT)
		part("decode", t.TTFT, t.Total)
	case t.Queued > 0:
		part("queue", 0, t.Queued)
		part("prefill", t.Queued, t.Total)
	default:
		part("queue", 0, t.Total)
	}
	describe(span, model, r)
	span.End(trace.WithTimestamp(now))
}

// describe adds what the conventions for generative AI have names for.
func describe(span trace.Span, model string, r serve.RequestInfo) {
	span.SetAttributes(
		attribute.String("gen_ai.operation.name", "text_completion"),
		attribute.String("gen_ai.provider.name", "minillm"),
		attribute.String("gen_ai.request.model", model),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{r.Finish.String()}),
		attribute.Int("gen_ai.usage.input_tokens", r.Usage.PromptTokens),
		attribute.Int("gen_ai.usage.cache_read.input_tokens", r.Usage.CachedTokens),
		attribute.Int("gen_ai.usage.output_tokens", r.Usage.CompletionTokens),
	)
	if r.Max > 0 {
		span.SetAttributes(attribute.Int("gen_ai.request.max_tokens", r.Max))
	}
	if r.Err != nil { // its words may tell of the request
		kind := "error"
		if p := (*serve.PanicError)(nil); errors.As(r.Err, &p) {
			kind = "panic"
		}
		span.SetAttributes(attribute.String("error.type", kind))
		span.SetStatus(codes.Error, "")
	}
}

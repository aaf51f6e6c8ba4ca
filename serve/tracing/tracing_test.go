package tracing_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/serve"
	"example.com/minillm/serve/openai"
	"example.com/minillm/serve/tracing"
	"example.com/minillm/transformer"
)

const stepTime = 10 * time.Millisecond

// house is a traced server whose handler may be called directly.
type house struct {
	http.Handler
	spans *tracetest.SpanRecorder
}

func newHouse(t *testing.T, m *fake.Model) *house {
	t.Helper()
	h := &house{spans: tracetest.NewSpanRecorder()}
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(h.spans)).Tracer("test")
	cache, err := kvcache.NewContiguous(fake.Shape, 1, 64, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	m.Cost = func([]transformer.Chunk) time.Duration { return stepTime }
	e := serve.New(batch.NewRunner(m), batch.NewContinuous(cache, 1), serve.Options{Observer: tracing.Observer(tracer, "fake")})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	api := openai.New(serve.Text{Engine: e, Tokenizer: fake.Bytes{}}, fake.Bytes{}, openai.Options{})
	mux := http.NewServeMux()
	for _, path := range api.Paths() {
		mux.Handle(path, api)
	}
	h.Handler = tracing.Handler(mux, tracer)
	return h
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func (h *house) ask(body string) int {
	r := httptest.NewRequest("POST", "/v1/completions", strings.NewReader(body))
	r.Header.Set("Traceparent", parent)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// named returns the spans of a name, in the order of their ends.
func (h *house) named(name string) (all []sdk.ReadOnlySpan) {
	for _, s := range h.spans.Ended() {
		if s.Name() == name {
			all = append(all, s)
		}
	}
	return all
}

func attributes(s sdk.ReadOnlySpan) map[attribute.Key]attribute.Value {
	all := map[attribute.Key]attribute.Value{}
	for _, kv := range s.Attributes() {
		all[kv.Key] = kv.Value
	}
	return all
}

func TestSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &fake.Model{})
		go h.ask(`{"prompt": "first", "max_tokens": 4, "temperature": 0, "ignore_eos": true}`)
		time.Sleep(stepTime / 2)
		if status := h.ask(`{"prompt": "the secret", "max_tokens": 3, "temperature": 0, "ignore_eos": true}`); status != 200 {
			t.Fatalf("status %d", status)
		}
		time.Sleep(time.Second)
		synctest.Wait()

		request := h.named("POST /v1/completions")[1]
		if request.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || request.Parent().SpanID().String() != "b7ad6b7169203331" {
			t.Errorf("the trace of the client was not continued: %v below %v", request.SpanContext(), request.Parent())
		}
		if a := attributes(request); a["http.response.status_code"].AsInt64() != 200 || a["http.route"].AsString() != "/v1/completions" {
			t.Errorf("attributes of the request: %v", a)
		}
		generate := h.named("text_completion fake")[1]
		if generate.Parent().SpanID() != request.SpanContext().SpanID() {
			t.Error("the engine's span is not below the request's")
		}
		a := attributes(generate)
		if a["gen_ai.usage.input_tokens"].AsInt64() != 10 || a["gen_ai.usage.output_tokens"].AsInt64() != 3 || fmt.Sprint(a["gen_ai.response.finish_reasons"].AsStringSlice()) != "[length]" {
			t.Errorf("attributes of the engine's span: %v", a)
		}
		for name, want := range map[string]time.Duration{"queue": 3*stepTime + stepTime/2, "prefill": stepTime, "decode": 2 * stepTime} {
			s := h.named(name)[1]
			if got := s.EndTime().Sub(s.StartTime()); got != want || s.Parent().SpanID() != generate.SpanContext().SpanID() {
				t.Errorf("%s took %v, want %v", name, got, want)
			}
		}
		for _, s := range h.spans.Ended() {
			if text := fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status()); strings.Contains(text, "secret") {
				t.Errorf("what was said is in a span: %s", text)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, &fake.Model{Step: fake.Fault(1, nil)})
		if status := h.ask(`{"prompt": "x"}`); status != 500 {
			t.Errorf("status %d", status)
		}
		if status := h.ask(`{"prompt": 1}`); status != 400 {
			t.Errorf("status %d", status)
		}
		synctest.Wait()
		generate := h.named("text_completion fake")
		if len(generate) != 1 || generate[0].Status().Code != codes.Error || attributes(generate[0])["error.type"].AsString() != "panic" {
			t.Errorf("the engine's spans: %v", generate)
		}
		requests := h.named("POST /v1/completions")
		if requests[0].Status().Code != codes.Error || requests[1].Status().Code != codes.Unset {
			t.Errorf("a failure of the server is one, a client's is not: %v, %v", requests[0].Status(), requests[1].Status())
		}
	})
}

// A handler that breaks the connection off ends its span, as a failure.
func TestBrokenOff(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("test")
	h := tracing.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), tracer)
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the panic did not pass")
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	if ended := spans.Ended(); len(ended) != 1 || ended[0].Status().Code != codes.Error {
		t.Errorf("spans: %v", ended)
	}
}

// Without a client's trace and without an exporter nothing is made of a request.
func TestUnsampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := tracetest.NewSpanRecorder()
		tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans), sdk.WithSampler(sdk.NeverSample())).Tracer("test")
		o := tracing.Observer(tracer, "fake")
		o.Finished(serve.RequestInfo{Context: context.Background(), Timing: serve.Timing{Total: time.Second}})
		if n := len(spans.Ended()); n != 0 {
			t.Errorf("%d spans", n)
		}
	})
}

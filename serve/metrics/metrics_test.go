package metrics_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/serve"
	"example.com/minillm/serve/metrics"
	"example.com/minillm/transformer"
)

// engine runs a fake model whose steps take 10 ms, watched by m.
func engine(t *testing.T, m *metrics.Metrics) *serve.Engine {
	cache, err := paged.New(fake.Shape, paged.Options{Positions: 320, Block: 16})
	if err != nil {
		t.Fatal(err)
	}
	model := &fake.Model{Cost: func([]transformer.Chunk) time.Duration { return 10 * time.Millisecond }}
	e := serve.New(batch.NewRunner(model), scheduler.New(cache, scheduler.Config{}), serve.Options{
		Observer: m.Observer(),
		Cache: func() serve.CacheStats {
			s := cache.Stats()
			return serve.CacheStats{Blocks: s.Blocks, Used: s.Used, BlockSize: s.Size}
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return e
}

// read returns the value of a metric, of a histogram the sum and the count.
func read(t *testing.T, m *metrics.Metrics, name string) (value float64, count uint64) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(m)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == name })
	if at < 0 {
		t.Fatalf("no metric %s", name)
	}
	for _, x := range families[at].Metric {
		value += x.GetGauge().GetValue() + x.GetCounter().GetValue() + x.GetHistogram().GetSampleSum()
		count += x.GetHistogram().GetSampleCount()
	}
	return value, count
}

func TestMetricsTellWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := metrics.New("fake")
		e := engine(t, m)
		ask := func(max int) {
			streams, err := e.Submit(context.Background(), batch.Spec{Prompt: make([]int32, 33), Max: max})
			if err != nil {
				t.Fatal(err)
			}
			for range streams[0].Events(context.Background()) {
			}
		}
		ask(5)
		ask(1)
		time.Sleep(time.Second)
		for name, want := range map[string]struct {
			value float64
			count uint64
		}{
			"vllm:num_requests_running":                  {0, 0},
			"vllm:num_requests_waiting":                  {0, 0},
			"vllm:kv_cache_usage_perc":                   {0, 0},
			"vllm:cache_config_info":                     {1, 0},
			"vllm:prompt_tokens_total":                   {66, 0},
			"vllm:generation_tokens_total":               {6, 0},
			"vllm:prefix_cache_queries_total":            {66, 0},
			"vllm:prefix_cache_hits_total":               {32, 0},
			"vllm:num_preemptions_total":                 {0, 0},
			"vllm:request_success_total":                 {2, 0},
			"vllm:time_to_first_token_seconds":           {0.02, 2},
			"vllm:inter_token_latency_seconds":           {0.04, 4},
			"vllm:request_time_per_output_token_seconds": {0.01, 1},
			"vllm:e2e_request_latency_seconds":           {0.06, 2},
			"vllm:request_queue_time_seconds":            {0, 2},
			"vllm:request_prefill_time_seconds":          {0.02, 2},
			"vllm:request_decode_time_seconds":           {0.04, 2},
			"vllm:request_inference_time_seconds":        {0.06, 2},
			"vllm:request_prompt_tokens":                 {66, 2},
			"vllm:request_generation_tokens":             {6, 2},
			"vllm:request_params_max_tokens":             {6, 2},
			"vllm:iteration_tokens_total":                {33 + 4 + 1, 6},
		} {
			value, count := read(t, m, name)
			if diff := value - want.value; diff > 1e-9 || diff < -1e-9 || count != want.count {
				t.Errorf("%s: %v, count %d; want %v, %d", name, value, count, want.value, want.count)
			}
		}
	})
}

func TestGaugesWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := metrics.New("fake")
		e := engine(t, m)
		for i := range int32(3) {
			if _, err := e.Submit(context.Background(), batch.Spec{Prompt: []int32{i}, Max: 100}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(255 * time.Millisecond)
		running, _ := read(t, m, "vllm:num_requests_running")
		usage, _ := read(t, m, "vllm:kv_cache_usage_perc")
		if running != 3 || usage != 6./20 {
			t.Errorf("%v running, %v of the cache; want 3 of 2 blocks each, of 20", running, usage)
		}
	})
}

func TestHandler(t *testing.T) {
	m := metrics.New("fake")
	m.Observer().Step(serve.StepInfo{Cache: serve.CacheStats{Blocks: 20, BlockSize: 16}})
	m.Observer().Finished(serve.RequestInfo{Finish: batch.Cancelled})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`vllm:cache_config_info{block_size="16",engine="0",model_name="fake",num_gpu_blocks="20"} 1`,
		`vllm:request_success_total{engine="0",finished_reason="abort",model_name="fake"} 1`,
		`vllm:request_success_total{engine="0",finished_reason="stop",model_name="fake"} 0`,
		"# TYPE vllm:num_requests_waiting gauge",
		"# TYPE vllm:time_to_first_token_seconds histogram",
		"go_goroutines ",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}

func Example() {
	m := metrics.New("my-model")
	// serve.New(runner, policy, serve.Options{Observer: m.Observer()})
	// mux.Handle("/metrics", m.Handler())
	r := prometheus.NewRegistry()
	r.MustRegister(m)
	families, err := r.Gather()
	if err != nil {
		panic(err)
	}
	fmt.Println(families[len(families)-1].GetName())
	// Output:
	// vllm:time_to_first_token_seconds
}

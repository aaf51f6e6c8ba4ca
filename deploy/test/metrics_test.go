// Package test checks what deploy has against the types, schemas and clients of
// those who will read it. It is a module of its own so that the library does not
// depend on them.
package test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/gateway-api-inference-extension/pkg/epp/backend"
	picker "sigs.k8s.io/gateway-api-inference-extension/pkg/epp/backend/metrics"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/serve"
	"example.com/minillm/serve/metrics"
	"example.com/minillm/transformer"
)

// house is a server whose steps take 20 ms.
type house struct {
	*httptest.Server
	engine *serve.Engine
}

// The use of the KV cache by vLLM's name for it, and by an older one, which the
// picker reads by default.
const (
	newName = "vllm:kv_cache_usage_perc"
	oldName = "vllm:gpu_cache_usage_perc"
)

const (
	blocks = 32
	size   = 16
	places = 2
)

// newHouse runs two sequences at a time in 32 blocks of 16 positions.
func newHouse(t *testing.T) *house {
	t.Helper()
	cache, err := paged.New(fake.Shape, paged.Options{Positions: blocks * size, Block: size})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{}
	m := &fake.Model{Cost: func([]transformer.Chunk) time.Duration { return 20 * time.Millisecond }}
	watch := metrics.New("fake")
	h.engine = serve.New(batch.NewRunner(m), scheduler.New(cache, scheduler.Config{MaxSeqs: places}), serve.Options{
		Observer: watch.Observer(),
		Cache: func() serve.CacheStats {
			s := cache.Stats()
			return serve.CacheStats{Blocks: s.Blocks, Used: s.Used, BlockSize: s.Size}
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.engine.Run(ctx) }()
	h.Server = httptest.NewServer(watch.Handler())
	t.Cleanup(func() { h.Close(); stop(); <-done })
	return h
}

// scrape reads the server as the extension's picker does; its defaults are these
// names, and oldName for kv.
func (h *house) scrape(t *testing.T, kv string) *picker.MetricsState {
	t.Helper()
	mapping, err := picker.NewMetricMapping("vllm:num_requests_waiting", kv, "vllm:lora_requests_info", "vllm:cache_config_info")
	if err != nil {
		t.Fatal(err)
	}
	client := &picker.PodMetricsClientImpl{MetricMapping: mapping, ModelServerMetricsPath: "/metrics", ModelServerMetricsScheme: "http", Client: http.DefaultClient}
	state, err := client.FetchMetrics(context.Background(), &backend.Pod{MetricsHost: h.Listener.Addr().String()}, picker.NewMetricsState())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// The picker sees how many wait and how full the cache is, while requests come,
// run and go.
func TestPickerReadsTheMetrics(t *testing.T) {
	h := newHouse(t)
	eventually(t, "an idle server", func() bool {
		s := h.scrape(t, newName)
		return s.WaitingQueueSize == 0 && s.KVCacheUsagePercent == 0
	})

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for i := range 5 { // prompts of two blocks: 2 run for some seconds, 3 wait
		streams, err := h.engine.Submit(ctx, batch.Spec{Prompt: prompt(i, 2*size), Max: 150})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range streams[0].Events(ctx) {
			}
		})
	}
	for _, name := range []string{newName, oldName} {
		eventually(t, "2 running and 3 waiting, by "+name, func() bool {
			s := h.scrape(t, name)
			return s.WaitingQueueSize == 3 && s.KVCacheUsagePercent >= 4./blocks && s.KVCacheUsagePercent < 1
		})
	}
	cancel()
	wg.Wait()
	eventually(t, "an idle server again", func() bool {
		s := h.scrape(t, newName)
		return s.WaitingQueueSize == 0 && s.KVCacheUsagePercent == 0 && len(s.ActiveModels) == 0
	})
}

// The size of the cache is told before the first request, and how many run.
func TestCacheConfiguration(t *testing.T) {
	h := newHouse(t)
	eventually(t, "the size of the cache", func() bool {
		s := h.scrape(t, newName)
		return s.CacheBlockSize == size && s.CacheNumGPUBlocks == blocks
	})
	resp, err := http.Get(h.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "\nvllm:num_requests_running{") {
		t.Errorf("how many run is not told: %v", err)
	}
}

func prompt(i, n int) []int32 {
	ids := make([]int32, n)
	for j := range ids {
		ids[j] = int32(i)
	}
	return ids
}

// eventually waits for what the engine's loop is about to tell.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("never saw %s", what)
}

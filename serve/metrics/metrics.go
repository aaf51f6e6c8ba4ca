// Package metrics tells Prometheus what an engine does.
//
// Names, types and labels are those of vLLM, with its prefix, so that the
// dashboards, alerts and gateways which know vLLM know this engine as well: the
// Gateway API inference extension routes by the requests that wait, the use of
// the KV cache and the size of its blocks.
//
// It is a package of its own so that programs which embed an engine do not
// carry Prometheus unless they want to.
package metrics

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// Metrics are those of one engine: a prometheus.Collector, which may be
// registered among a program's own.
type Metrics struct {
	all []prometheus.Collector

	running, waiting, usage, oldUsage                     prometheus.Gauge
	preemptions, prompt, generated, queries, hits         prometheus.Counter
	ttft, itl, iteration                                  prometheus.Histogram
	latency, queued, inference, prefill, decode, perToken prometheus.Histogram
	promptTokens, generatedTokens, most                   prometheus.Histogram
	finished                                              *prometheus.CounterVec
	cache                                                 *prometheus.GaugeVec

	preempted int64 // told so far
	config    sync.Once
}

// New returns the metrics of an engine whose model clients call by that name.
func New(model string) *Metrics {
	m := &Metrics{}
	labels := prometheus.Labels{"model_name": model, "engine": "0"}
	gauge := func(name, help string) prometheus.Gauge {
		return add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: "vllm:" + name, Help: help, ConstLabels: labels}))
	}
	counter := func(name, help string) prometheus.Counter {
		return add(m, prometheus.NewCounter(prometheus.CounterOpts{Name: "vllm:" + name + "_total", Help: help, ConstLabels: labels}))
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return add(m, prometheus.NewHistogram(prometheus.HistogramOpts{Name: "vllm:" + name, Help: help, ConstLabels: labels, Buckets: buckets}))
	}
	m.running = gauge("num_requests_running", "Requests that have memory and are computed.")
	m.waiting = gauge("num_requests_waiting", "Requests that wait for memory or a place.")
	m.usage = gauge("kv_cache_usage_perc", "Part of the blocks of the KV cache in use; 1 is all of them.")
	m.oldUsage = gauge("gpu_cache_usage_perc", "The same by its older name, which routers may still read.")
	m.preemptions = counter("num_preemptions", "Requests whose memory was taken, to be computed again.")
	m.prompt = counter("prompt_tokens", "Tokens of prompts that were computed or found in the cache.")
	m.generated = counter("generation_tokens", "Tokens generated.")
	m.queries = counter("prefix_cache_queries", "Tokens of prompts that were looked for in the prefix cache.")
	m.hits = counter("prefix_cache_hits", "Tokens of prompts that were found there.")
	m.ttft = histogram("time_to_first_token_seconds", "From the arrival of a request to its first token.", seconds)
	m.itl = histogram("inter_token_latency_seconds", "Between two tokens of a request.", seconds)
	m.iteration = histogram("iteration_tokens_total", "Tokens computed in a step.", counts)
	m.latency = histogram("e2e_request_latency_seconds", "From the arrival of a request to its end.", seconds)
	m.queued = histogram("request_queue_time_seconds", "From the arrival of a request to its first step.", seconds)
	m.inference = histogram("request_inference_time_seconds", "From the first step of a request to its end.", seconds)
	m.prefill = histogram("request_prefill_time_seconds", "From the first step of a request to its first token.", seconds)
	m.decode = histogram("request_decode_time_seconds", "From the first token of a request to its last.", seconds)
	m.perToken = histogram("request_time_per_output_token_seconds", "Time for each token after the first, on average of a request.", seconds)
	m.promptTokens = histogram("request_prompt_tokens", "Tokens of a request's prompt.", counts)
	m.generatedTokens = histogram("request_generation_tokens", "Tokens generated for a request.", counts)
	m.most = histogram("request_params_max_tokens", "Most new tokens that a request asked for.", counts)
	m.finished = add(m, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "vllm:request_success_total", Help: "Requests that have ended, by why.", ConstLabels: labels}, []string{"finished_reason"}))
	m.cache = add(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "vllm:cache_config_info", Help: "Size of the KV cache; the value is 1.", ConstLabels: labels}, []string{"block_size", "num_gpu_blocks"}))
	for _, why := range reasons {
		m.finished.WithLabelValues(why)
	}
	add(m, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "vllm:lora_requests_info", Help: "Adapters in use: there are none, which routers that look for them want to be told.",
		ConstLabels: prometheus.Labels{"running_lora_adapters": "", "waiting_lora_adapters": "", "max_lora": "0"}}))
	return m
}

func add[C prometheus.Collector](m *Metrics, c C) C {
	m.all = append(m.all, c)
	return c
}

var (
	// seconds are the bounds of all times: a step takes milliseconds, a request
	// may take minutes.
	seconds = []float64{.001, .0025, .005, .01, .02, .03, .04, .06, .08, .1, .15, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560}

	// counts are the bounds of all numbers of tokens.
	counts = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000}
)

// Describe is part of prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(ch)
	}
}

// Collect is part of prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(ch)
	}
}

// Handler answers GET /metrics with the metrics, and with those of the Go
// runtime and the process.
func (m *Metrics) Handler() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(m, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := &wire.Mux{}
	mux.Handle(http.MethodGet, "/metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP)
	return mux
}

// configure tells the size of the cache, once it is known.
func (m *Metrics) configure(c serve.CacheStats) {
	if c.Blocks > 0 {
		m.config.Do(func() {
			m.cache.WithLabelValues(strconv.Itoa(c.BlockSize), strconv.Itoa(c.Blocks)).Set(1)
		})
	}
}

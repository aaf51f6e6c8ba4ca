package metrics

import (
	"time"

	"example.com/minillm/serve"
)

// Observer returns what the engine is to be given. One engine's, no more.
func (m *Metrics) Observer() serve.Observer {
	return serve.Observer{Step: m.step, Finished: m.end}
}

func (m *Metrics) step(s serve.StepInfo) {
	m.configure(s.Cache)
	m.running.Set(float64(s.Policy.Running))
	m.waiting.Set(float64(s.Policy.Waiting))
	if s.Cache.Blocks > 0 {
		used := float64(s.Cache.Used) / float64(s.Cache.Blocks)
		m.usage.Set(used)
		m.oldUsage.Set(used)
	}
	m.preemptions.Add(float64(s.Policy.Preempted - m.preempted))
	m.preempted = s.Policy.Preempted
	m.prompt.Add(float64(s.Prompt))
	m.queries.Add(float64(s.Prompt))
	m.hits.Add(float64(s.Cached))
	m.generated.Add(float64(len(s.TTFT) + len(s.ITL)))
	for _, d := range s.TTFT {
		m.ttft.Observe(d.Seconds())
	}
	for _, d := range s.ITL {
		m.itl.Observe(d.Seconds())
	}
	if s.Tokens > 0 {
		m.iteration.Observe(float64(s.Tokens))
	}
}

// end counts a request that has ended. Times that it did not live to see are
// left out rather than counted as 0.
func (m *Metrics) end(r serve.RequestInfo) {
	m.finished.WithLabelValues(reason(r.Finish.String())).Inc()
	m.latency.Observe(r.Timing.Total.Seconds())
	m.promptTokens.Observe(float64(r.Usage.PromptTokens))
	m.generatedTokens.Observe(float64(r.Usage.CompletionTokens))
	if r.Max > 0 {
		m.most.Observe(float64(r.Max))
	}
	if r.Usage.CompletionTokens == 0 {
		return
	}
	m.queued.Observe(r.Timing.Queued.Seconds())
	m.inference.Observe((r.Timing.Total - r.Timing.Queued).Seconds())
	m.prefill.Observe((r.Timing.TTFT - r.Timing.Queued).Seconds())
	decode := r.Timing.Total - r.Timing.TTFT
	m.decode.Observe(decode.Seconds())
	if n := r.Usage.CompletionTokens - 1; n > 0 {
		m.perToken.Observe((decode / time.Duration(n)).Seconds())
	}
}

var reasons = []string{"stop", "length", "abort", "error"}

// reason is why a request ended, in vLLM's words.
func reason(finish string) string {
	switch finish {
	case "stop", "length", "error":
		return finish
	}
	return "abort"
}

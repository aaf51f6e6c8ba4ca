package main

import (
	"log/slog"

	"example.com/minillm/serve"
	"example.com/minillm/serve/metrics"
)

// watch is who is told of steps and requests: the metrics, and the log of what
// failed.
type watch struct {
	metrics *metrics.Metrics
	logger  *slog.Logger
}

func newWatch(model string, l *slog.Logger) *watch {
	return &watch{metrics.New(model), l}
}

func (w *watch) observer() serve.Observer {
	return serve.Observers(w.metrics.Observer(), serve.Observer{Finished: w.finished, Panicked: w.panicked})
}

// finished logs why a request failed, if it did.
func (w *watch) finished(r serve.RequestInfo) {
	if r.Err != nil {
		w.logger.Error("a request failed", "error", r.Err)
	}
}

// panicked logs a panic that was contained, with its stack.
func (w *watch) panicked(p *serve.PanicError) {
	w.logger.Error("a panic was contained", "error", p, "stack", string(p.Stack))
}

package main

import (
	"errors"
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
	o := w.metrics.Observer()
	return serve.Observer{Step: o.Step, Finished: func(r serve.RequestInfo) {
		o.Finished(r)
		if r.Err != nil {
			w.failed(r.Err)
		}
	}}
}

// failed logs why a request failed, with the stack if there was a panic.
func (w *watch) failed(err error) {
	var stack string
	if p := (*serve.PanicError)(nil); errors.As(err, &p) {
		stack = string(p.Stack)
	}
	w.logger.Error("a request failed", "error", err, "stack", stack)
}

// Package guard has what stands in front of the handlers of a server that
// others can reach: API keys, other sites' pages, lines of a log, and the
// recovery from panics. Each wraps an http.Handler and works alone; together
// they go
//
//	h = guard.Keys(h, keys, "/health")
//	h = guard.Origins(h, origins)
//	h = guard.Recover(h, logger)
//	h = guard.Log(h, logger)
package guard

import "net/http"

// writer notes what was sent through it. Flushing and deadlines go through
// http.ResponseController, which finds the writer inside.
type writer struct {
	http.ResponseWriter
	status int // 0: nothing was sent
	bytes  int64
}

func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

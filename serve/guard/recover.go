package guard

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"example.com/minillm/serve/internal/wire"
)

// Recover makes a panic of a handler cost its request alone: it is logged with
// its stack, and answered with status 500 or, where part of an answer was sent,
// by breaking the connection off. http.ErrAbortHandler passes.
func Recover(next http.Handler, l *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note := &wire.Note{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			l.ErrorContext(r.Context(), "a handler panicked", "id", r.Header.Get("X-Request-Id"), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			if note.Status != 0 {
				panic(http.ErrAbortHandler)
			}
			wire.WriteError(w, &wire.Error{Status: http.StatusInternalServerError, Type: "server_error", Code: "internal_error",
				Message: "the server failed at this request"})
		}()
		next.ServeHTTP(note, r)
	})
}

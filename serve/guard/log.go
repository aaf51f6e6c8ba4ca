package guard

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"example.com/minillm/serve/internal/wire"
)

// Log writes a line for each request: method, path, status, size and time, with
// the id that the client gave it in X-Request-Id or that it is given here; the
// answer has it in the same header. Nothing of what requests say is written.
// Requests that watch the server, for /health and /metrics, are at level debug
// unless they fail.
func Log(next http.Handler, l *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := requestID(r)
		r.Header.Set("X-Request-Id", id)
		w.Header().Set("X-Request-Id", id)
		note := &wire.Note{ResponseWriter: w}
		start, whole := time.Now(), false
		defer func() {
			l.LogAttrs(context.WithoutCancel(r.Context()), level(r, note, whole), "request",
				slog.String("id", id),
				slog.String("method", short(r.Method)),
				slog.String("path", short(r.URL.Path)),
				slog.Int("status", note.Status),
				slog.Int64("bytes", note.Bytes),
				slog.Duration("duration", time.Since(start)),
				slog.String("remote", r.RemoteAddr),
				slog.Bool("broken_off", !whole))
		}()
		next.ServeHTTP(note, r)
		whole = true
	})
}

func level(r *http.Request, w *wire.Note, whole bool) slog.Level {
	switch {
	case !whole || w.Status >= 500:
		return slog.LevelWarn
	case r.URL.Path == "/health" || r.URL.Path == "/metrics":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// requestID returns the client's id if it is one that a header and a log can
// carry, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return rand.Text()
		}
	}
	if id == "" || len(id) > 128 {
		return rand.Text()
	}
	return id
}

// short bounds what strangers can write into a log.
func short(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

package native

import (
	"net/http"
	"sync/atomic"

	"example.com/minillm/serve/internal/wire"
)

// Gate stands where a server's handler will be while its model is loaded:
// /health says so, everything else is told to come again. The zero value is
// shut.
type Gate struct{ handler atomic.Pointer[http.Handler] }

// Open lets requests through to h from now on.
func (g *Gate) Open(h http.Handler) { g.handler.Store(&h) }

// ServeHTTP passes requests on once the gate is open; before, it answers that the model is loading.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := g.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/health" {
		status(w, http.StatusServiceUnavailable, "loading")
		return
	}
	wire.Refuse(w, r, &wire.Error{Status: http.StatusServiceUnavailable, Message: "the model is being loaded",
		Type: "server_error", Code: "loading"})
}

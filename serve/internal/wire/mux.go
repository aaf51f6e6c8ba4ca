package wire

import (
	"fmt"
	"net/http"
	"strings"
)

// Mux routes by method and path. An unknown path or method is answered in JSON.
type Mux struct {
	mux     http.ServeMux
	methods map[string][]string // of each path
	paths   []string
}

// Handle registers h for a method and a path, both as net/http has them.
func (m *Mux) Handle(method, path string, h http.HandlerFunc) {
	if m.methods == nil {
		m.methods = map[string][]string{}
		m.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			Refuse(w, r, &Error{http.StatusNotFound, "no such path: " + ascii(r.URL.Path), "invalid_request_error", "", "not_found"})
		})
	}
	if len(m.methods[path]) == 0 {
		m.paths = append(m.paths, path)
		m.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { m.refuse(w, r, path) })
	}
	m.methods[path] = append(m.methods[path], method)
	m.mux.HandleFunc(method+" "+path, h)
}

func (m *Mux) refuse(w http.ResponseWriter, r *http.Request, path string) {
	allow := strings.Join(m.methods[path], ", ")
	w.Header().Set("Allow", allow)
	Refuse(w, r, &Error{http.StatusMethodNotAllowed, fmt.Sprintf("method %s is not allowed here, use %s", ascii(r.Method), allow),
		"invalid_request_error", "", "method_not_allowed"})
}

// Paths returns the paths that were registered, as net/http has them.
func (m *Mux) Paths() []string { return m.paths }

// Routes returns the methods and paths that were registered, such as "GET /health".
func (m *Mux) Routes() []string {
	var routes []string
	for _, path := range m.paths {
		for _, method := range m.methods[path] {
			routes = append(routes, method+" "+path)
		}
	}
	return routes
}

func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.mux.ServeHTTP(w, r) }

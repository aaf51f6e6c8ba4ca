package main

import (
	"net/http"

	"example.com/minillm"
	"example.com/minillm/serve/metrics"
	"example.com/minillm/serve/native"
	"example.com/minillm/serve/openai"
)

// routes are all that the server answers.
func (s *server) routes(m *minillm.Model, stats *metrics.Metrics) http.Handler {
	small := native.New(m.Text(), m.Template(), s.names[0])
	small.Strict = s.strict
	api := openai.New(m.Text(), m.Tokenizer(), openai.Options{
		Template: m.Template(), Models: s.names, Context: m.Context(), Strict: s.strict,
	})
	mux := http.NewServeMux()
	for _, path := range api.Paths() {
		mux.Handle(path, api)
	}
	mux.Handle("/metrics", stats.Handler())
	mux.Handle("/", small)
	return mux
}

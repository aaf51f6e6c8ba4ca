// Package remote is the front door over somebody else's server: any endpoint
// that speaks OpenAI's API, such as vLLM, SGLang, Ray Serve, an llm-d gateway,
// llama-server or another minillm. A program outgrows its machine by one line:
//
//	m, err := minillm.Open("model.gguf", minillm.Options{})
//	m, err := remote.Open("http://gateway:8000", remote.Options{})
//
// Both are a serve.Backend and speak its words: zero values mean the same, so
// a Request that leaves sampling alone is greedy whatever the server's own
// defaults are. Settings that OpenAI's API lacks go as the fields that vLLM,
// SGLang, llama-server and minillm agree on; servers ignore those they do not
// know, see [Options].Plain.
//
// What an endpoint cannot tell is left out: Piece.IDs is nil and the ids of
// log-probabilities are -1, because the API has no token ids; Timing.Queued is
// 0, because nobody says when a request left the server's queue. TTFT and Total
// are measured here and so include the network. Usage is the server's; where
// it tells none, or was not there to tell, CompletionTokens counts the events
// that brought text. Reasoning comes apart where the server tells it apart.
//
// Nothing is sent twice: an answer may have been computed, and paid for, though
// its connection broke. Whoever wants to try again knows what that means for
// the request, and can tell by the error: serve.ErrBusy came before anything
// was computed, [ErrBroken] may not have.
package remote

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"example.com/minillm/serve"
)

// Options of a remote model; zero values are the defaults.
type Options struct {
	Key    string            // sent as "Authorization: Bearer Key"; "" sends none
	Model  string            // as the server calls it; "" is the first that it lists
	Header map[string]string // more headers, for a gateway
	Extra  map[string]any    // fields that every request for text has beside its own, such as {"ignore_eos": true}

	// Plain sends no field that OpenAI's own API lacks; requests that need one
	// are refused with serve.ErrInvalid.
	Plain bool

	// Patience is how long a server may be silent within a request, before its
	// first token too: 10 minutes. Shorter than ctx, it catches a server that
	// hangs with its connection open.
	Patience time.Duration

	Client *http.Client // nil: one of its own, which knows no proxy
}

// hello is how long a server may take to list its models.
const hello = 30 * time.Second

// Model is a model on a server. It may be used by many goroutines at once.
type Model struct {
	url         string // of the API, with a slash at the end
	name        string
	dialect     dialect
	o           Options
	completions openai.CompletionService
	chats       openai.ChatCompletionService
	embeddings  openai.EmbeddingService
	client      *http.Client

	closed context.Context // ends with Close
	close  context.CancelCauseFunc
}

var _ serve.Backend = (*Model)(nil)

// Open returns the model behind an endpoint: http://host:port, or the URL of
// its API, such as https://host/api/v1. It asks the server for its models, so
// that what is not there is found out here.
func Open(endpoint string, o Options) (*Model, error) {
	base, err := apiURL(endpoint)
	if err != nil {
		return nil, err
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Minute
	}
	m := &Model{url: base, o: o, client: o.Client}
	if m.client == nil {
		m.client = newClient(strings.HasPrefix(base, "https:"))
	}
	m.closed, m.close = context.WithCancelCause(context.Background())
	options := m.options()
	m.completions = openai.NewCompletionService(options...)
	m.chats = openai.NewChatCompletionService(options...)
	m.embeddings = openai.NewEmbeddingService(options...)
	if err := m.meet(openai.NewModelService(options...)); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// apiURL returns the URL of the API behind an endpoint.
func apiURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("remote: %q is not the URL of a server, such as http://localhost:8080", endpoint)
	}
	path := strings.TrimRight(u.Path, "/")
	if path == "" {
		path = "/v1"
	}
	return u.Scheme + "://" + u.Host + path + "/", nil
}

// newClient has the times of net/http's own but takes nothing from the
// environment. Answers may take as long as they like.
//
// Connections are kept where making one is slow. Some servers close a used one
// at any moment without a word, llama-server right after an answer; a request
// sent just then is lost, and nobody knows whether it was read. So they are
// given up soon, too.
func newClient(keep bool) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Client{Transport: &http.Transport{
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     2 * time.Second,
		DisableKeepAlives:   !keep,
		TLSHandshakeTimeout: 10 * time.Second,
	}}
}

// options are those of the services. They are made one by one because a whole
// openai.Client reads the environment.
func (m *Model) options() []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(m.url),
		option.WithHTTPClient(m.client),
		option.WithMaxRetries(0),
	}
	if m.o.Key != "" {
		options = append(options, option.WithAPIKey(m.o.Key))
	}
	for name, value := range m.o.Header {
		options = append(options, option.WithHeader(name, value))
	}
	return options
}

// meet learns what the server is and has. One that lists no models is fine if
// the name of one is known.
func (m *Model) meet(models openai.ModelService) error {
	ctx, cancel := context.WithTimeout(m.closed, hello)
	defer cancel()
	m.name, m.dialect = m.o.Model, dialects[""]
	page, err := models.List(ctx)
	switch {
	case err != nil && (m.name == "" || !answered(err)):
		return m.explain(ctx, "models", err)
	case err != nil || len(page.Data) == 0:
		if m.name == "" {
			return fmt.Errorf("remote: %smodels: the server lists none", m.url)
		}
		return nil
	}
	if m.name == "" {
		m.name = page.Data[0].ID
	}
	if d, ok := dialects[page.Data[0].OwnedBy]; ok {
		m.dialect = d
	}
	return nil
}

// Name returns what the server calls the model.
func (m *Model) Name() string { return m.name }

// Close ends the requests that are under way with serve.ErrClosed, refuses
// later ones with it and gives idle connections up. Closing twice is fine.
func (m *Model) Close() error {
	m.close(serve.ErrClosed)
	if m.o.Client == nil {
		m.client.CloseIdleConnections()
	}
	return nil
}

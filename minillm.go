package minillm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"example.com/minillm/batch"
	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer"
	"example.com/minillm/tokenizer/chat"
	"example.com/minillm/transformer"
)

// The words of the front door. They are those of package serve, so that what
// runs here and what runs on another machine speak the same language.
type (
	Message = serve.Message // one turn of a conversation
	Request = serve.Request // how to generate; zero is greedy, to the end of the answer
	Reply   = serve.Reply   // a whole answer
	Piece   = serve.Piece   // a stretch of an answer as it comes
	Usage   = serve.Usage   // counts of tokens
	Timing  = serve.Timing  // where the time went
	Backend = serve.Backend // what a Model does, as an interface that servers elsewhere have too: see package serve/remote
	Finish  = batch.Finish  // how an answer ended
)

// How an answer ended.
const (
	FinishLength  = batch.Length  // MaxTokens or the end of the context is reached
	FinishStop    = batch.Stop    // by an end token or a stop string
	FinishTimeout = batch.Timeout // the deadline passed
)

// Errors to test for with errors.Is and errors.As.
var (
	ErrTooLong    = batch.ErrTooLong   // the prompt is longer than the context
	ErrEmpty      = batch.ErrEmpty     // the prompt has no tokens
	ErrInvalid    = serve.ErrInvalid   // the request asks for what does not exist, or the template refuses the conversation
	ErrBusy       = serve.ErrBusy      // too much is waiting: try again later
	ErrClosed     = serve.ErrClosed    // the model was closed
	ErrNoTemplate = chat.ErrNoTemplate // the file has no chat template
)

// FormatError says what is wrong in a model file, and where.
type FormatError = gguf.FormatError

// Model is an open model file that answers requests. Its methods may be called
// by many goroutines at once: their requests share every step of the engine.
// It is a Backend; a program that outgrows its machine opens another one, over
// any OpenAI-compatible server, with package serve/remote.
type Model struct {
	file      *gguf.File
	weights   *transformer.Model
	tokenizer tokenizer.Tokenizer
	template  *chat.Template // nil where the file has none
	cache     *paged.Cache
	engine    *serve.Engine

	stop    context.CancelFunc
	stopped chan struct{} // closed when the engine's loop has returned
	once    sync.Once     // of Close
	closed  error         // what it returned
}

var _ Backend = (*Model)(nil)

// Open opens a model: a GGUF file, or the folder of a Hugging Face checkpoint
// with its weights in safetensors. The files stay mapped until Close.
func Open(path string, o Options) (*Model, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return nil, fmt.Errorf("minillm: %w", err)
	}
	return open(f, o)
}

// OpenBytes is Open for a file in memory, such as an embedded one. The bytes
// must not change until Close.
func OpenBytes(b []byte, o Options) (*Model, error) {
	f, err := gguf.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("minillm: %w", err)
	}
	return open(f, o)
}

// open builds the house over a file and starts its engine.
func open(f *gguf.File, o Options) (*Model, error) {
	m := &Model{file: f, stopped: make(chan struct{})}
	if err := m.build(f, o); err != nil {
		m.release()
		return nil, fmt.Errorf("minillm: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	go func() {
		defer close(m.stopped)
		m.engine.Run(ctx)
	}()
	return m, nil
}

// build composes the floors, from the file up.
func (m *Model) build(f *gguf.File, o Options) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	if m.tokenizer, err = tokenizer.FromGGUF(f); err != nil {
		return err
	}
	if m.template, err = readTemplate(f, m.tokenizer); err != nil {
		return err
	}
	if m.weights, err = transformer.New(f, o.transformer()); err != nil {
		return err
	}
	size, err := o.pool(m.weights.Shape(), m.weights.Context())
	if err != nil {
		return err
	}
	if m.cache, err = paged.New(m.weights.Shape(), size); err != nil {
		return err
	}
	policy := scheduler.New(m.cache, scheduler.Config{MaxSeqs: o.parallel()})
	m.engine = serve.New(batch.NewRunner(m.weights), policy, serve.Options{Observer: o.Observer, Cache: m.memory})
	return nil
}

// readTemplate returns the file's chat template, or nil where it has none.
func readTemplate(f *gguf.File, t tokenizer.Tokenizer) (*chat.Template, error) {
	source, _, err := f.String("tokenizer.chat_template")
	if err != nil {
		return nil, err
	}
	template, err := chat.New(source, t)
	if errors.Is(err, ErrNoTemplate) {
		return nil, nil
	}
	return template, err
}

// memory is what the engine's observer is told of the cache.
func (m *Model) memory() serve.CacheStats {
	s := m.cache.Stats()
	return serve.CacheStats{Blocks: s.Blocks, Used: s.Used, BlockSize: s.Size}
}

// Close stops the model and gives its memory back. Requests that are under way
// end with ErrClosed. Closing twice is fine.
func (m *Model) Close() error {
	m.once.Do(func() {
		m.stop()
		<-m.stopped
		m.closed = m.release()
	})
	return m.closed
}

func (m *Model) release() error {
	if m.weights != nil {
		m.weights.Close()
	}
	if m.cache != nil {
		m.cache.Close()
	}
	return m.file.Close()
}

// Tokenizer returns the model's tokenizer.
func (m *Model) Tokenizer() tokenizer.Tokenizer { return m.tokenizer }

// Template returns the model's chat template, or nil where the file has none.
func (m *Model) Template() *chat.Template { return m.template }

// Context returns the most positions of one request: its prompt and its answer.
func (m *Model) Context() int { return m.cache.Limit() }

// Text returns the floor below, for HTTP handlers and for requests that this
// one has no words for.
func (m *Model) Text() serve.Text { return serve.Text{Engine: m.engine, Tokenizer: m.tokenizer} }

// Generate continues a raw text.
func (m *Model) Generate(ctx context.Context, prompt string, r Request) (*Reply, error) {
	return m.Text().Complete(ctx, m.raw(prompt, r))
}

// Stream is Generate with the text as it comes. Leaving the loop cancels the
// request. The last piece has Finish, Usage and Timing.
func (m *Model) Stream(ctx context.Context, prompt string, r Request) iter.Seq2[Piece, error] {
	return m.stream(ctx, m.raw(prompt, r))
}

func (m *Model) raw(prompt string, r Request) serve.TextRequest {
	return serve.TextRequest{Request: r, Prompt: m.Text().Encode(prompt)}
}

// Chat answers a conversation, which it renders with the template in the file:
// ErrNoTemplate where there is none. What a model thinks before it answers, with
// r.Thinking, is the reply's Reasoning.
func (m *Model) Chat(ctx context.Context, messages []Message, r Request) (*Reply, error) {
	q, err := m.chat(messages, r)
	if err != nil {
		return nil, err
	}
	return m.Text().Complete(ctx, q)
}

// ChatStream is Chat with the text as it comes. Leaving the loop cancels the
// request. The last piece has Finish, Usage and Timing.
func (m *Model) ChatStream(ctx context.Context, messages []Message, r Request) iter.Seq2[Piece, error] {
	q, err := m.chat(messages, r)
	if err != nil {
		return failed(err)
	}
	return m.stream(ctx, q)
}

func (m *Model) chat(messages []Message, r Request) (q serve.TextRequest, err error) {
	q.Request = r
	if q.Prompt, err = m.EncodeChat(messages, r.Thinking); err != nil {
		return q, err
	}
	if m.template.Tags() != (chat.Tags{}) {
		q.Split = func() serve.Splitter { return m.template.Splitter(chat.Options{Thinking: r.Thinking}) }
		q.Visible = m.template.TagTokens()
	}
	return q, nil
}

// EncodeChat returns the ids of a conversation, rendered up to where the answer
// begins. What a message says never becomes a control token. A conversation that
// the template refuses, or without a message, is ErrInvalid.
func (m *Model) EncodeChat(messages []Message, thinking bool) ([]int32, error) {
	if m.template == nil {
		return nil, ErrNoTemplate
	}
	turns := make([]chat.Message, len(messages))
	for i, msg := range messages {
		turns[i] = chat.Message{Role: msg.Role, Content: msg.Content}
	}
	ids, err := m.template.Encode(turns, chat.Options{Thinking: thinking})
	if raised := (*chat.RaisedError)(nil); errors.Is(err, chat.ErrNoMessages) || errors.As(err, &raised) {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return ids, err
}

// Embed returns the embedding of a text: the mean of its last hidden rows,
// scaled to length 1.
func (m *Model) Embed(ctx context.Context, text string) ([]float32, error) {
	vec, _, err := m.Text().Embed(ctx, serve.TextRequest{Prompt: m.Text().Encode(text)})
	return vec, err
}

func (m *Model) stream(ctx context.Context, r serve.TextRequest) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		pieces, err := m.Text().Generate(ctx, r)
		if err != nil {
			pieces = failed(err)
		}
		pieces(yield)
	}
}

func failed(err error) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) { yield(Piece{}, err) }
}

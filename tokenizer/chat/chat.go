package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ardanlabs/jinja"

	"example.com/minillm/tokenizer"
)

// ErrNoTemplate is New's answer to an empty template: the model's file has
// none, and the model may not know how to chat.
var ErrNoTemplate = errors.New("chat: the model has no chat template")

// ErrNoMessages is the answer to a conversation without a message.
var ErrNoMessages = errors.New("chat: messages must not be empty")

// RaisedError is a template's own refusal of a conversation, by its
// raise_exception: that roles must alternate, for example. Message is its text.
type RaisedError struct{ Message string }

// Error says what went wrong.
func (e *RaisedError) Error() string { return "chat: the template refuses: " + e.Message }

// Template is a chat template with the vocabulary it is for. It does not
// change, and its methods are safe for many goroutines at once.
type Template struct {
	engine    *jinja.Template
	uses      map[string]bool // functions of this package that it calls
	tok       tokenizer.Tokenizer
	control   control
	private   map[rune]bool // private runes in the template
	reasoning string        // the key that it reads a message's reasoning from
	think     Tags
}

// maxTemplate bounds the source; the longest in use have some 20 kB.
const maxTemplate = 1 << 20

// New reads a template for the vocabulary of t. It returns ErrNoTemplate for
// one that is empty, and an error that names the line for one that is broken
// or needs a part of Jinja that is not supported.
func New(template string, t tokenizer.Tokenizer) (*Template, error) {
	if strings.TrimSpace(template) == "" {
		return nil, ErrNoTemplate
	}
	if len(template) > maxTemplate {
		return nil, fmt.Errorf("chat: a template of %d bytes, more than %d", len(template), maxTemplate)
	}
	segs, err := scan(template)
	if err != nil {
		return nil, fmt.Errorf("chat: template: %w", err)
	}
	src, uses, err := translate(segs)
	if err != nil {
		return nil, fmt.Errorf("chat: template: %w", err)
	}
	engine, err := compile(src)
	if err != nil {
		return nil, fmt.Errorf("chat: template: %w", err)
	}
	private := map[rune]bool{}
	notePrivate(private, template)
	return &Template{
		engine: engine, uses: uses, tok: t, control: newControl(t), private: private,
		reasoning: reasoningKey(template), think: tagsOf(template),
	}, nil
}

// compile is the engine's Compile; a panic of it is an error.
func compile(src string) (t *jinja.Template, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("broken: %v", e)
		}
	}()
	return jinja.Compile(src)
}

// Render writes the prompt as text, for eyes and for tests. Only Encode keeps
// control tokens apart from texts that spell them.
func (t *Template) Render(messages []Message, o Options) (string, error) {
	hidden, r, err := t.render(messages, o)
	if err != nil {
		return "", err
	}
	return r.shadow.reveal(hidden).text, nil
}

// Encode writes the prompt as ids. It begins with BOS where the vocabulary
// wants one, be it the template's or not, and never with two of them.
//
// Errors are ErrNoMessages, *RaisedError, or say what of the messages or of
// the template was broken.
func (t *Template) Encode(messages []Message, o Options) ([]int32, error) {
	hidden, r, err := t.render(messages, o)
	if err != nil {
		return nil, err
	}
	var ids []int32
	bos, add := t.tok.BOS()
	if add {
		ids = append(ids, bos)
	}
	ids = t.encode(ids, r.shadow.reveal(hidden))
	if add && len(ids) > 1 && ids[1] == bos {
		ids = ids[1:]
	}
	return ids, nil
}

func (t *Template) render(messages []Message, o Options) (hidden string, r *run, err error) {
	if len(messages) == 0 {
		return "", nil, ErrNoMessages
	}
	vars, err := t.variables(messages, o)
	if err != nil {
		return "", nil, err
	}
	null := func(m Message) bool { return m.Null }
	return t.execute(vars, o, slices.ContainsFunc(messages, null))
}

// execute renders with the caller's variables and those of the vocabulary. If
// null, none is written as nothing.
func (t *Template) execute(vars map[string]jinja.Value, o Options, null bool) (hidden string, r *run, err error) {
	shadow, err := newShadow(t.control.openers, t.private, vars)
	if err != nil {
		return "", nil, err
	}
	r = &run{shadow: shadow, now: o.Now, null: null}
	scope := r.functions(t.uses)
	for name, text := range t.special(o) {
		scope[name] = jinja.NewString(text)
	}
	for name, v := range vars {
		scope[name] = mapStrings(v, shadow.hide)
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("chat: the template failed: %v", e)
		}
	}()
	hidden, err = t.engine.RenderValues(scope)
	if raised := (*RaisedError)(nil); err != nil && !errors.As(err, &raised) {
		err = fmt.Errorf("chat: the template failed: %w", err)
	}
	return hidden, r, err
}

// special are the texts of tokens that templates write.
func (t *Template) special(o Options) map[string]string {
	if id, _ := t.tok.BOS(); o.BOS == "" && id >= 0 {
		o.BOS = string(t.tok.Piece(id))
	}
	if id := t.eos(); o.EOS == "" && id >= 0 {
		o.EOS = string(t.tok.Piece(id))
	}
	return map[string]string{"bos_token": o.BOS, "eos_token": o.EOS}
}

// eos is the token that ends a text: the one that the vocabulary calls so, if
// it says, or else the first that ends a generation.
func (t *Template) eos() int32 {
	if v, ok := t.tok.(interface{ EOS() int32 }); ok {
		return v.EOS()
	}
	if stops := t.tok.Stops(); len(stops) > 0 {
		return stops[0]
	}
	return -1
}

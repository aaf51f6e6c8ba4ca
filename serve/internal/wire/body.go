package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxDepth bounds how deeply a body may be nested.
const maxDepth = 64

// patience is how long a client may take to send its body, or to take the next
// piece of an answer.
var patience = 30 * time.Second

// Body is the fields of a request, or of an object in one. Its methods read one
// each: null and absent leave the destination as it is, a wrong type is an
// error of status 400, a value out of bounds one of the status that Bounds
// names. The first error stands; see Err.
type Body struct {
	Bounds int // status of a value out of bounds
	fields map[string]json.RawMessage
	path   string  // of the object in the body, "" or such as "messages[0]."
	inner  []*Body // objects that were read
	root   *Body   // where errors are kept
	err    *Error
}

// Read reads a JSON object of at most limit bytes.
func Read(w http.ResponseWriter, r *http.Request, limit int64) (*Body, error) {
	tooLarge := Invalid(http.StatusRequestEntityTooLarge, "", fmt.Sprintf("the body is larger than %d bytes", limit))
	if r.ContentLength > limit && asksFirst(r) {
		return nil, tooLarge
	}
	b, err := readAll(w, r, limit)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		drain(r)
		return nil, tooLarge
	}
	if err != nil {
		return nil, Invalid(http.StatusBadRequest, "", "the body could not be read: "+err.Error())
	}
	return Parse(b)
}

// readAll reads the body while the client is not too slow. The deadline is
// lifted when all of it is there: to the server, a read that fails later means
// that the client has gone. Otherwise it stands, for the rest that the server
// reads before it closes the connection.
func readAll(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(patience)) // not every writer has one
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		rc.SetReadDeadline(time.Time{})
	}
	return b, err
}

// Parse is Read of a body that is there.
func Parse(b []byte) (*Body, error) {
	if nested(b) > maxDepth {
		return nil, Invalid(http.StatusBadRequest, "", fmt.Sprintf("the body is nested more than %d deep", maxDepth))
	}
	body := &Body{Bounds: http.StatusBadRequest}
	body.root = body
	if err := json.Unmarshal(b, &body.fields); err != nil {
		return nil, Invalid(http.StatusBadRequest, "", "the body is not a JSON object: "+explain(err))
	}
	if body.fields == nil {
		return nil, Invalid(http.StatusBadRequest, "", "the body is not a JSON object: it is null")
	}
	return body, nil
}

// explain words an error of encoding/json without the Go types in it.
func explain(err error) string {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return "it is of type " + wrong.Value
	}
	return err.Error()
}

// nested returns how deeply b is nested, strings aside.
func nested(b []byte) (deepest int) {
	var depth int
	var quoted bool
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// Err returns the first error, of the objects inside too.
func (b *Body) Err() error {
	if b.root.err == nil {
		return nil
	}
	return b.root.err
}

// Fail notes an error of a field, if it is the first.
func (b *Body) Fail(status int, name, format string, args ...any) {
	path := b.path + name
	b.FailWith(Invalid(status, path, path+": "+fmt.Sprintf(format, args...)))
}

// FailWith notes an error, if it is the first.
func (b *Body) FailWith(e *Error) {
	if b.root.err == nil {
		b.root.err = e
	}
}

// Has reports whether a field is there and not null.
func (b *Body) Has(name string) bool {
	raw, ok := b.fields[name]
	return ok && string(raw) != "null"
}

// Kind returns how the value of a field begins: '"', '[', '{', 't', 'f', or '0'
// for a number; 0 where it is absent or null.
func (b *Body) Kind(name string) byte {
	if !b.Has(name) {
		return 0
	}
	switch c := b.fields[name][0]; c {
	case '"', '[', '{', 't', 'f':
		return c
	}
	return '0'
}

// Take returns a field and removes it from those of Rest; nil if it is absent
// or null.
func (b *Body) Take(name string) json.RawMessage {
	raw := b.fields[name]
	delete(b.fields, name)
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Rest returns the names of the fields that nothing has taken, in order, those
// of the objects inside too.
func (b *Body) Rest() []string {
	var names []string
	for name := range b.fields {
		if b.Has(name) { // null asks for nothing
			names = append(names, b.path+name)
		}
	}
	slices.Sort(names)
	for _, o := range b.inner {
		names = append(names, o.Rest()...)
	}
	return names
}

// Object returns the object in a field, nil if it is absent, null or no object.
func (b *Body) Object(name string) *Body {
	raw := b.Take(name)
	if raw == nil {
		return nil
	}
	return b.object(raw, name)
}

// Objects returns those in an array of at most n of them.
func (b *Body) Objects(name string, n int) []*Body {
	var list []json.RawMessage
	b.Value(name, "an array of objects", &list)
	if len(list) > n {
		b.Fail(b.Bounds, name, "%d of them, at most %d", len(list), n)
		return nil
	}
	var all []*Body
	for i, raw := range list {
		if o := b.object(raw, fmt.Sprintf("%s[%d]", name, i)); o != nil {
			all = append(all, o)
		}
	}
	return all
}

func (b *Body) object(raw json.RawMessage, name string) *Body {
	o := &Body{Bounds: b.Bounds, path: b.path + name + ".", root: b.root}
	if err := json.Unmarshal(raw, &o.fields); err != nil || o.fields == nil {
		b.Fail(http.StatusBadRequest, name, "want an object, got %s", kind(raw))
		return nil
	}
	b.inner = append(b.inner, o)
	return o
}

// Finish says what becomes of the fields that nothing has taken: they are named
// in a header of the answer, or, if strict, refused. It returns the first error.
func (b *Body) Finish(w http.ResponseWriter, strict bool) error {
	names := b.Rest()
	if len(names) == 0 {
		return b.Err()
	}
	if strict {
		b.FailWith(Invalid(http.StatusBadRequest, ascii(names[0]), "unknown fields: "+header(names)))
	}
	w.Header().Set("Minillm-Ignored-Fields", header(names))
	return b.Err()
}

// header joins names as a header may carry them, bounded.
func header(names []string) string {
	var s strings.Builder
	for i, name := range names {
		if s.Len() > 500 {
			s.WriteString(", ...")
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(ascii(name))
	}
	return s.String()
}

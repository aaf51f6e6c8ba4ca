package openai

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/http"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// stream sends pieces as server-sent events. The status is known with the first
// of them; a failure after it is an event of its own, without [DONE] after it.
func stream(w http.ResponseWriter, f form, pieces iter.Seq2[serve.Piece, error], s *settings) {
	e := &events{w: w}
	var u usage
	for p, err := range pieces {
		if err != nil {
			e.fail(err)
			return
		}
		if p.Usage != nil {
			u.add(&p, s.best)
		}
		if e.send(f.chunk(p)) != nil {
			return // nobody is there any more
		}
	}
	if s.usage && e.send(f.last(u)) != nil {
		return
	}
	e.raw([]byte("[DONE]"))
}

// events writes server-sent events.
type events struct {
	w      http.ResponseWriter
	sender *wire.Sender // nil until the first event
	buf    bytes.Buffer
}

// send sends v as an event.
func (e *events) send(v any) error {
	e.buf.Reset()
	enc := json.NewEncoder(&e.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return e.raw(bytes.TrimSuffix(e.buf.Bytes(), []byte("\n")))
}

func (e *events) raw(data []byte) error {
	if e.sender == nil {
		h := e.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // proxies in front should pass events on at once
		e.sender = wire.NewSender(e.w)
	}
	return e.sender.Send(append(append([]byte("data: "), data...), "\n\n"...))
}

// fail tells of an error: by a status if nothing was sent yet.
func (e *events) fail(err error) {
	if e.sender == nil {
		wire.WriteError(e.w, err)
		return
	}
	e.send(wire.From(err))
}

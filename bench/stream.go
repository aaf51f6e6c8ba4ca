package bench

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// stream reads the events of one answer.
type stream struct {
	lines    *lines
	chunk    chunk
	finished bool // a reason was given why the answer ended
	counted  int  // output tokens so far, where the server counts along
}

// read yields what comes until [DONE], and reports whether that was reached.
func (s *stream) read(yield func(Piece, error) bool) bool {
	for {
		line, err := s.lines.next()
		if err != nil {
			yield(Piece{}, s.broken(err))
			return false
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 {
			continue // a blank line, a comment, a field that carries no data
		}
		if string(data) == "[DONE]" {
			return yield(Piece{Done: true}, nil)
		}
		piece, err := s.piece(data)
		if !yield(piece, err) || err != nil {
			return false
		}
	}
}

// piece reads one event.
func (s *stream) piece(data []byte) (Piece, error) {
	if err := s.chunk.parse(data); err != nil {
		return Piece{}, err
	}
	c := &s.chunk
	s.finished = s.finished || c.finished
	p := Piece{Text: c.text, Usage: c.usage}
	if c.usage != nil && c.text != "" {
		p.Tokens = max(c.usage.OutputTokens-s.counted, 0)
		s.counted = c.usage.OutputTokens
	}
	return p, nil
}

// broken says what the end of a stream without [DONE] means.
func (s *stream) broken(err error) *Error {
	switch {
	case errors.Is(err, errLong):
		return failf(Malformed, "%w", err)
	case s.finished:
		return failf(NoDone, "the stream ended without [DONE]")
	case errors.Is(err, io.EOF):
		return failf(Hangup, "the stream ended in the middle of the answer")
	}
	return &Error{Kind: Hangup, Err: err}
}

// longest is the most bytes of a line: longer ones are no chunk of a stream.
const longest = 256 << 10

var errLong = errors.New("a line of more than 256 KiB")

// lines cuts a stream into lines.
type lines struct {
	r    *bufio.Reader
	long []byte // a line that did not fit into r
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 8<<10)} }

// next returns a line, valid until the next call. A last line may lack its end;
// one that a failure cut is not returned.
func (l *lines) next() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if err == nil && len(l.long) == 0 {
			return part, nil
		}
		l.long = append(l.long, part...)
		switch {
		case err == nil, err == io.EOF && len(l.long) > 0:
			return l.long, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		case len(l.long) > longest:
			return nil, errLong
		}
	}
}

package wire

import (
	"net/http"
	"time"
)

// Sender sends an answer piece by piece. A client that takes nothing for a
// while is given up, so that it does not keep its request alive for ever; an
// answer as a whole may take as long as it likes.
type Sender struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// NewSender returns a sender into w.
func NewSender(w http.ResponseWriter) *Sender {
	return &Sender{w, http.NewResponseController(w)}
}

// Send sends b at once. After an error there is nobody to send to.
func (s *Sender) Send(b []byte) error {
	s.rc.SetWriteDeadline(time.Now().Add(patience)) // not every writer has one
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.rc.Flush()
}

// SetPatience sets how long clients are waited for, for tests, and returns a
// function that sets it back. No request may be under way.
func SetPatience(d time.Duration) (restore func()) {
	before := patience
	patience = d
	return func() { patience = before }
}

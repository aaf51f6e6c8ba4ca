package batch

import "time"

// Finish says whether and how a sequence has ended.
type Finish uint8

const (
	Running   Finish = iota // not ended: it waits, or is being computed
	Length                  // Spec.Max, or the end of the cache or of the model's positions, is reached
	Stop                    // one of Spec.Stop was sampled, or by Stop
	Cancelled               // by Cancel, or removed from its policy
	Timeout                 // its deadline passed, or it waited too long
	Failed                  // Err says why
)

var finishes = [...]string{"running", "length", "stop", "cancelled", "timeout", "error"}

// String returns the name that clients see as finish_reason.
func (f Finish) String() string {
	if int(f) < len(finishes) {
		return finishes[f]
	}
	return "unknown"
}

// Finish returns whether and how the sequence has ended.
func (s *Sequence) Finish() Finish { return s.finish }

// Err returns why the sequence failed, or nil.
func (s *Sequence) Err() error { return s.err }

// Cancel ends the sequence as Cancelled; its policy gives the memory back at
// the next Schedule, or at once by Remove. The first end stands.
func (s *Sequence) Cancel() { s.end(Cancelled) }

// Stop ends the sequence as Stop: whoever reads its tokens found that its answer
// is whole, such as by a string in it. Like Cancel otherwise.
func (s *Sequence) Stop() { s.end(Stop) }

// Fail ends the sequence as Failed because of err. The first end stands.
func (s *Sequence) Fail(err error) {
	if s.end(Failed) {
		s.err = err
	}
}

// Expire ends the sequence as Timeout, at any moment. The first end stands.
func (s *Sequence) Expire() { s.end(Timeout) }

// Overdue reports whether the deadline has passed.
func (s *Sequence) Overdue(now time.Time) bool {
	return !s.spec.Deadline.IsZero() && now.After(s.spec.Deadline)
}

func (s *Sequence) end(f Finish) bool {
	if s.finish != Running {
		return false
	}
	s.finish = f
	return true
}

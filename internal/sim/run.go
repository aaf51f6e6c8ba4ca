// Package sim serves made-up requests in virtual time: the real policies, the
// real memory, and a model that computes nothing but lets as much time pass as a
// measured one would. So a hundred thousand requests take seconds, and which
// policy is better is a figure rather than an opinion.
package sim

import (
	"fmt"
	"iter"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
)

// System is what is compared: a policy over a paged cache.
type System struct {
	Name    string
	Policy  func(kvcache.Cache) batch.Policy
	Blocks  int
	Block   int  // positions in a block; 0 is the cache's default
	Private bool // nothing is shared
}

// shape is the least a position can take: only the bookkeeping is real.
var shape = kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 2}

// Run serves trace by system and reports what clients saw.
func Run(system System, trace Trace, cost Cost) (Report, error) {
	block := system.Block
	if block == 0 {
		block = paged.DefaultBlock
	}
	cache, err := paged.New(shape, paged.Options{Positions: system.Blocks * block, Block: block})
	if err != nil {
		return Report{}, err
	}
	next, done := iter.Pull(trace.All())
	defer done()
	s := server{
		trace: trace, share: !system.Private, cache: cache, policy: system.Policy(cache), next: next,
		model: clock{cost: cost}, live: map[*batch.Sequence]*client{}, report: Report{Name: system.Name},
	}
	s.runner = batch.NewRunner(&s.model)
	if err := s.run(); err != nil {
		return Report{}, fmt.Errorf("sim: %s: %w", system.Name, err)
	}
	return s.report, nil
}

// server is a simulation in progress.
type server struct {
	trace  Trace
	share  bool
	cache  *paged.Cache
	policy batch.Policy
	runner *batch.Runner
	model  clock

	next    func() (Request, bool)
	ahead   *Request // has not arrived yet
	arrived int
	live    map[*batch.Sequence]*client
	report  Report
}

// client waits for the tokens of one request.
type client struct {
	at   time.Duration // when it asked
	last time.Duration // when the last token came
	got  int           // tokens
}

func (s *server) run() error {
	epoch := time.Unix(0, 0)
	for s.arrivals() || len(s.live) > 0 {
		work := s.policy.Schedule(epoch.Add(s.model.now))
		if err := s.runner.Step(work); err != nil {
			return err
		}
		for _, w := range work {
			s.deliver(w.Seq)
		}
		switch {
		case len(work) > 0:
			s.report.Steps++
		case s.ahead != nil:
			s.model.now = s.ahead.At
		case len(s.live) > 0:
			return fmt.Errorf("%d requests wait and nothing runs", len(s.live))
		}
	}
	s.finish()
	return nil
}

// arrivals adds everybody who has come by now and reports whether more will.
func (s *server) arrivals() bool {
	for {
		if s.ahead == nil {
			r, ok := s.next()
			if !ok {
				return false
			}
			s.ahead = &r
		}
		if s.ahead.At > s.model.now {
			return true
		}
		s.add(*s.ahead)
		s.ahead = nil
	}
}

func (s *server) add(r Request) {
	seq := batch.NewSequence(s.trace.spec(r, s.arrived, s.share))
	s.arrived++
	if s.policy.Add(seq) != nil {
		s.report.Refused++
		return
	}
	s.live[seq] = &client{at: r.At}
}

// deliver hands a new token to its client.
func (s *server) deliver(seq *batch.Sequence) {
	c, now := s.live[seq], s.model.now
	if n := len(seq.Output()); n > c.got {
		if c.got == 0 {
			s.report.TTFT.add(now - c.at)
			s.report.prompts += seq.Prompt()
			s.report.cached += seq.Cached()
		} else {
			s.report.ITL.add(now - c.last)
		}
		c.got, c.last = n, now
	}
	if seq.Finish() != batch.Running {
		s.report.Output += c.got
		s.report.Served++
		delete(s.live, seq)
	}
}

func (s *server) finish() {
	s.policy.Schedule(time.Unix(0, 0).Add(s.model.now)) // gives the last memory back
	st := s.policy.Stats()
	s.report.Time = s.model.now
	s.report.Computed = s.model.tokens
	s.report.Preempted, s.report.Lost, s.report.Regained = st.Preempted, st.Lost, st.Regained
	s.report.Cache = s.cache.Stats()
}

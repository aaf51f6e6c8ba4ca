package scheduler

import (
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
)

// Config bounds what a step may hold. Zero values are the defaults.
type Config struct {
	MaxSeqs   int // sequences that have memory at once; 0 is 128, and never more than MaxTokens
	MaxTokens int // tokens in a step: the budget; 0 is 256, or one for each of MaxSeqs if they are more
	Watermark int // positions kept free when admitting, for those that run; 0 is a twelfth of the cache, negative none

	Aging        time.Duration // waiting so long is worth one class of priority; 0 is 10 s, negative never
	QueueTimeout time.Duration // a sequence that has not started by then ends as Timeout; 0 is never
}

func (c Config) withDefaults(cache kvcache.Cache) Config {
	if c.MaxTokens <= 0 {
		c.MaxTokens = max(256, c.MaxSeqs)
	}
	if c.MaxSeqs <= 0 {
		c.MaxSeqs = 128
	}
	c.MaxSeqs = min(c.MaxSeqs, c.MaxTokens)
	switch {
	case c.Watermark < 0 || c.Watermark == 0 && cache.Need(1) >= cache.Limit():
		c.Watermark = 0 // where a sequence has all it can need from the start, none has to be kept for it
	case c.Watermark == 0:
		c.Watermark = cache.Free() / 12
	}
	switch {
	case c.Aging == 0:
		c.Aging = 10 * time.Second
	case c.Aging < 0:
		c.Aging = never
	}
	return c
}

// never is longer than anybody waits, and small enough to be multiplied.
const never = 1 << 58 * time.Nanosecond

// Scheduler is the batch.Policy of a busy server. It belongs to the goroutine
// that schedules.
type Scheduler struct {
	cfg   Config
	cache kvcache.Cache
	unit  int // positions that are shared or not as a whole

	items   map[*batch.Sequence]*item
	fresh   []*item // added since the last step
	queue   queue
	running []*item // in the order of rank, then arrival
	parked  []*item // wait for a running one to compute what they share
	expiry  heap[*item]
	arrived uint64 // sequences added so far

	// The plan of a step.
	rest    int     // of the budget
	long    []*item // running, with more than one token pending, in order
	evicted bool    // memory ran out
	work    []batch.Work
	steps   int

	blocked blocked
	stats   batch.Stats
}

// item is a sequence and its place in the scheduler.
type item struct {
	seq   *batch.Sequence
	order uint64    // of arrival
	since time.Time // of arrival
	rank  int       // class in which it was admitted
	state state

	lane       *lane // of its class and tenant
	prev, next *item // in lane

	expires time.Time // zero: not in the heap of those that may
	at      int       // place in that heap

	leader *item // parked: whose prefix it waits for
	share  int   // parked: length of that prefix

	n       int // tokens planned in this step
	charged int // tokens its tenant paid for
	lost    int // computed tokens given up at the last preemption
}

type state uint8

const (
	fresh state = iota
	waiting
	parked
	running
	gone
)

// New returns a scheduler that admits into c.
func New(c kvcache.Cache, cfg Config) *Scheduler {
	s := &Scheduler{cfg: cfg.withDefaults(c), cache: c, unit: c.Need(1), items: map[*batch.Sequence]*item{}}
	s.queue.init(s.cfg.Aging)
	s.expiry = heap[*item]{
		less:  func(a, b *item) bool { return a.expires.Before(b.expires) },
		moved: func(it *item, i int) { it.at = i },
	}
	return s
}

// Config returns the configuration with its defaults filled in.
func (s *Scheduler) Config() Config { return s.cfg }

// Add takes a sequence, which waits from the next Schedule on. It returns
// batch.ErrTooLong or batch.ErrEmpty for one that could never be computed.
func (s *Scheduler) Add(seq *batch.Sequence) error {
	if err := seq.Fits(s.cache); err != nil {
		return err
	}
	if s.items[seq] != nil {
		panic("scheduler: sequence added twice")
	}
	it := &item{seq: seq, order: s.arrived, at: -1}
	s.arrived++
	it.lane = s.queue.lane(seq.Spec())
	s.items[seq] = it
	s.fresh = append(s.fresh, it)
	return nil
}

// Remove cancels a sequence at any moment between steps and gives its memory
// back.
func (s *Scheduler) Remove(seq *batch.Sequence) {
	seq.Cancel()
	if it := s.items[seq]; it != nil {
		s.drop(it)
	}
}

// Stats returns the counters. Waiting includes those that wait for another's
// prefix.
func (s *Scheduler) Stats() batch.Stats {
	st := s.stats
	st.Running = len(s.running)
	st.Waiting = len(s.items) - st.Running
	return st
}

// drop forgets it, wherever it is, and gives its memory back.
func (s *Scheduler) drop(it *item) {
	switch it.state {
	case waiting:
		s.queue.remove(it)
	case parked:
		s.parked = without(s.parked, it)
	case running:
		s.running = without(s.running, it)
	}
	s.forget(it)
}

// forget clears the traces of it, except for the list of its state, and gives
// its memory back.
func (s *Scheduler) forget(it *item) {
	it.state = gone
	if it.at >= 0 {
		s.expiry.remove(it.at)
	}
	s.queue.leave(it.lane.tenant)
	delete(s.items, it.seq)
	it.seq.Evict() // last: should the cache panic, nothing is half done here
}

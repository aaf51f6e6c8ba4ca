package scheduler

import (
	"time"

	"example.com/minillm/batch"
)

// classes is the number of priority classes: -8, which goes first, to 7.
// Priorities beyond count as the nearest.
const classes = 16

// queue holds those that wait, by class of priority and tenant. Neither waiting
// nor being served moves anything in it: a sequence's place is decided when it
// comes and when it goes, so that the cost of a step does not grow with the
// number of those that wait.
type queue struct {
	aging   time.Duration
	classes [classes]class
	n       int
	tenants
}

// class holds its lanes twice: by whose turn it is, and by who waits longest.
type class struct {
	fair heap[*lane]
	age  heap[*lane]
}

// lane is the sequences of one tenant in one class, in order of arrival.
type lane struct {
	tenant      *tenant
	class       int
	first, last *item
	usage       float64 // of tenant when last looked at; it has only grown since
	fair, age   int     // places in the heaps of the class
}

func (q *queue) init(aging time.Duration) {
	q.aging = aging
	q.tenants.init()
	for i := range q.classes {
		c := &q.classes[i]
		c.fair = heap[*lane]{less: fairer, moved: func(l *lane, i int) { l.fair = i }}
		c.age = heap[*lane]{less: older, moved: func(l *lane, i int) { l.age = i }}
	}
}

func fairer(a, b *lane) bool {
	if a.usage != b.usage {
		return a.usage < b.usage
	}
	return older(a, b)
}

func older(a, b *lane) bool { return a.first.order < b.first.order }

// lane returns the lane for spec, whose tenant gets one sequence more.
func (q *queue) lane(spec *batch.Spec) *lane {
	t := q.join(spec.Tenant, spec.Weight)
	i := min(max(spec.Priority, -classes/2), classes/2-1) + classes/2
	if t.lanes[i] == nil {
		t.lanes[i] = &lane{tenant: t, class: i}
	}
	return t.lanes[i]
}

// insert puts it in its lane in order of arrival: mostly at the end, after a
// preemption near the head.
func (q *queue) insert(it *item) {
	q.n++
	it.state = waiting
	l := it.lane
	switch {
	case l.first == nil:
		l.first, l.last = it, it
		q.open(l)
		return
	case l.last.order < it.order:
		it.prev, l.last.next, l.last = l.last, it, it
		return
	}
	next := l.first
	for next.order < it.order {
		next = next.next
	}
	it.prev, it.next, next.prev = next.prev, next, it
	if it.prev != nil {
		it.prev.next = it
		return
	}
	l.first = it
	q.fix(l)
}

// remove takes it out of its lane.
func (q *queue) remove(it *item) {
	q.n--
	l, head := it.lane, it.prev == nil
	if it.next != nil {
		it.next.prev = it.prev
	} else {
		l.last = it.prev
	}
	if !head {
		it.prev.next = it.next
	} else {
		l.first = it.next
	}
	it.prev, it.next = nil, nil
	switch {
	case l.first == nil:
		q.close(l)
	case head:
		q.fix(l)
	}
}

func (q *queue) open(l *lane) {
	l.usage = l.tenant.usage
	q.classes[l.class].fair.push(l)
	q.classes[l.class].age.push(l)
}

func (q *queue) close(l *lane) {
	q.classes[l.class].fair.remove(l.fair)
	q.classes[l.class].age.remove(l.age)
}

func (q *queue) fix(l *lane) {
	q.classes[l.class].fair.fix(l.fair)
	q.classes[l.class].age.fix(l.age)
}

// next returns whose turn it is, nil when nobody waits, and the class it goes
// in: the first one that has anybody. Of each later class the sequence that
// waits longest may have risen to it; among those that meet there, the tenant
// with the fewest tokens goes first, then the one that came first.
func (q *queue) next(now time.Time) (it *item, rank int) {
	for i := range q.classes {
		c := &q.classes[i]
		if len(c.age.list) == 0 {
			continue
		}
		if it == nil {
			it, rank = c.fairest().first, i
			continue
		}
		old := c.age.list[0].first
		if now.Sub(old.since)/q.aging >= time.Duration(i-rank) && before(old, it) {
			it = old
		}
	}
	return it, rank
}

func before(a, b *item) bool {
	if x, y := a.lane.tenant.usage, b.lane.tenant.usage; x != y {
		return x < y
	}
	return a.order < b.order
}

// fairest returns the lane whose tenant has had the fewest tokens. Usage only
// grows, so a lane's old figure puts it too far forward, never too far back: it
// is enough to correct the first until it stays the first.
func (c *class) fairest() *lane {
	for {
		l := c.fair.list[0]
		if l.usage == l.tenant.usage {
			return l
		}
		l.usage = l.tenant.usage
		c.fair.fix(0)
	}
}

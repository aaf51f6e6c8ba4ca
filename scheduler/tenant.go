package scheduler

// tenants share what is computed, each by its weight: weighted fair queueing.
type tenants struct {
	byName  map[string]*tenant
	idle    []*tenant // have no sequence, oldest first; their usage is remembered for a while
	weights float64   // of those that have one
	virtual float64   // what a tenant of weight 1 that was always there has had
}

// tenant is one of those that share, and what it has had.
type tenant struct {
	name   string
	seqs   int // that wait or run
	weight float64
	usage  float64 // tokens computed for it, divided by its weight
	lanes  [classes]*lane
}

// remembered is how many idle tenants keep their usage.
const remembered = 1024

func (t *tenants) init() { t.byName = map[string]*tenant{} }

// join returns the tenant of that name, which has one sequence more. One that
// was away comes back without credit for the time: what it did not use is gone.
func (t *tenants) join(name string, weight float64) *tenant {
	x := t.byName[name]
	if x == nil {
		x = &tenant{name: name}
		t.byName[name] = x
	}
	if x.seqs++; x.seqs == 1 {
		x.usage = max(x.usage, t.virtual)
		t.idle = without(t.idle, x)
	} else {
		t.weights -= x.weight
	}
	if !(weight > 0) {
		weight = 1
	}
	x.weight = weight
	t.weights += weight
	return x
}

// leave says that a sequence of x has ended.
func (t *tenants) leave(x *tenant) {
	if x.seqs--; x.seqs > 0 {
		return
	}
	t.weights -= x.weight
	t.idle = append(t.idle, x)
	if len(t.idle) == len(t.byName) {
		t.reset()
	} else if len(t.idle) > remembered {
		delete(t.byName, t.idle[0].name)
		t.idle = append(t.idle[:0], t.idle[1:]...)
	}
}

// reset forgets everybody: nobody waits or runs, so nobody is owed anything.
func (t *tenants) reset() {
	clear(t.byName)
	clear(t.idle)
	t.idle, t.weights, t.virtual = t.idle[:0], 0, 0
}

// charge notes n tokens computed for x.
func (t *tenants) charge(x *tenant, n int) {
	x.usage += float64(n) / x.weight
	t.virtual += float64(n) / t.weights
}

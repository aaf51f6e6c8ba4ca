package par

// released is the panic that unwinds the workers of a region in which another
// worker has panicked. It never leaves this package.
var released any = new(int)

// serve is the life of a worker's goroutine: one region after another.
func (w *Worker) serve() {
	t := w.team
	w.regions++
	w.wait(&t.started, w.regions, false)
	f := t.f
	closing := false
	defer func() {
		// After runtime.Goexit in f this goroutine is lost and another
		// takes its place.
		if !closing {
			go w.serve()
		}
	}()
	for f != nil {
		w.finish(f)
		w.regions++
		w.wait(&t.started, w.regions, false)
		f = t.f
	}
	closing = true
	w.leave()
}

// finish runs f and counts the region as left, however f ends.
func (w *Worker) finish(f func(*Worker)) {
	defer w.leave()
	w.call(f)
}

// leave tells the caller of Run that this worker is done.
func (w *Worker) leave() {
	t := w.team
	if t.ended.Add(1) == w.regions*uint32(w.N-1) {
		t.unpark(t.workers[:1])
	}
}

// call runs f and turns a panic into the team's failure.
func (w *Worker) call(f func(*Worker)) {
	whole := false
	defer func() {
		if !whole {
			w.fail(recover())
		}
	}()
	f(w)
	whole = true
}

// fail records why f did not return and releases all who wait at a barrier.
// A nil value means runtime.Goexit: panics are never nil.
func (w *Worker) fail(value any) {
	t := w.team
	if value == nil && w.ID == 0 {
		value = released // the caller itself is leaving: nobody to tell
	} else if value == nil {
		value = "par: worker called runtime.Goexit"
	}
	t.failure.CompareAndSwap(nil, &failure{value})
	t.unpark(t.workers)
}

// Barrier returns when all workers of the team have called it as often as this
// one. What a worker wrote before it, all others see after it. Every worker
// has to come to every barrier of a region.
func (w *Worker) Barrier() {
	t := w.team
	w.meets += uint32(w.N)
	if t.arrived.Add(1) == w.meets {
		t.unpark(t.workers)
		return
	}
	w.wait(&t.arrived, w.meets, true)
}

// Share returns this worker's part [lo,hi) of [0,n), as the division into N
// parts of nearly the same length whose inner borders are multiples of grain
// gives it. The part may be empty. Grain must be positive.
func (w *Worker) Share(n, grain int) (lo, hi int) {
	units := (n + grain - 1) / grain
	lo = units * w.ID / w.N * grain
	hi = units * (w.ID + 1) / w.N * grain
	return min(lo, n), min(hi, n)
}

package scheduler

// follow reports whether a running sequence is computing blocks that it could
// share. If it started now it would compute them once more, and not sooner.
func (s *Scheduler) follow(it *item) bool {
	for _, leader := range s.long {
		if leader.state != running {
			continue
		}
		share := it.seq.Common(leader.seq) / s.unit * s.unit
		if share > leader.seq.Computed() {
			it.leader, it.share = leader, share
			return true
		}
	}
	return false
}

// park lets it wait for its leader, out of the way of the others.
func (s *Scheduler) park(it *item) {
	it.state = parked
	s.parked = append(s.parked, it)
}

// unpark puts those back in the queue whose leaders have computed what they
// share, or have stopped.
func (s *Scheduler) unpark() {
	kept := s.parked[:0]
	for _, it := range s.parked {
		if it.leader.state == running && it.leader.seq.Computed() < it.share {
			kept = append(kept, it)
			continue
		}
		it.leader = nil
		s.queue.insert(it)
	}
	clear(s.parked[len(kept):])
	s.parked = kept
}

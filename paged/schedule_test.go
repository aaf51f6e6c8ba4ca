package paged

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// world is a cache and, beside it, a naive model of the whole: blocks with
// reference counts, a free list, and an index that compares everything.
type world struct {
	*testing.T
	cache  *Cache
	blocks *naive
	index  naiveIndex
	live   []*modelled
	stats  counts
}

// modelled is a table and what it should be.
type modelled struct {
	*Table
	prompt []int32
	salt   string
	ids    []int32
	grown  int
	chain  []*entry // publications of its first blocks
}

const blockSize = 16

// prompts share beginnings of one and two blocks, and all of one.
var prompts = func() [][]int32 {
	base := count(0, 6*blockSize)
	fork := func(at int) []int32 {
		p := slices.Clone(base)
		p[at] = -1
		return p
	}
	return [][]int32{base, fork(3), fork(20), fork(40), base[:40], base[:blockSize]}
}()

// runSchedule does what data says: sequences begin, compute, are preempted,
// resume and end in a pool that is too small for them.
func runSchedule(t *testing.T, hash Hash, data []byte) {
	if len(data) == 0 {
		return
	}
	n := int(data[0])%9 + 2
	w := &world{T: t, cache: mustNew(t, small, Options{Positions: n * blockSize, Block: blockSize, Hash: hash}), blocks: newNaive(n), index: naiveIndex{}}
	for ; len(data) >= 3; data = data[3:] {
		switch op := data[0] % 8; {
		case len(w.live) == 0 || op == 0:
			w.open(prompts[int(data[1])%len(prompts)], []string{"", "s"}[data[2]%2])
		case op < 3:
			w.close(int(data[1]) % len(w.live))
		default:
			w.compute(w.live[int(data[1])%len(w.live)], int(data[2])%60)
		}
		w.check()
	}
	for len(w.live) > 0 {
		w.close(len(w.live) - 1)
		w.check()
	}
	if s := w.cache.Stats(); s.Free != n || s.Unused != 0 || s.Shared != 0 {
		t.Fatalf("at the end: %+v", s)
	}
}

func (w *world) open(prompt []int32, salt string) {
	m := &modelled{prompt: prompt, salt: salt}
	var parent *entry
	most := (len(prompt) - 1) / blockSize
	for i := range most {
		e := w.index.find(parent, salt, prompt[i*blockSize:(i+1)*blockSize])
		if e == nil {
			w.stats.misses += most - i
			break
		}
		w.stats.hits++
		w.blocks.retain(e.id)
		m.ids, m.chain, parent = append(m.ids, e.id), append(m.chain, e), e
	}
	m.grown = len(m.ids) * blockSize
	r, found, err := w.cache.Open(prompt, salt)
	if err != nil || found != m.grown {
		w.Fatalf("Open found %d, %v; want %d", found, err, m.grown)
	}
	m.Table = r.(*Table)
	w.live = append(w.live, m)
}

// compute grows a sequence by up to n tokens and publishes them.
func (w *world) compute(m *modelled, n int) {
	to := min(m.grown+n, len(m.prompt))
	want := (to + blockSize - 1) / blockSize
	ids, ok := w.blocks.alloc(want - len(m.ids))
	if err := m.Grow(to); (err == nil) != ok {
		w.Fatalf("Grow(%d): %v, want success %v", to, err, ok)
	}
	if !ok {
		return
	}
	for _, id := range ids {
		if w.index[id] != nil {
			w.stats.evictions++
		}
		delete(w.index, id)
	}
	m.ids, m.grown = append(m.ids, ids...), to
	for i := len(m.chain); i < to/blockSize; i++ {
		m.chain = append(m.chain, w.publish(m, i))
	}
	m.Publish(m.prompt[:to])
}

func (w *world) publish(m *modelled, i int) *entry {
	var parent *entry
	if i > 0 {
		parent = m.chain[i-1]
	}
	tokens := m.prompt[i*blockSize : (i+1)*blockSize]
	e := w.index.find(parent, m.salt, tokens)
	if e == nil {
		return w.index.add(m.ids[i], parent, m.salt, tokens)
	}
	w.blocks.retain(e.id)
	w.blocks.release(m.ids[i])
	m.ids[i] = e.id
	return e
}

func (w *world) close(i int) {
	m := w.live[i]
	for _, id := range slices.Backward(m.ids) {
		w.blocks.release(id)
	}
	m.Close()
	w.live = slices.Delete(w.live, i, i+1)
}

func (w *world) check() {
	w.Helper()
	w.blocks.check(w.T, w.cache.blocks)
	want := Stats{
		Blocks: len(w.blocks.refs), Used: len(w.blocks.refs) - len(w.blocks.free), Shared: w.blocks.shared(),
		Free: len(w.blocks.free), HighWater: w.blocks.high, Size: blockSize,
		Hits: w.stats.hits, Misses: w.stats.misses, Evictions: w.stats.evictions,
	}
	for _, id := range w.blocks.free {
		if w.index[id] != nil {
			want.Cached++
		}
	}
	references := 0
	for _, m := range w.live {
		want.Unused += len(m.ids)*blockSize - m.grown
		references += len(m.ids)
		if !slices.Equal(m.Blocks(), m.ids) {
			w.Fatalf("block table %v, want %v", m.Blocks(), m.ids)
		}
	}
	for _, refs := range w.blocks.refs {
		references -= refs
	}
	if got := w.cache.Stats(); got != want || references != 0 {
		w.Fatalf("stats %+v, want %+v; %d references of nobody", got, want, -references)
	}
}

func TestSchedulesAgainstModel(t *testing.T) {
	for name, hash := range hashes {
		t.Run(fmt.Sprintf("hash=%s", name), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			schedules := 3400 // with three hashes more than 10,000
			if testing.Short() {
				schedules = 300
			}
			for range schedules {
				runSchedule(t, hash, randomBytes(r, 100))
			}
		})
	}
}

func FuzzSchedule(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 3, 0, 59, 0, 0, 0, 3, 1, 59, 1, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) { runSchedule(t, nil, data) })
}

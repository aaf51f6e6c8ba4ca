package paged

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/kvcache"
)

// naive is the allocator as one would explain it.
type naive struct {
	refs []int
	free []int32 // least recently used first
	high int
}

func newNaive(n int) *naive {
	m := &naive{refs: make([]int, n)}
	for id := range n {
		m.free = append(m.free, int32(id))
	}
	return m
}

func (m *naive) alloc(n int) ([]int32, bool) {
	if n > len(m.free) {
		return nil, false
	}
	ids := slices.Clone(m.free[:n])
	m.free = m.free[n:]
	for _, id := range ids {
		m.refs[id] = 1
	}
	m.high = max(m.high, len(m.refs)-len(m.free))
	return ids, true
}

func (m *naive) retain(id int32) {
	if i := slices.Index(m.free, id); i >= 0 {
		m.free = slices.Delete(slices.Clone(m.free), i, i+1)
	}
	m.refs[id]++
	m.high = max(m.high, len(m.refs)-len(m.free))
}

func (m *naive) release(id int32) {
	if m.refs[id]--; m.refs[id] == 0 {
		m.free = append(m.free, id)
	}
}

func (m *naive) shared() (n int) {
	for _, r := range m.refs {
		if r > 1 {
			n++
		}
	}
	return n
}

// check compares everything that can be seen, and the free list by walking it.
func (m *naive) check(t *testing.T, a *Allocator) {
	t.Helper()
	if a.Free() != len(m.free) || a.Shared() != m.shared() || a.HighWater() != m.high {
		t.Fatalf("free %d shared %d high water %d; want %d, %d, %d", a.Free(), a.Shared(), a.HighWater(), len(m.free), m.shared(), m.high)
	}
	for id, refs := range m.refs {
		if a.Refs(int32(id)) != refs {
			t.Fatalf("block %d has %d references, want %d", id, a.Refs(int32(id)), refs)
		}
	}
	var list []int32
	for id := a.fresh; id < a.Len(); id++ {
		list = append(list, int32(id))
	}
	for link := a.head; link != 0; link = a.blocks[link-1].next {
		list = append(list, link-1)
	}
	if !slices.Equal(list, m.free) {
		t.Fatalf("free list %v, want %v", list, m.free)
	}
}

// runAllocator does what data says on both, as long as it makes sense.
func runAllocator(t *testing.T, data []byte) {
	if len(data) == 0 {
		return
	}
	n := int(data[0])%12 + 1
	a, m := NewAllocator(n), newNaive(n)
	for ; len(data) >= 2; data = data[2:] {
		id := int32(data[1]) % int32(n)
		switch data[0] % 4 {
		case 0:
			count := int(data[1]) % (n + 2)
			got, err := a.Alloc(nil, count)
			want, ok := m.alloc(count)
			if !slices.Equal(got, want) || ok != (err == nil) || !ok && !errors.Is(err, kvcache.ErrFull) {
				t.Fatalf("Alloc(%d): %v, %v; want %v", count, got, err, want)
			}
		case 1:
			if int(id) < a.fresh {
				a.Retain(id)
				m.retain(id)
			}
		default:
			if m.refs[id] > 0 {
				a.Release(id)
				m.release(id)
			}
		}
		m.check(t, a)
	}
}

func TestAllocatorAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		runAllocator(t, randomBytes(r, 60))
	}
}

func FuzzAllocator(f *testing.F) {
	f.Add([]byte{3, 0, 2, 1, 0, 2, 0, 0, 1})
	f.Fuzz(runAllocator)
}

func randomBytes(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func TestAllocatorPanicsByName(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Allocator)
		want string
	}{
		{"double free", func(a *Allocator) { a.Release(1); a.Release(1) }, "block 1 released, but free: a double free"},
		{"never allocated", func(a *Allocator) { a.Release(2) }, "block 2 released, but free"},
		{"retained unborn", func(a *Allocator) { a.Retain(2) }, "block 2 retained, but never allocated"},
		{"too high", func(a *Allocator) { a.Release(9) }, "no block 9 among 3"},
		{"negative", func(a *Allocator) { a.Retain(-1) }, "no block -1 among 3"},
	} {
		a := NewAllocator(3)
		if _, err := a.Alloc(nil, 2); err != nil {
			t.Fatal(err)
		}
		got := panicOf(func() { c.do(a) })
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: panic %q, want %q", c.name, got, c.want)
		}
		for id := range int32(3) {
			if a.Refs(id) < 0 {
				t.Errorf("%s: block %d has %d references", c.name, id, a.Refs(id))
			}
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestAllocatorDoesNotAllocate(t *testing.T) {
	a := NewAllocator(1000)
	ids := make([]int32, 0, 1000)
	n := testing.AllocsPerRun(100, func() {
		ids, _ = a.Alloc(ids[:0], 600)
		if _, err := a.Alloc(ids, 600); err == nil {
			t.Fatal("1,200 blocks of 1,000")
		}
		for _, id := range ids {
			a.Release(id)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

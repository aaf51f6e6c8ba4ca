package paged

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func constant(uint64, []int32) uint64 { return 42 }

// hashes are the good one, the worst one and one in between: results must not differ.
var hashes = map[string]Hash{
	"good":     nil,
	"constant": constant,
	"poor":     func(parent uint64, tokens []int32) uint64 { return uint64(tokens[0]) % 3 },
}

func TestHashDependsOnEveryPosition(t *testing.T) {
	hash := newHash()
	tokens := make([]int32, 64)
	for i := range tokens {
		tokens[i] = int32(i % 7)
	}
	seen := map[uint64]string{hash(1, tokens): "the block itself", hash(2, tokens): "another parent"}
	if len(seen) != 2 {
		t.Error("the hash ignores the parent")
	}
	for i := range tokens {
		for _, delta := range []int32{1, -1, 1 << 30} {
			tokens[i] += delta
			h := hash(1, tokens)
			if other, ok := seen[h]; ok {
				t.Errorf("token %d changed by %d hashes like %s", i, delta, other)
			}
			seen[h] = fmt.Sprintf("token %d changed by %d", i, delta)
			tokens[i] -= delta
		}
	}
	tokens[3], tokens[4] = tokens[4], tokens[3]
	if _, ok := seen[hash(1, tokens)]; ok {
		t.Error("two tokens in the other order hash alike")
	}
}

// entry is what a naive index keeps of a published block.
type entry struct {
	parent *entry // nil at the root
	salt   string
	tokens []int32
	id     int32
	serial uint64
}

// naiveIndex finds by looking at all of them.
type naiveIndex map[int32]*entry

func (m naiveIndex) find(parent *entry, salt string, tokens []int32) *entry {
	for _, e := range m {
		if e.parent == parent && slices.Equal(e.tokens, tokens) && (parent != nil || e.salt == salt) {
			return e
		}
	}
	return nil
}

func (m naiveIndex) add(id int32, parent *entry, salt string, tokens []int32) *entry {
	e := &entry{parent: parent, salt: salt, tokens: tokens, id: id}
	m[id] = e
	return e
}

// runIndex publishes, removes and looks up what data says in both.
func runIndex(t *testing.T, hash Hash, data []byte) {
	const blocks, size = 8, 16
	x, m := newIndex(blocks, size, hash), naiveIndex{}
	for ; len(data) >= 4; data = data[4:] {
		id := int32(data[0] % blocks)
		parent := m[int32(data[1]%(blocks+2))] // often none
		serial := uint64(0)
		if parent != nil {
			serial = parent.serial
		}
		salt := []string{"", "a", "b"}[data[2]%3]
		tokens := make([]int32, size)
		tokens[data[3]%size] = int32(data[3] >> 6)

		got, want := x.find(serial, salt, tokens), int32(-1)
		if e := m.find(parent, salt, tokens); e != nil {
			want = e.id
		}
		if got != want {
			t.Fatalf("find after %d under %q: %d, want %d", serial, salt, got, want)
		}
		if m[id] != nil {
			x.remove(id)
			delete(m, id)
		} else if got < 0 {
			x.add(id, serial, salt, tokens)
			m.add(id, parent, salt, tokens).serial = x.serial(id)
		}
		if x.len != len(m) {
			t.Fatalf("%d published, want %d", x.len, len(m))
		}
	}
	for id := range m {
		x.remove(id)
	}
	if x.len != 0 || len(x.salts) != 0 {
		t.Fatalf("an empty index still has %d blocks and salts %v", x.len, x.salts)
	}
}

func TestIndexAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			for range 500 {
				runIndex(t, hash, randomBytes(r, 400))
			}
		})
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte{0, 9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hash := range hashes {
			runIndex(t, hash, data)
		}
	})
}

// A parent's id may be reused; its children must not be found under the stranger.
func TestChildrenOfReusedBlockAreUnreachable(t *testing.T) {
	x := newIndex(4, 16, nil)
	a, b := make([]int32, 16), make([]int32, 16)
	b[0] = 1
	x.add(0, 0, "", a)
	x.add(1, x.serial(0), "", a)
	x.remove(0)
	x.add(0, 0, "", b) // a stranger in the same block
	if id := x.find(x.serial(0), "", a); id >= 0 {
		t.Errorf("block %d hangs under a stranger", id)
	}
	x.remove(0)
	x.add(0, 0, "", a) // the same tokens again: the child is of another time
	if id := x.find(x.serial(0), "", a); id >= 0 {
		t.Errorf("block %d outlived its parent", id)
	}
	x.remove(1) // unreachable, and still removable
	if x.len != 1 {
		t.Errorf("%d published, want 1", x.len)
	}
}

func TestIndexDoesNotAllocate(t *testing.T) {
	x := newIndex(64, 32, nil)
	tokens := make([]int32, 32)
	n := testing.AllocsPerRun(100, func() {
		parent := uint64(0)
		for id := range int32(64) {
			tokens[5] = id
			if x.find(parent, "", tokens) < 0 {
				x.add(id, parent, "", tokens)
			}
			parent = x.serial(id)
		}
		for id := range int32(64) {
			x.remove(id)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

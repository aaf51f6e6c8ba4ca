package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
)

// formats are the number formats of weights.
var formats = []quant.Type{
	quant.F32, quant.F16, quant.BF16, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.Q8_0,
	quant.Q4_K, quant.Q5_K, quant.Q6_K,
}

// tinyConfig is a tiny model that has room for a format's blocks.
func tinyConfig(arch string, t quant.Type) tiny.Config {
	c := tiny.Config{Arch: arch, Type: t, Context: 1024}
	if t.BlockSize() == 256 {
		c.Dim, c.FFN, c.HeadDim = 256, 256, 64
	}
	return c
}

func loadTiny(t testing.TB, c tiny.Config, o Options) *Model {
	t.Helper()
	m, err := LoadBytes(tiny.GGUF(c), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// rows is the format of keys and values that goes with a path.
func (m *Model) rows() kvcache.Format {
	if m.options.Reference {
		return kvcache.F32
	}
	return kvcache.I16
}

// blocks is memory whose spans end after every size positions, as if they
// lay apart.
type blocks struct {
	kvcache.KV
	size int
}

func (b blocks) Span(layer, head, pos int) kvcache.Span {
	s := b.KV.Span(layer, head, pos)
	if n := b.size - pos%b.size; n < s.N {
		s.N = n
	}
	return s
}

// sequence is a text that is computed piece by piece.
type sequence struct {
	ids    []int32
	kv     kvcache.KV
	done   int
	logits []float32 // [len(ids)][vocab]
	hidden []float32 // [len(ids)][dim]
}

func newSequence(t testing.TB, m *Model, rng *rand.Rand, n int) *sequence {
	s := &sequence{ids: make([]int32, n)}
	for i := range s.ids {
		s.ids[i] = rng.Int32N(int32(m.VocabSize()))
	}
	s.restart(t, m)
	return s
}

// restart forgets what was computed.
func (s *sequence) restart(t testing.TB, m *Model) {
	s.kv = newKV(t, m, len(s.ids), m.rows())
	s.done = 0
	s.logits = make([]float32, len(s.ids)*m.VocabSize())
	s.hidden = make([]float32, len(s.ids)*m.Dim())
}

// next is a chunk of the next n tokens that asks for everything.
func (s *sequence) next(m *Model, n int) Chunk {
	lo, hi := s.done, s.done+n
	s.done = hi
	return Chunk{
		Tokens: s.ids[lo:hi], Pos: lo, KV: s.kv,
		Logits: s.logits[lo*m.VocabSize() : hi*m.VocabSize()],
		Hidden: s.hidden[lo*m.Dim() : hi*m.Dim()],
	}
}

func sameBits(t *testing.T, got, want *sequence) {
	t.Helper()
	for name, rows := range map[string][2][]float32{"logits": {got.logits, want.logits}, "hidden": {got.hidden, want.hidden}} {
		for i, x := range rows[0] {
			if x != rows[1][i] {
				n := len(rows[0]) / len(got.ids)
				t.Fatalf("%s of token %d of %d: number %d is %v, alone %v", name, i/n, len(got.ids), i%n, x, rows[1][i])
			}
		}
	}
}

// TestCompany computes texts in random ragged batches, with any number of
// workers: every bit is as it is alone and at once.
func TestCompany(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, arch := range []string{"llama", "qwen2", "qwen3", "gemma3"} {
		for _, format := range formats {
			if arch != "llama" && format != quant.Q8_0 {
				continue
			}
			for _, reference := range []bool{false, true} {
				name := fmt.Sprintf("%s/%v/reference=%v", arch, format, reference)
				t.Run(name, func(t *testing.T) { testCompany(t, tinyConfig(arch, format), reference) })
			}
		}
	}
}

func testCompany(t *testing.T, c tiny.Config, reference bool) {
	rng := rand.New(rand.NewPCG(1, uint64(c.Type)))
	alone := loadTiny(t, c, Options{Reference: reference, Threads: 1})
	var want []*sequence
	lengths := []int{1, 2, 17, 40, stretch + 14}
	if c.Arch == "gemma3" {
		lengths[4] = 400 // a window that begins in the second stretch
	}
	for _, n := range lengths {
		s := newSequence(t, alone, rng, n)
		forward(t, alone, s.next(alone, n))
		want = append(want, s)
	}
	if rows := want[4].logits; slices.Max(rows) == slices.Min(rows) {
		t.Fatal("all logits are equal")
	}
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for threads := 1; threads <= 3; threads++ {
		m := loadTiny(t, c, Options{Reference: reference, Threads: threads})
		for range rounds {
			for i, s := range together(t, m, want, rng) {
				sameBits(t, s, want[i])
			}
		}
	}
}

// together computes texts in steps of random chunks of some of them.
func together(t *testing.T, m *Model, texts []*sequence, rng *rand.Rand) []*sequence {
	var all, left []*sequence
	for _, s := range texts {
		fresh := &sequence{ids: s.ids}
		fresh.restart(t, m)
		fresh.kv = blocks{fresh.kv, kvcache.Group << rng.IntN(4)}
		all = append(all, fresh)
	}
	left = append(left, all...)
	for len(left) > 0 {
		rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		var batch []Chunk
		for _, s := range left[:1+rng.IntN(len(left))] {
			n := len(s.ids) - s.done
			if rng.IntN(4) > 0 {
				n = min(n, 1<<rng.IntN(8))
			}
			batch = append(batch, s.next(m, n))
		}
		forward(t, m, batch...)
		left = slices.DeleteFunc(left, func(s *sequence) bool { return s.done == len(s.ids) })
	}
	return all
}

// TestRowFormats computes with rows of every format: the results are those of
// float32 rows, nearly.
func TestRowFormats(t *testing.T) {
	m := loadTiny(t, tinyConfig("gemma3", quant.Q8_0), Options{Reference: true})
	rng := rand.New(rand.NewPCG(11, 12))
	exact := newSequence(t, m, rng, 300)
	exact.kv = newKV(t, m, 300, kvcache.F32)
	forward(t, m, exact.next(m, 300))
	for _, test := range []struct {
		format kvcache.Format
		near   float64 // mean of the differences of logits, which deviate by about 4
	}{{kvcache.Q8, 0.25}, {kvcache.I16, 0.003}} {
		whole := &sequence{ids: exact.ids}
		whole.restart(t, m)
		whole.kv = newKV(t, m, 300, test.format)
		forward(t, m, whole.next(m, 300))
		sum := 0.0
		for i, x := range whole.logits {
			sum += math.Abs(float64(x - exact.logits[i]))
		}
		if mean := sum / float64(len(whole.logits)); mean > test.near || mean == 0 {
			t.Errorf("%v: logits differ by %.4f", test.format, mean)
		}
		for range 2 {
			cut := &sequence{ids: exact.ids}
			cut.restart(t, m)
			cut.kv = blocks{newKV(t, m, 300, test.format), 32}
			for cut.done < 300 {
				forward(t, m, cut.next(m, min(1+rng.IntN(50), 300-cut.done)))
			}
			sameBits(t, cut, whole)
		}
	}
}

// TestTokenByToken decodes a text one token a step.
func TestTokenByToken(t *testing.T) {
	for _, reference := range []bool{false, true} {
		m := loadTiny(t, tinyConfig("gemma3", quant.Q8_0), Options{Reference: reference})
		want := newSequence(t, m, rand.New(rand.NewPCG(5, 6)), 300)
		forward(t, m, want.next(m, 300))
		got := &sequence{ids: want.ids}
		got.restart(t, m)
		for range got.ids {
			forward(t, m, got.next(m, 1))
		}
		sameBits(t, got, want)
	}
}

// TestLongBatch computes more tokens than go through the network together.
func TestLongBatch(t *testing.T) {
	m := loadTiny(t, tinyConfig("llama", quant.Q8_0), Options{})
	rng := rand.New(rand.NewPCG(7, 8))
	a, b := newSequence(t, m, rng, maxRows+100), newSequence(t, m, rng, maxRows+100)
	forward(t, m, a.next(m, len(a.ids)))
	got := &sequence{ids: a.ids}
	got.restart(t, m)
	forward(t, m, b.next(m, len(b.ids)), got.next(m, len(got.ids)))
	sameBits(t, got, a)
}

// TestWanted asks for some rows only.
func TestWanted(t *testing.T) {
	m := loadTiny(t, tinyConfig("qwen3", quant.Q4_0), Options{})
	rng := rand.New(rand.NewPCG(9, 10))
	want := newSequence(t, m, rng, 90)
	forward(t, m, want.next(m, 90))
	for logits := range 4 {
		for hidden := range 4 {
			got := &sequence{ids: want.ids}
			got.restart(t, m)
			c := got.next(m, 90)
			c.Logits = c.Logits[len(c.Logits)-logits*m.VocabSize():]
			c.Hidden = c.Hidden[len(c.Hidden)-hidden*m.Dim():]
			forward(t, m, c, newSequence(t, m, rng, 20).next(m, 20))
			if from := len(want.logits) - len(c.Logits); !slices.Equal(c.Logits, want.logits[from:]) {
				t.Errorf("%d rows of logits, %d of hidden: other logits", logits, hidden)
			}
			if from := len(want.hidden) - len(c.Hidden); !slices.Equal(c.Hidden, want.hidden[from:]) {
				t.Errorf("%d rows of logits, %d of hidden: other hidden rows", logits, hidden)
			}
		}
	}
}

package transformer

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"example.com/minillm/internal/simd"
	"example.com/minillm/internal/testenv"
	"example.com/minillm/kvcache"
)

// goldens are the models whose answers by the reference implementation are
// known: the name that testenv has, and that of the file with the answers.
var goldens = []struct {
	model, name string
	divergence  float64 // most that the fast path may have
}{
	{"smollm2", "SmolLM2-135M-Instruct.Q4_1", 1.1 * 0.0030},
	{"qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m", 1.1 * 0.0022},
	{"gemma3-270m", "gemma-3-270m-q4_k_m", 1.1 * 0.0046},
}

// golden is one prompt with what follows.
type golden struct {
	Name           string       `json:"name"`
	IDs            []int32      `json:"ids"`
	Top            [][2]float64 `json:"top"`
	LogSumExp      float64      `json:"logsumexp"`
	PromptLogprobs []float64    `json:"prompt_logprobs"`
	Greedy         []int32      `json:"greedy"`
	Margins        []float64    `json:"margins"`
}

// perplexity is the golden perplexity of a text.
type perplexity struct {
	Window     int       `json:"window"`
	PrependBOS bool      `json:"prepend_bos"`
	PPL        float64   `json:"ppl"`
	PerWindow  []float64 `json:"ppl_per_window"`
	IDs        []int32   `json:"ids"`
}

func readGolden(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(testenv.Shared(t, "goldens/logits/"+file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, path string, o Options) *Model {
	t.Helper()
	m, err := Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// newKV returns memory for one sequence.
func newKV(t testing.TB, m *Model, positions int, f kvcache.Format) kvcache.KV {
	t.Helper()
	c, err := kvcache.NewContiguous(m.Shape(), 1, positions, f)
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := c.Open(nil, "")
	if err == nil {
		err = r.Grow(positions)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plainGo is the tier without assembly, which takes a minute for what takes
// others a second.
func plainGo() bool { return simd.Tier() == "go" }

// scarce is where there is time for the smallest model and the first window.
func scarce() bool { return testing.Short() || plainGo() }

func forward(t testing.TB, m *Model, batch ...Chunk) {
	t.Helper()
	if err := m.Forward(batch); err != nil {
		t.Fatal(err)
	}
}

// TestReference compares the reference path with the reference implementation.
func TestReference(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.model, func(t *testing.T) {
			if testing.Short() && g.model != "smollm2" {
				t.Skip("long")
			}
			var all []golden
			readGolden(t, g.name+".json", &all)
			m := load(t, testenv.Model(t, g.model), Options{Reference: true})
			switch {
			case plainGo():
				all = all[:1]
			case testing.Short():
				all = all[:2]
			}
			for _, want := range all {
				t.Run(want.Name, func(t *testing.T) { compare(t, m, want) })
			}
		})
	}
}

func compare(t *testing.T, m *Model, want golden) {
	kv := newKV(t, m, len(want.IDs)+len(want.Greedy), kvcache.F32)
	logits := make([]float32, len(want.IDs)*m.VocabSize())
	forward(t, m, Chunk{Tokens: want.IDs, KV: kv, Logits: logits})
	last := row(logits, len(want.IDs)-1, m.VocabSize())
	testenv.Near(t, "logsumexp", testenv.LogSumExp(last), want.LogSumExp, 2e-3)
	for _, top := range want.Top {
		testenv.Near(t, "logit", float64(last[int(top[0])]), top[1], 2e-3)
	}
	for i, p := range want.PromptLogprobs {
		testenv.Near(t, "prompt log-probability", logProb(row(logits, i, m.VocabSize()), want.IDs[i+1]), p, 1e-3)
	}
	if got := greedy(t, m, kv, want, last); !slices.Equal(got, want.Greedy) {
		t.Errorf("greedy ids %v, not %v", got, want.Greedy)
	}
}

// greedy continues a golden prompt whose last logits are known.
func greedy(t *testing.T, m *Model, kv kvcache.KV, want golden, logits []float32) []int32 {
	var out []int32
	for {
		out = append(out, int32(testenv.Argmax(logits)))
		if len(out) == len(want.Greedy) {
			return out
		}
		forward(t, m, Chunk{Tokens: out[len(out)-1:], Pos: len(want.IDs) + len(out) - 1, KV: kv, Logits: logits})
	}
}

func logProb(logits []float32, id int32) float64 {
	return float64(logits[id]) - testenv.LogSumExp(logits)
}

// long asks for what takes minutes: the reference path over whole texts.
var long = flag.Bool("long", false, "compare the perplexity of all windows, not of the first alone")

// TestPerplexity compares the perplexity of a text in the reference path.
func TestPerplexity(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.model, func(t *testing.T) {
			if testing.Short() || plainGo() && g.model != "smollm2" {
				t.Skip("long")
			}
			var all map[string]perplexity
			readGolden(t, "perplexity.json", &all)
			want := all[g.name]
			m := load(t, testenv.Model(t, g.model), Options{Reference: true})
			sum, n := 0.0, 0
			windows := want.PerWindow
			if !*long {
				windows = windows[:1]
			}
			for i, ppl := range windows {
				s := surprise(t, m, want.window(i), kvcache.F32)
				sum, n = sum+s, n+want.Window-1
				testenv.Near(t, "perplexity of a window", math.Exp(s/float64(want.Window-1)), ppl, ppl*5e-4)
			}
			if *long {
				testenv.Near(t, "perplexity", math.Exp(sum/float64(n)), want.PPL, want.PPL*5e-4)
			}
		})
	}
}

const gemmaBOS = 2

// some is the perplexities of the windows to look at: of the first, where there is no time for more.
func (p perplexity) some() []float64 {
	if scarce() {
		return p.PerWindow[:1]
	}
	return p.PerWindow
}

// window is the ids of a window; those of gemma begin with BOS and lack their last.
func (p perplexity) window(i int) []int32 {
	ids := p.IDs[i*p.Window : (i+1)*p.Window]
	if p.PrependBOS {
		ids = append([]int32{gemmaBOS}, ids[:len(ids)-1]...)
	}
	return ids
}

// surprise is the sum of the negative log-probabilities of all tokens but the first.
func surprise(t *testing.T, m *Model, ids []int32, f kvcache.Format) float64 {
	logits := make([]float32, len(ids)*m.VocabSize())
	forward(t, m, Chunk{Tokens: ids, KV: newKV(t, m, len(ids), f), Logits: logits})
	sum := 0.0
	for i, id := range ids[1:] {
		sum -= logProb(row(logits, i, m.VocabSize()), id)
	}
	return sum
}

// TestFast feeds the golden text to the fast path: the best id is the golden
// one wherever the reference was sure of it.
func TestFast(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.model, func(t *testing.T) {
			if testing.Short() && g.model != "smollm2" {
				t.Skip("long")
			}
			var all []golden
			readGolden(t, g.name+".json", &all)
			if plainGo() {
				all = all[:1]
			}
			m := load(t, testenv.Model(t, g.model), Options{})
			for _, want := range all {
				t.Run(want.Name, func(t *testing.T) { compareSure(t, m, want) })
			}
		})
	}
}

const sure = 0.75 // logits

func compareSure(t *testing.T, m *Model, want golden) {
	ids := append(want.IDs[:len(want.IDs):len(want.IDs)], want.Greedy[:len(want.Greedy)-1]...)
	logits := make([]float32, len(want.Greedy)*m.VocabSize())
	forward(t, m, Chunk{Tokens: ids, KV: newKV(t, m, len(ids), kvcache.I16), Logits: logits})
	for i, id := range want.Greedy {
		got := testenv.Argmax(row(logits, i, m.VocabSize()))
		if want.Margins[i] > sure && got != int(id) {
			t.Errorf("token %d is %d, not %d, which leads by %.2f", i, got, id, want.Margins[i])
		}
	}
}

// TestFastPerplexity sees that speed costs no more than a hundredth of the
// perplexity.
func TestFastPerplexity(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.model, func(t *testing.T) {
			if testing.Short() && plainGo() || scarce() && g.model != "smollm2" {
				t.Skip("long")
			}
			var all map[string]perplexity
			readGolden(t, "perplexity.json", &all)
			want := all[g.name]
			m := load(t, testenv.Model(t, g.model), Options{})
			windows := want.some()
			got, ppl := 0.0, 0.0
			for i, p := range windows {
				got += surprise(t, m, want.window(i), kvcache.I16) / float64(want.Window-1)
				ppl += math.Log(p)
			}
			n := float64(len(windows))
			testenv.Near(t, "perplexity", math.Exp(got/n), math.Exp(ppl/n), math.Exp(ppl/n)*0.01)
			t.Logf("perplexity %.4f, reference %.4f", math.Exp(got/n), math.Exp(ppl/n))
		})
	}
}

// TestDivergence measures how far the fast path is from the reference path:
// the mean Kullback-Leibler divergence over the second half of each window.
func TestDivergence(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.model, func(t *testing.T) {
			if testing.Short() || plainGo() && g.model != "smollm2" {
				t.Skip("long")
			}
			var all map[string]perplexity
			readGolden(t, "perplexity.json", &all)
			text := all[g.name]
			path := testenv.Model(t, g.model)
			exact, fast := load(t, path, Options{Reference: true}), load(t, path, Options{})
			sum, n := 0.0, 0
			for i := range text.some() {
				ids := text.window(i)
				first := len(ids) / 2
				p, q := tailLogits(t, exact, ids, first), tailLogits(t, fast, ids, first)
				for r := range len(ids) - 1 - first {
					sum += divergence(row(p, r, exact.VocabSize()), row(q, r, exact.VocabSize()))
					n++
				}
			}
			if mean := sum / float64(n); !(mean <= g.divergence) {
				t.Errorf("divergence %.5f, more than %.5f", mean, g.divergence)
			} else {
				t.Logf("divergence %.5f of %.5f", mean, g.divergence)
			}
		})
	}
}

// tailLogits is the rows of logits from token first on.
func tailLogits(t *testing.T, m *Model, ids []int32, first int) []float32 {
	logits := make([]float32, (len(ids)-first)*m.VocabSize())
	forward(t, m, Chunk{Tokens: ids, KV: newKV(t, m, len(ids), m.rows()), Logits: logits})
	return logits
}

// divergence is that of q from p, both given as logits.
func divergence(p, q []float32) float64 {
	lp, lq := testenv.LogSumExp(p), testenv.LogSumExp(q)
	sum := 0.0
	for i, x := range p {
		a, b := float64(x)-lp, float64(q[i])-lq
		sum += math.Exp(a) * (a - b)
	}
	return sum
}

package sampling

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSoftmax(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		row := randomRow(r, 1+r.IntN(400))
		for i := range row {
			row[i] += 1000 // exp alone would overflow
		}
		want := slowSoftmax(row)
		probs, logs := make([]float32, len(row)), make([]float32, len(row))
		Softmax(probs, row)
		LogSoftmax(logs, row)
		for i := range row {
			if math.Abs(float64(probs[i])-want[i]) > 1e-5*want[i]+1e-36 {
				t.Fatalf("Softmax: %g, want %g", probs[i], want[i])
			}
			if w := math.Log(want[i]); w != float64(logs[i]) && math.Abs(float64(logs[i])-w) > 1e-5 {
				t.Fatalf("LogSoftmax: %g, want %g", logs[i], w)
			}
		}
		Softmax(row, row) // in place
		if !slices.Equal(row, probs) {
			t.Fatal("in place differs")
		}
	}
}

func TestSoftmaxWithoutDistribution(t *testing.T) {
	row := []float32{-inf, -inf}
	Softmax(row, row)
	if !slices.Equal(row, []float32{0, 0}) {
		t.Errorf("all -Inf: %v", row)
	}
	row = []float32{-inf, -inf}
	LogSoftmax(row, row)
	if !slices.Equal(row, []float32{-inf, -inf}) {
		t.Errorf("all -Inf: %v", row)
	}
	row = []float32{1, float32(math.NaN()), 2}
	Softmax(row, row)
	for _, x := range row {
		if x == x {
			t.Errorf("NaN hidden: %v", row)
		}
	}
}

func TestTemperature(t *testing.T) {
	row := []float32{1, 3, -inf, 2}
	Temperature(row, 0.5)
	if want := []float32{-4, 0, -inf, -2}; !slices.Equal(row, want) {
		t.Errorf("got %v, want %v", row, want)
	}
	for _, tiny := range []float64{0, 1e-300, 5e-324} {
		row := []float32{1, 3, -inf, 3, math.MaxFloat32 / 2}
		Temperature(row, tiny)
		if ids := kept(row); !slices.Equal(ids, []int32{4}) {
			t.Errorf("temperature %g keeps %v", tiny, ids)
		}
	}
}

func TestFilters(t *testing.T) {
	// ln of 0.5, 0.25, 0.125, 0.125: ties and sums that float32 cannot say exactly.
	halves := []float32{float32(math.Log(0.125)), float32(math.Log(0.5)), float32(math.Log(0.125)), float32(math.Log(0.25))}
	for _, c := range []struct {
		name   string
		filter func([]float32)
		row    []float32
		want   []int32
	}{
		{"top-k 1", func(l []float32) { TopK(l, 1) }, halves, []int32{1}},
		{"top-k 3 cuts a tie", func(l []float32) { TopK(l, 3) }, halves, []int32{0, 1, 3}},
		{"top-k 0", func(l []float32) { TopK(l, 0) }, halves, []int32{0, 1, 2, 3}},
		{"top-k 99", func(l []float32) { TopK(l, 99) }, halves, []int32{0, 1, 2, 3}},
		{"top-k of few", func(l []float32) { TopK(l, 2) }, []float32{-inf, 1, -inf, -inf}, []int32{1}},
		{"top-k of none", func(l []float32) { TopK(l, 2) }, []float32{-inf, -inf, -inf}, nil},
		{"top-p reached exactly", func(l []float32) { TopP(l, 0.5) }, halves, []int32{1}},
		{"top-p just above", func(l []float32) { TopP(l, 0.51) }, halves, []int32{1, 3}},
		{"top-p cuts a tie", func(l []float32) { TopP(l, 0.8) }, halves, []int32{0, 1, 3}},
		{"top-p keeps one", func(l []float32) { TopP(l, 1e-9) }, halves, []int32{1}},
		{"top-p 0", func(l []float32) { TopP(l, 0) }, halves, []int32{0, 1, 2, 3}},
		{"top-p 1", func(l []float32) { TopP(l, 1) }, halves, []int32{0, 1, 2, 3}},
		{"top-p of none", func(l []float32) { TopP(l, 0.5) }, []float32{-inf, -inf}, nil},
		{"min-p reached exactly", func(l []float32) { MinP(l, 0.5) }, halves, []int32{1, 3}},
		{"min-p just above", func(l []float32) { MinP(l, 0.51) }, halves, []int32{1}},
		{"min-p 1", func(l []float32) { MinP(l, 1) }, []float32{2, 3, 3}, []int32{1, 2}},
		{"min-p 0", func(l []float32) { MinP(l, 0) }, halves, []int32{0, 1, 2, 3}},
	} {
		row := slices.Clone(c.row)
		c.filter(row)
		if got := kept(row); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept %v, want %v", c.name, got, c.want)
		}
		for _, id := range kept(row) {
			if row[id] != c.row[id] {
				t.Errorf("%s: changed a logit that it kept", c.name)
			}
		}
	}
}

func TestFiltersAgainstSort(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 3000 {
		row := randomRow(r, 1+r.IntN(200))
		if r.IntN(4) == 0 { // flat: one bucket has all
			for i := range row {
				row[i] /= 1000
			}
		}
		order := slowOrder(row)
		k := 1 + r.IntN(len(row))
		if got, want := Top(nil, row, k), order[:min(k, len(order))]; !slices.Equal(got, want) {
			t.Fatalf("Top %d: %v, want %v", k, got, want)
		}
		p := r.Float64()
		if r.IntN(8) == 0 {
			p = math.Nextafter(1, 0)
		}
		probs := slowSoftmax(row)
		TopP(row, p)
		n := len(kept(row))
		if want := slices.Sorted(slices.Values(order[:n])); !slices.Equal(kept(row), want) {
			t.Fatalf("TopP %g: kept %v, and not the most probable %v", p, kept(row), want)
		}
		if sum := total(probs, order[:n]); sum < p-2e-6 {
			t.Fatalf("TopP %g: kept only %g", p, sum)
		}
		if sum := total(probs, order[:n-1]); p > 0 && sum > p+1e-6 {
			t.Fatalf("TopP %g: kept more than it needs, %g without the last one", p, sum)
		}
	}
}

func total(probs []float64, ids []int32) (sum float64) {
	for _, id := range ids {
		sum += probs[id]
	}
	return sum
}

func TestPenalize(t *testing.T) {
	// Token 1 thrice in the output, 2 once in each, 3 only in the prompt, 4 nowhere.
	prompt, history := 2, []int32{3, 2, 1, 2, 1, 1}
	row := func() []float32 { return []float32{0, 4, -4, 4, 4} }
	for _, c := range []struct {
		name string
		p    Params
		want []float32
	}{
		{"off", Params{}, row()},
		{"one is off", Params{RepetitionPenalty: 1}, row()},
		{"repetition once per token", Params{RepetitionPenalty: 2}, []float32{0, 2, -8, 2, 4}},
		{"presence once per token of the output", Params{PresencePenalty: 1}, []float32{0, 3, -5, 4, 4}},
		{"frequency per occurrence in the output", Params{FrequencyPenalty: 1}, []float32{0, 1, -5, 4, 4}},
		{"all", Params{RepetitionPenalty: 2, PresencePenalty: 1, FrequencyPenalty: 0.5}, []float32{0, -0.5, -9.5, 2, 4}},
		{"negative rewards", Params{FrequencyPenalty: -1}, []float32{0, 7, -3, 4, 4}},
	} {
		for range 2 { // a second time: the counts of the first are gone
			got := row()
			Penalize(got, history, prompt, c.p)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			}
		}
	}
	got := row()
	Penalize(got, []int32{-1, 5, 1 << 30}, 0, Params{RepetitionPenalty: 2})
	if !slices.Equal(got, row()) {
		t.Errorf("ids outside the row changed it: %v", got)
	}
}

func TestLogprobs(t *testing.T) {
	row := []float32{float32(math.Log(0.25)), -inf, float32(math.Log(0.5)), float32(math.Log(0.25))}
	got := Logprobs(nil, row, 3, 2)
	want := []Logprob{{3, -1.386294}, {2, -0.693147}, {0, -1.386294}}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i, w := range want {
		if got[i].ID != w.ID || math.Abs(float64(got[i].Logprob-w.Logprob)) > 1e-5 {
			t.Errorf("entry %d: %v, want %v", i, got[i], w)
		}
	}
	if n := len(Logprobs(got[:0], row, 0, 1000000)); n != 1+3 {
		t.Errorf("%d entries for a million alternatives of 3 tokens", n)
	}
}

func TestLogprobsFitJSON(t *testing.T) {
	nan := float32(math.NaN())
	for _, row := range [][]float32{{0, -inf}, {-inf, -inf}, {nan, 1}, {inf, 1}, {1, nan}, {math.MaxFloat32, -math.MaxFloat32}} {
		for chosen := range int32(2) {
			text, err := json.Marshal(Logprobs(nil, row, chosen, 2))
			if err != nil {
				t.Errorf("%v: %v", row, err)
			}
			if row[1] == -inf && chosen == 1 && Logprobs(nil, row, chosen, 0)[0].Logprob != MinLogprob {
				t.Errorf("%v: %s", row, text)
			}
		}
	}
}

func TestDrawCoversItsEnds(t *testing.T) {
	row := make([]float32, 5*stretch) // whole stretches of nothing between
	for i := range row {
		row[i] = -inf
	}
	row[1], row[3*stretch+7], row[3*stretch+9] = 0, 0, -1000 // the last one's weight is 0
	for u, want := range map[float64]int32{0: 1, 0.49: 1, 0.51: 3*stretch + 7, math.Nextafter(1, 0): 3*stretch + 7, 1: 3*stretch + 7} {
		if got, err := Draw(row, u); got != want || err != nil {
			t.Errorf("u = %v: %d, %v; want %d", u, got, err, want)
		}
	}
}

func TestCoinIsUniform(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 1 << 63, ^uint64(0)} {
		var counts [16]int
		for pos := range 16000 {
			counts[int(Coin(seed, pos)*16)]++
		}
		for i, n := range counts {
			if n < 850 || n > 1150 { // 5 standard deviations
				t.Errorf("seed %d: cell %d of 16 has %d of 16000", seed, i, n)
			}
		}
	}
}

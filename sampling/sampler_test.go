package sampling

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func mustNew(t testing.TB, p Params) Sampler {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draws samples at n positions and returns the tokens.
func draws(t testing.TB, p Params, logits []float32, n int) []int32 {
	t.Helper()
	s := mustNew(t, p)
	var ids, history []int32
	for range n {
		history = append(history, 0)
		id, err := s.Sample(logits, history, len(history))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestGreedy(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		logits []float32
		want   int32
		err    error
	}{
		{"highest", []float32{1, 3, 2}, 1, nil},
		{"lowest id on ties", []float32{1, 3, 2, 3}, 1, nil},
		{"negative", []float32{-5, -4}, 1, nil},
		{"-Inf passed over", []float32{-inf, -1000, -inf}, 1, nil},
		{"lowest finite", []float32{-inf, -math.MaxFloat32}, 1, nil},
		{"NaN first", []float32{nan, 1, 2}, 0, ErrBadLogit},
		{"NaN last", []float32{1, 2, nan}, 0, ErrBadLogit},
		{"NaN alone", []float32{nan}, 0, ErrBadLogit},
		{"+Inf", []float32{1, inf, 2}, 0, ErrBadLogit},
		{"NaN after +Inf", []float32{inf, nan}, 0, ErrBadLogit},
		{"all -Inf", []float32{-inf, -inf}, 0, ErrNoToken},
		{"empty", nil, 0, ErrNoToken},
	} {
		for _, temperature := range []float64{0, 1e-9} { // nearly greedy must agree, on results and faults
			if c.name == "lowest id on ties" && temperature > 0 {
				continue
			}
			got, err := mustNew(t, Params{Temperature: temperature}).Sample(c.logits, nil, 0)
			if !errors.Is(err, c.err) || err == nil && got != c.want {
				t.Errorf("%s at temperature %g: %d, %v; want %d, %v", c.name, temperature, got, err, c.want, c.err)
			}
		}
	}
}

// One row that is not sound fails, whatever the filters would have kept.
func TestBadLogitFailsEveryPath(t *testing.T) {
	row := randomRow(rand.New(rand.NewPCG(1, 2)), 1000)
	for _, bad := range []float32{float32(math.NaN()), inf} {
		for _, at := range []int{0, 500, 999} {
			broken := slices.Clone(row)
			broken[at] = bad
			for _, p := range []Params{
				{}, {Temperature: 1}, {Temperature: 1, TopK: 5}, {Temperature: 1, TopP: 0.5}, {Temperature: 1, MinP: 0.5},
				{RepetitionPenalty: 2}, {Temperature: 1, FrequencyPenalty: 1, TopK: 3, TopP: 0.9, MinP: 0.1},
			} {
				if id, err := mustNew(t, p).Sample(broken, []int32{3, 4}, 1); !errors.Is(err, ErrBadLogit) {
					t.Errorf("%v at %d with %+v: %d, %v", bad, at, p, id, err)
				}
			}
		}
	}
}

// The sampler's path selects first and works on what is left; it must give
// what masking whole rows gives.
func TestSamplerIsItsStages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		row := randomRow(r, 1+r.IntN(300))
		p := Params{Temperature: r.Float64() * 3, Seed: r.Uint64()}
		if r.IntN(2) == 0 {
			p.TopK = r.IntN(len(row) + 10)
		}
		if r.IntN(2) == 0 {
			p.TopP = r.Float64()
		}
		if r.IntN(2) == 0 {
			p.MinP = r.Float64() / 4
		}
		if r.IntN(2) == 0 {
			p.RepetitionPenalty, p.PresencePenalty, p.FrequencyPenalty = 1.3, r.Float64(), -r.Float64()
		}
		if r.IntN(2) == 0 {
			p.Bias = map[int32]float32{int32(r.IntN(len(row))): float32(r.NormFloat64())}
		}
		history := make([]int32, r.IntN(20))
		for i := range history {
			history[i] = int32(r.IntN(len(row) + 3)) // some outside the row
		}
		prompt := r.IntN(len(history) + 1)

		before := slices.Clone(row)
		got, err := mustNew(t, p).Sample(row, history, prompt)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(row, before) {
			t.Fatal("Sample changed the logits")
		}

		Penalize(row, history, prompt, p)
		if err := AddBias(row, p.Bias); err != nil {
			t.Fatal(err)
		}
		TopK(row, p.TopK)
		Temperature(row, p.Temperature)
		TopP(row, p.TopP)
		MinP(row, p.MinP)
		want, err := Draw(row, Coin(p.Seed, len(history)))
		if err != nil || got != want {
			t.Fatalf("%+v: Sample gave %d, its stages %d, %v", p, got, want, err)
		}
		if !slices.Contains(kept(row), got) {
			t.Fatalf("%+v: %d is not among the kept %v", p, got, kept(row))
		}
	}
}

// χ² of 20,000 draws against the probabilities, per temperature and filter.
func TestDistribution(t *testing.T) {
	logits := []float32{2, 1, 0, 1.5, -1, 0.5, -inf, -2}
	for _, p := range []Params{
		{Temperature: 1, Seed: 1}, {Temperature: 0.5, Seed: 2}, {Temperature: 2, Seed: 3},
		{Temperature: 1, TopK: 4, Seed: 4}, {Temperature: 1, TopP: 0.8, Seed: 5}, {Temperature: 1, MinP: 0.2, Seed: 6},
	} {
		row := slices.Clone(logits)
		TopK(row, p.TopK)
		Temperature(row, p.Temperature)
		TopP(row, p.TopP)
		MinP(row, p.MinP)
		probs := slowSoftmax(row)

		const n = 20000
		counts := make([]float64, len(logits))
		for _, id := range draws(t, p, logits, n) {
			counts[id]++
		}
		var observed, expected []float64
		for id, q := range probs {
			if q == 0 {
				if counts[id] != 0 {
					t.Errorf("%+v: token %d was filtered and drawn %v times", p, id, counts[id])
				}
				continue
			}
			observed, expected = append(observed, counts[id]), append(expected, q*n)
		}
		chi := stat.ChiSquare(observed, expected)
		if tail := (distuv.ChiSquared{K: float64(len(observed) - 1)}).Survival(chi); tail < 0.001 {
			t.Errorf("%+v: χ² %.1f, p %.2g; drawn %v, expected %v", p, chi, tail, observed, expected)
		}
	}
}

func TestTopKAboveVocabularyIsOff(t *testing.T) {
	row := randomRow(rand.New(rand.NewPCG(5, 6)), 100)
	off := draws(t, Params{Temperature: 1.5, Seed: 9}, row, 200)
	for _, k := range []int{100, 101, 9999999} {
		if !slices.Equal(off, draws(t, Params{Temperature: 1.5, Seed: 9, TopK: k}, row, 200)) {
			t.Errorf("top-k %d of 100 is not off", k)
		}
	}
}

func TestSeeds(t *testing.T) {
	row := make([]float32, 50)
	a := draws(t, Params{Temperature: 1, Seed: 1}, row, 32)
	if !slices.Equal(a, draws(t, Params{Temperature: 1, Seed: 1}, row, 32)) {
		t.Error("the same seed gave another text")
	}
	if slices.Equal(a, draws(t, Params{Temperature: 1, Seed: 2}, row, 32)) {
		t.Error("temperature 1 does not sample: two seeds gave the same text")
	}
	texts := map[[32]int32]bool{}
	for i := range 4 { // n: 4, seed: 7
		texts[[32]int32(draws(t, Params{Temperature: 1.5, Seed: ChoiceSeed(7, i)}, row, 32))] = true
	}
	if len(texts) != 4 {
		t.Errorf("4 choices gave %d texts", len(texts))
	}
	if ChoiceSeed(7, 0) != 7 {
		t.Error("the first of several choices differs from a single one")
	}
}

// The default parameters beside a temperature must not make it greedy.
func TestTemperatureAloneSamples(t *testing.T) {
	row := []float32{1, 1.1, 0.9, 1}
	seen := map[int32]bool{}
	for seed := range uint64(10) {
		seen[draws(t, Params{Temperature: 1, Seed: seed}, row, 1)[0]] = true
	}
	if len(seen) < 2 {
		t.Errorf("10 seeds gave only %v", seen)
	}
}

func TestBias(t *testing.T) {
	row := []float32{5, 4, 3}
	for _, c := range []struct {
		bias map[int32]float32
		want int32
		err  string
	}{
		{map[int32]float32{2: 10}, 2, ""},
		{map[int32]float32{0: -inf}, 1, ""},
		{map[int32]float32{0: -inf, 1: -inf, 2: -inf}, 0, "no token"},
		{map[int32]float32{3: 1}, 0, "token 3"},
	} {
		got, err := mustNew(t, Params{Bias: c.bias}).Sample(row, nil, 0)
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || c.err == "" && (err != nil || got != c.want) {
			t.Errorf("%v: %d, %v; want %d, %q", c.bias, got, err, c.want, c.err)
		}
	}
}

// The caller may go on using the map that it gave.
func TestBiasIsCopied(t *testing.T) {
	bias := map[int32]float32{1: 10}
	s := mustNew(t, Params{Bias: bias})
	bias[0] = 100
	if got, err := s.Sample([]float32{1, 0}, nil, 0); got != 1 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		p    Params
		want string // "": valid
	}{
		{Params{}, ""},
		{Params{Temperature: 2, TopK: 9999999, TopP: 1, MinP: 1, RepetitionPenalty: 1.1, PresencePenalty: -2, FrequencyPenalty: 2}, ""},
		{Params{Bias: map[int32]float32{128009: -inf}}, ""}, // an added token, beyond what some files call the vocabulary
		{Params{Temperature: -0.1}, "Temperature is -0.1: want 0 to 100"},
		{Params{Temperature: nan}, "Temperature is NaN"},
		{Params{Temperature: math.Inf(1)}, "Temperature is +Inf"},
		{Params{TopK: -1}, "TopK is -1"},
		{Params{TopP: -0.5}, "TopP is -0.5: want 0 to 1"},
		{Params{TopP: 1.01}, "TopP is 1.01"},
		{Params{MinP: 2}, "MinP is 2"},
		{Params{RepetitionPenalty: -1}, "RepetitionPenalty is -1: want 0.01 to 100"},
		{Params{RepetitionPenalty: nan}, "RepetitionPenalty is NaN"},
		{Params{PresencePenalty: 3}, "PresencePenalty is 3: want -2 to 2"},
		{Params{FrequencyPenalty: -3}, "FrequencyPenalty is -3"},
		{Params{Bias: map[int32]float32{5: float32(nan)}}, "Bias of token 5 is NaN"},
		{Params{Bias: map[int32]float32{5: inf}}, "Bias of token 5 is +Inf"},
		{Params{Bias: map[int32]float32{-1: 0}}, "token -1"},
	} {
		err := c.p.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
		if _, newErr := New(c.p); (newErr == nil) != (err == nil) {
			t.Errorf("%+v: New says %v, Validate %v", c.p, newErr, err)
		}
	}
}

func TestOneSamplerManyGoroutines(t *testing.T) {
	row := randomRow(rand.New(rand.NewPCG(7, 8)), 500)
	p := Params{Temperature: 1, TopK: 40, TopP: 0.95, RepetitionPenalty: 1.2, Seed: 3}
	s := mustNew(t, p)
	history := []int32{1, 2, 3, 4, 5, 6, 7}
	want, err := s.Sample(row, history, 3)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if got, err := s.Sample(row, history, 3); got != want || err != nil {
					t.Errorf("got %d, %v; want %d", got, err, want)
					return
				}
			}
		})
	}
	group.Wait()
}

func FuzzSample(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250}, 1.0, 2, 0.9, 0.1, uint64(1))
	f.Add([]byte{254}, 1.0, 2, 0.9, 0.1, uint64(1))
	f.Add([]byte{0, 0}, 0.0, 0, 0.0, 0.0, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, temperature float64, k int, topP, minP float64, seed uint64) {
		p := Params{Temperature: temperature, TopK: k, TopP: topP, MinP: minP, Seed: seed, RepetitionPenalty: 1.5}
		s, err := New(p)
		if err != nil {
			return
		}
		special := []float32{-inf, inf, float32(math.NaN()), 1e38, -1e38, 1e-45}
		row := make([]float32, len(data))
		for i, b := range data {
			row[i] = float32(b)/8 - 16
			if b >= 250 {
				row[i] = special[b-250]
			}
		}
		_, sound := Argmax(row)
		id, err := s.Sample(row, []int32{0, 1, 2}, 1)
		switch {
		case sound != nil && err == nil:
			t.Fatalf("%v gave %d, though %v", row, id, sound)
		case sound == nil && err != nil:
			t.Fatalf("%v failed: %v", row, err)
		case err == nil && (id < 0 || int(id) >= len(row) || row[id] == -inf):
			t.Fatalf("%v gave %d", row, id)
		}
	})
}

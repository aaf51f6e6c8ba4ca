package transformer

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
)

func TestSmoothingFactors(t *testing.T) {
	for _, test := range []struct {
		name        string
		x           []float32
		rest        float64
		interleaved bool
		want        []float32
	}{
		{"alike", []float32{3, -3, 3, -3}, 0, false, []float32{1, 1, 1, 1}},
		{"halves", []float32{8, 1, 8, -1}, 0, false, []float32{4, 0.5, 4, 0.5}},
		{"neighbours", []float32{8, -8, 1, 1}, 0, true, []float32{4, 4, 0.5, 0.5}},
		{"one of a pair", []float32{16, 1, 0, 1}, 0, false, []float32{4, 0.25, 4, 0.25}},
		{"beside much else", []float32{8, 1, 8, 1}, 1000, false, []float32{1, 1, 1, 1}},
		{"nothing", []float32{0, 1, 0, 1}, 0, false, []float32{1. / 1024, 1024, 1. / 1024, 1024}},
		{"nothing at all", []float32{0, 0, 0, 0}, 0, false, []float32{1, 1, 1, 1}},
	} {
		if diff := cmp.Diff(test.want, factors(test.x, test.rest, test.interleaved)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// uneven is a network in which two channels of each head's keys are far larger than the others.
func uneven(t *testing.T, arch string) *Model {
	m := loadTiny(t, tiny.Config{Arch: arch, Type: quant.F32}, Options{})
	for i := range m.layers {
		y := &m.layers[i]
		large := y.kNorm
		if arch == "qwen2" {
			large = y.kBias
			y.qFactors, y.kFactors = nil, nil
		}
		for at := 0; at < len(large); at += m.config.headDim {
			large[at+1], large[at+5] = 8, -12
		}
	}
	return m
}

// Smoothing changes no bit where keys are float32, and takes a good part of the error where they have 8 bits.
func TestSmooth(t *testing.T) {
	for _, arch := range []string{"qwen2", "qwen3", "gemma3"} {
		t.Run(arch, func(t *testing.T) {
			m := uneven(t, arch)
			exact, rough := answer(t, m, kvcache.F32), answer(t, m, kvcache.Q8)
			for i := range m.layers {
				m.layers[i].smooth(&m.config)
			}
			if !slices.Equal(answer(t, m, kvcache.F32), exact) {
				t.Error("logits by float32 rows changed")
			}
			before, after := distance(rough, exact), distance(answer(t, m, kvcache.Q8), exact)
			if !(after < 0.75*before) {
				t.Errorf("logits are %.3g from exact ones, %.3g without smoothing", after, before)
			}
		})
	}
}

// answer is the logits after a text.
func answer(t *testing.T, m *Model, f kvcache.Format) []float32 {
	t.Helper()
	const n = 100
	logits := make([]float32, m.VocabSize())
	forward(t, m, Chunk{Tokens: text(m, n), KV: newKV(t, m, n, f), Logits: logits})
	return logits
}

// distance is the root of the mean square of differences.
func distance(a, b []float32) float64 {
	sum := 0.
	for i := range a {
		sum += math.Pow(float64(a[i]-b[i]), 2)
	}
	return math.Sqrt(sum / float64(len(a)))
}

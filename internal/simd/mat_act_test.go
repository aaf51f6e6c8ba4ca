package simd

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestTileOf(t *testing.T) {
	for rows := 1; rows < 40; rows++ {
		for first := 0; first < rows; {
			h := tileHeight(rows - first)
			for r := first; r < first+h; r++ {
				if f, got := tileOf(rows, r); f != first || got != h {
					t.Fatalf("row %d of %d lies in %d high tile at %d, want %d at %d", r, rows, got, f, h, first)
				}
			}
			first += h
		}
	}
}

// TestActRounds compares with the definition in double precision.
func TestActRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	forEachTier(t, func(t *testing.T) {
		const cols = 32 * 7
		for rows := 1; rows < 20; rows++ {
			x := randomRows(rng, rows, cols)
			a := NewAct(rows, cols, Bytes)
			a.Reset(rows, cols)
			a.Set(x, cols, 0, rows)
			for r := range rows {
				for i, got := range a.row(r) {
					block := x[r*cols+i/32*32:][:32]
					most := 0.0
					for _, v := range block {
						most = max(most, math.Abs(float64(v)))
					}
					if want := float64(x[r*cols+i]); math.Abs(got-want) > most/127*0.50001 {
						t.Fatalf("row %d of %d, column %d: %v, want %v", r, rows, i, got, want)
					}
				}
			}
		}
	})
}

// checkQuantize compares the tiers with plain Go on one row, whose values begin anywhere in memory, and looks for writes
// beside it.
func checkQuantize(t *testing.T, x []float32, row, height int) {
	t.Helper()
	blocks := len(x) / 32
	want := bytes.Repeat([]byte{0xa5}, blocks*height*actBytes)
	got := bytes.Clone(want)
	before := append([]float32(nil), x...)
	quantizeBlocksGeneric(want, x, row, height)
	quantizeBlocks(got, x, row, height)
	if !bytes.Equal(got, want) {
		t.Fatalf("row %d of %d: %v quantised\n%v, want\n%v", row, height, x, got, want)
	}
	for i := range x {
		if math.Float32bits(x[i]) != math.Float32bits(before[i]) {
			t.Fatalf("the quantiser changed value %d", i)
		}
	}
}

func TestActTiersAgree(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	special := []float32{0, nan, -nan, inf, -inf, 1e-38, 1e-45, -1e-30, 0.99e-30, 3.4e38, -3.4e38, 1, 0.5, 63.5, -127}
	rng := rand.New(rand.NewPCG(1, 2))
	forEachTier(t, func(t *testing.T) {
		for n := 1; n < 6; n++ {
			for shift := range 9 {
				x := randomRows(rng, 1, 32*n+shift)[shift:]
				for _, height := range []int{1, 2, 4, 8} {
					for row := range height {
						checkQuantize(t, x, row, height)
					}
				}
				for _, v := range special {
					x[rng.IntN(len(x))] = v
					checkQuantize(t, x, 0, 1)
				}
				for i := range x {
					x[i] = special[rng.IntN(len(special))]
				}
				checkQuantize(t, x, 1, 2)
			}
		}
	})
}

func FuzzActTiersAgree(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, seed uint64, bits []byte) {
		rng := rand.New(rand.NewPCG(seed, 0))
		x := randomRows(rng, 1, 64)
		for i := range min(len(bits)/4, len(x)) {
			x[i] = math.Float32frombits(le32(bits[4*i:]))
		}
		checkQuantize(t, x, int(seed%8), 8)
	})
}

func BenchmarkActSet(b *testing.B) {
	for _, rows := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			const cols = 576
			x := randomRows(rand.New(rand.NewPCG(1, 3)), rows, cols)
			a := NewAct(rows, cols, Bytes)
			a.Reset(rows, cols)
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				a.Set(x, cols, 0, rows)
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(rows*cols)/best.Seconds()/1e9, "Gvalues/s")
		})
	}
}

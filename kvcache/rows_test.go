package kvcache

import (
	"math"
	"testing"
)

func TestQ8(t *testing.T) {
	for _, row := range [][]float32{
		{1, -2, 3.5, -127}, {0.001, 0.0005, 0, -0.0003}, {1e30, -1e29, 5e28, 0}, {0, 0, 0, 0}, {1e-40, 0, 0, 0},
	} {
		packed := make([]int8, len(row))
		scale := packQ8(packed, row)
		for i, x := range row {
			if got := float32(packed[i]) * scale; math.Abs(float64(got-x)) > float64(scale)/2*1.0001+1e-30 {
				t.Errorf("%g became %g with scale %g", x, got, scale)
			}
		}
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		scale := packQ8(make([]int8, 3), []float32{1, bad, 2})
		if !math.IsNaN(float64(scale)) && !math.IsInf(float64(scale), 0) {
			t.Errorf("a row with %g got scale %g: the fault is hidden", bad, scale)
		}
	}
}

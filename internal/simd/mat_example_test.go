package simd_test

import (
	"fmt"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// A linear layer of two outputs and 32 inputs, multiplied with one row of activations.
func ExampleMat() {
	const outs, cols = 2, 32
	weights, x := make([]float32, outs*cols), make([]float32, cols)
	for i := range cols {
		weights[i], weights[cols+i], x[i] = 1, float32(i%2), 0.5
	}
	tensor := make([]byte, quant.Q4_1.RowBytes(len(weights))) // as a file has it
	quant.Quantize(tensor, quant.Q4_1, weights)

	m := simd.NewMat(quant.Q4_1, outs, cols, alignedBytes(simd.MatBytes(quant.Q4_1, outs, cols)))
	m.Pack(tensor, 0, m.Panels())

	act := simd.NewAct(1, cols, m.Form())
	act.Reset(1, cols)
	act.Set(x, cols, 0, 1)
	y := make([]float32, outs)
	m.Mul(y, outs, act, 0, 1, 0, m.Panels())
	fmt.Printf("%.1f\n", y)
	// Output: [16.0 8.0]
}

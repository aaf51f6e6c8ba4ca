package quant_test

import (
	"fmt"

	"example.com/minillm/internal/quant"
)

// Eight bits keep two or three digits of what is within a block of 32 values.
func Example() {
	weights := make([]float32, 32)
	for i := range weights {
		weights[i] = float32(i) / 10
	}
	row := make([]byte, quant.Q8_0.RowBytes(len(weights)))
	quant.Quantize(row, quant.Q8_0, weights)

	quant.Dequantize(weights, quant.Q8_0, row)
	fmt.Printf("%v: %d bytes; %.3f %.3f %.3f\n", quant.Q8_0, len(row), weights[1], weights[2], weights[31])
	// Output:
	// Q8_0: 34 bytes; 0.098 0.195 3.101
}

package gguf_test

import (
	"bytes"
	"fmt"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// A file is written and read back in memory; Open does the same with a file on disk.
func Example() {
	row := make([]byte, quant.F32.RowBytes(2))
	quant.Quantize(row, quant.F32, []float32{0.5, -3})

	var b bytes.Buffer
	err := gguf.Write(&b,
		[]gguf.KV{{Key: "general.architecture", Value: "llama"}, {Key: "llama.block_count", Value: uint32(30)}},
		[]gguf.Tensor{{Name: "output_norm.weight", Type: quant.F32, Shape: []int{2}, Data: row}})
	if err != nil {
		panic(err)
	}

	f, err := gguf.Parse(b.Bytes())
	if err != nil {
		panic(err)
	}
	arch, _, _ := f.String("general.architecture")
	layers, found, err := f.Uint(arch + ".block_count")
	fmt.Println(arch, layers, found, err)
	_, _, err = f.Uint("general.architecture")
	fmt.Println(err)
	for _, t := range f.Tensors {
		values := make([]float32, t.Shape[0])
		quant.Dequantize(values, t.Type, t.Data)
		fmt.Println(t.Name, t.Type, t.Shape, values)
	}
	// Output:
	// llama 30 true <nil>
	// gguf: general.architecture: the value is string, not an integer
	// output_norm.weight F32 [2] [0.5 -3]
}

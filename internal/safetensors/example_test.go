package safetensors_test

import (
	"bytes"
	"fmt"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/safetensors"
)

// A file is written and read back in memory; Open does the same with a file on disk.
func Example() {
	row := make([]byte, quant.BF16.RowBytes(2))
	quant.Quantize(row, quant.BF16, []float32{0.5, -3})

	var b bytes.Buffer
	err := safetensors.Write(&b, map[string]string{"format": "pt"}, []safetensors.Tensor{
		{Name: "model.norm.weight", DType: "BF16", Shape: []int{2}, Data: row},
	})
	if err != nil {
		panic(err)
	}

	f, err := safetensors.Parse(b.Bytes())
	if err != nil {
		panic(err)
	}
	for _, t := range f.Tensors {
		typ, ok := t.Type()
		values := make([]float32, t.Shape[0])
		quant.Dequantize(values, typ, t.Data)
		fmt.Println(t.Name, typ, ok, t.Shape, values)
	}
	// Output:
	// model.norm.weight BF16 true [2] [0.5 -3]
}

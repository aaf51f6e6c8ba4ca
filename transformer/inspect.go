package transformer

import (
	"fmt"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/simd"
)

// Description is what there is to know about a model before it is loaded.
type Description struct {
	Architecture            string
	Parameters              int64 // numbers in all tensors
	Layers, Dim, FFN        int
	Heads, KVHeads, HeadDim int
	Vocab                   int
	Context                 int // positions it was trained for
	Window                  int // positions that layers with a window see; 0: there are none
	Matrices                []Matrix
	Memory                  int64  // bytes that the weights take
	Kernels                 string // what this processor computes with
}

// Matrix is one matrix of weights.
type Matrix struct {
	Name      string
	Rows      int // outputs
	Cols      int // inputs
	Format    string
	FileBytes int
	Layout    string // number format of what is computed with
	Bytes     int    // that takes
}

// Describe checks a file as Load does, and says what a model of it would be.
// Only the header of the file is read.
func Describe(f *gguf.File, o Options) (Description, error) {
	m := &Model{options: o}
	t, err := m.read(f)
	if err != nil {
		return Description{}, fmt.Errorf("transformer: %w", err)
	}
	c := &m.config
	d := Description{
		Architecture: c.arch,
		Layers:       c.layers, Dim: c.dim, FFN: c.ffn,
		Heads: c.heads, KVHeads: c.kvHeads, HeadDim: c.headDim,
		Vocab: c.vocab, Context: c.context, Window: c.window,
		Kernels: simd.Tier(),
	}
	for _, each := range f.Tensors {
		d.Parameters += int64(each.Rows()) * int64(each.Shape[0])
	}
	for _, l := range t.linears {
		d.Matrices = append(d.Matrices, Matrix{
			Name: l.src.Name, Rows: l.out, Cols: l.in,
			Format: l.src.Type.String(), FileBytes: len(l.src.Data),
			Layout: l.layout.String(), Bytes: l.size(),
		})
		d.Memory += int64(lines(l.size()))
	}
	return d, nil
}

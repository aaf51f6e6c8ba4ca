package transformer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
)

func TestOrder(t *testing.T) {
	x := []float32{0, 2, 4, 1, 3, 5, 10, 12, 14, 11, 13, 15} // two heads of six
	order{}.sort(x)
	if x[1] != 2 {
		t.Errorf("the zero value sorts: %v", x)
	}
	order{head: 6}.sort(x)
	if want := []float32{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}; !slices.Equal(x, want) {
		t.Errorf("%v, not %v", x, want)
	}
}

// TestHalves wants the same bits of a file whose rows of q and k are in the order of halves, in every layout.
func TestHalves(t *testing.T) {
	for _, typ := range []quant.Type{quant.F32, quant.F16, quant.BF16, quant.Q8_0} {
		for _, reference := range []bool{false, true} {
			data := tiny.GGUF(tiny.Config{Type: typ})
			want, got := tinyLogits(t, data, reference), tinyLogits(t, halved(t, data), reference)
			if !slices.Equal(want, got) {
				t.Errorf("%v, reference %v: other logits", typ, reference)
			}
		}
	}
}

func tinyLogits(t *testing.T, data []byte, reference bool) []float32 {
	t.Helper()
	m, err := LoadBytes(data, Options{Reference: reference, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ids := make([]int32, 30)
	for i := range ids {
		ids[i] = int32(7 * i)
	}
	logits := make([]float32, m.VocabSize())
	forward(t, m, Chunk{Tokens: ids, KV: newKV(t, m, len(ids), m.rows()), Logits: logits})
	return logits
}

// halved brings the rows of q and k of a file into the order of halves.
func halved(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := gguf.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	kv := []gguf.KV{{Key: "llama.rope.halves", Value: true}}
	for _, key := range f.Keys() {
		value, _ := f.Get(key)
		kv = append(kv, gguf.KV{Key: key, Value: value})
	}
	for i := range f.Tensors {
		x := &f.Tensors[i]
		if !strings.HasSuffix(x.Name, "attn_q.weight") && !strings.HasSuffix(x.Name, "attn_k.weight") {
			continue
		}
		size, old := x.Type.RowBytes(x.Shape[0]), bytes.Clone(x.Data)
		moved := make([]byte, len(old))
		for row := range x.Rows() {
			to := order{head: 16}.source(row)
			copy(moved[to*size:(to+1)*size], old[row*size:])
		}
		x.Data = moved
	}
	var out bytes.Buffer
	if err := gguf.Write(&out, kv, f.Tensors); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

package fake

import (
	"slices"
	"testing"

	"example.com/minillm/kvcache"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

var _ tokenizer.Tokenizer = Bytes{}

func TestBytes(t *testing.T) {
	const text = "né <|im_end|>!"
	b := Bytes{}
	plain, special := b.Encode(nil, text), b.EncodeSpecial(nil, text)
	if got := string(b.Decode(nil, plain...)); got != text {
		t.Errorf("Decode(Encode) = %q", got)
	}
	if !slices.Contains(special, ImEnd) || slices.Contains(plain, ImEnd) {
		t.Errorf("control token: Encode %v, EncodeSpecial %v", plain, special)
	}
	if got := string(b.Decode(nil, special...)); got != "né !" {
		t.Errorf("Decode of control tokens = %q", got)
	}
}

// memory is the plainest KV: float32 rows, one after another.
type memory struct{ k, v []float32 }

func (m *memory) Put(_, pos int, k, v []float32) {
	for len(m.k) < (pos/kvcache.Group+1)*kvcache.Group*len(k) {
		m.k, m.v = append(m.k, 0), append(m.v, 0)
	}
	copy(m.k[pos*len(k):], k)
	copy(m.v[pos*len(v):], v)
}

func (m *memory) Span(_, _, pos int) kvcache.Span {
	from := pos * Shape.HeadDim
	return kvcache.Span{N: len(m.k)/Shape.HeadDim - pos, K32: m.k[from:], V32: m.v[from:]}
}

func TestModelReadsWhatItWrote(t *testing.T) {
	tokens := []int32{0, 99, 100, 4711, 1_000_003, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
	m := &Model{}
	forward := func(kv kvcache.KV, cut int) []float32 {
		row := make([]float32, m.VocabSize())
		m.Forward([]transformer.Chunk{{Tokens: tokens[:cut], KV: kv}})
		m.Forward([]transformer.Chunk{{Tokens: tokens[cut:], Pos: cut, KV: kv, Logits: row}})
		return row
	}
	kv := &memory{}
	want := forward(kv, 1)
	if got := read(nil, kv, len(tokens)); !slices.Equal(got, tokens) {
		t.Fatalf("read back %v", got)
	}
	for cut := 2; cut < len(tokens); cut++ {
		if !slices.Equal(forward(&memory{}, cut), want) {
			t.Errorf("cut at %d: other logits", cut)
		}
	}
	kv.k[3*8+1] = 0
	if got := read(nil, kv, len(tokens)); slices.Equal(got, tokens) {
		t.Error("a spoilt key went unnoticed")
	}
}

func TestSay(t *testing.T) {
	m := &Model{Script: Say("ok", 3)}
	kv, tokens := &memory{}, []int32{1, 2, 3}
	for _, want := range []int32{'o', 'k', EOS} {
		row := make([]float32, m.VocabSize())
		m.Forward([]transformer.Chunk{{Tokens: tokens, KV: kv, Logits: row}})
		best := int32(0)
		for i := range row {
			if row[i] > row[best] {
				best = int32(i)
			}
		}
		if best != want {
			t.Fatalf("after %v: %d, want %d", tokens, best, want)
		}
		tokens = append(tokens, best)
	}
}

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

// memory is the plainest KV: half-precision rows, groups of 16 positions.
type memory struct{ k, v []uint16 }

func (m *memory) Put(_, pos int, k, v []float32) {
	const d = 8
	for len(m.k) < (pos/16+1)*16*d {
		m.k, m.v = append(m.k, make([]uint16, 16*d)...), append(m.v, make([]uint16, 16*d)...)
	}
	for i := range d {
		m.k[pos/16*16*d+i*16+pos%16] = toHalf(k[i])
		m.v[pos*d+i] = toHalf(v[i])
	}
}

func (m *memory) Span(_, _, pos int) kvcache.Span {
	return kvcache.Span{N: len(m.v)/8 - pos, K: m.k[pos*8:], V: m.v[pos*8:]}
}

func toHalf(x float32) uint16 {
	for h := range uint16(0x7c00) {
		if half(h) == int32(x) && (x != 0 || h == 0) && h&((1<<max(0, 25-int(h>>10)))-1) == 0 {
			return h
		}
	}
	return 0
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
	kv.k[16*8+2] = 0
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

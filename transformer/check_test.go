package transformer

import (
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
)

// noKV fails a test that computes although the batch is wrong.
type noKV struct{ t *testing.T }

func (k noKV) Put(layer, pos int, key, value []float32) { k.t.Error("something was computed") }

func (k noKV) Span(layer, head, pos int) kvcache.Span {
	k.t.Error("something was computed")
	return kvcache.Span{}
}

func TestForwardErrors(t *testing.T) {
	m := loadTiny(t, tiny.Config{Context: 32, Type: quant.Q8_0}, Options{})
	ids := []int32{1, 2, 3}
	vocab, dim := m.VocabSize(), m.Dim()
	for _, test := range []struct {
		chunk Chunk
		says  string
	}{
		{Chunk{}, "no tokens"},
		{Chunk{Tokens: ids, Pos: -1}, "positions -1 to 1 are not within the context of 32"},
		{Chunk{Tokens: ids, Pos: 30}, "positions 30 to 32 are not within"},
		{Chunk{Tokens: ids, Pos: 1 << 62}, "are not within"},
		{Chunk{Tokens: make([]int32, 33)}, "positions 0 to 32 are not within"},
		{Chunk{Tokens: []int32{1, int32(vocab)}}, "token 1: id 267 is not within the vocabulary of 267"},
		{Chunk{Tokens: []int32{-1}}, "token 0: id -1"},
		{Chunk{Tokens: ids, Logits: make([]float32, vocab-1)}, "266 numbers of Logits are not rows of 267"},
		{Chunk{Tokens: ids, Logits: make([]float32, 4*vocab)}, "for at most 3 tokens"},
		{Chunk{Tokens: ids, Hidden: make([]float32, dim+1)}, "65 numbers of Hidden are not rows of 64"},
		{Chunk{Tokens: ids, Hidden: make([]float32, 4*dim)}, "for at most 3 tokens"},
	} {
		test.chunk.KV = noKV{t}
		good := Chunk{Tokens: ids, KV: noKV{t}, Logits: make([]float32, vocab)}
		err := m.Forward([]Chunk{good, test.chunk})
		if err == nil || !strings.Contains(err.Error(), "transformer: chunk 1: ") || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q expected, not: %v", test.says, err)
		}
	}
	if err := m.Forward([]Chunk{{Tokens: ids}}); err == nil || !strings.Contains(err.Error(), "no KV") {
		t.Errorf("without KV: %v", err)
	}
	if err := m.Forward(nil); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}

// TestExtend has a model go on where its training ended.
func TestExtend(t *testing.T) {
	m := loadTiny(t, tiny.Config{Context: 32}, Options{Extend: true})
	whole, kv := newKV(t, m, 80, m.rows()), newKV(t, m, 80, m.rows())
	want, got := make([]float32, m.VocabSize()), make([]float32, m.VocabSize())
	ids := text(m, 80)
	forward(t, m, Chunk{Tokens: ids, KV: whole, Logits: want})
	forward(t, m, Chunk{Tokens: ids[:40], KV: kv})
	forward(t, m, Chunk{Tokens: ids[40:], Pos: 40, KV: kv, Logits: got})
	if !slices.Equal(got, want) {
		t.Error("beyond the context it matters where a prompt is cut")
	}
	if m.Context() != 32 || m.Limit() <= 80 {
		t.Errorf("trained on %d positions, of at most %d", m.Context(), m.Limit())
	}
	err := m.Forward([]Chunk{{Tokens: ids, Pos: mostContext - 1, KV: noKV{t}}})
	if err == nil || !strings.Contains(err.Error(), "are not within") {
		t.Errorf("beyond all bounds: %v", err)
	}
}

// TestForwardAllocates nothing, once buffers are there.
func TestForwardAllocates(t *testing.T) {
	for _, arch := range []string{"llama", "gemma3"} {
		m := loadTiny(t, tinyConfig(arch, quant.Q8_0), Options{})
		batch := make([]Chunk, 3)
		for i := range batch {
			kv := newKV(t, m, 400, m.rows())
			forward(t, m, Chunk{Tokens: text(m, 300), KV: kv})
			batch[i] = Chunk{Tokens: []int32{5}, Pos: 300, KV: kv, Logits: make([]float32, m.VocabSize())}
		}
		step := func() {
			if err := m.Forward(batch); err != nil {
				t.Fatal(err)
			}
			for i := range batch {
				batch[i].Pos++
			}
		}
		if n := testing.AllocsPerRun(50, step); n != 0 {
			t.Errorf("%s: %v allocations a step", arch, n)
		}
	}
}

package scheduler

import (
	"context"
	"math"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
)

// TestDefaults has what a Config says of the sequences and tokens of a step, and
// what becomes of it.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct{ seqs, tokens, wantSeqs, wantTokens int }{
		{0, 0, 128, 256},
		{8, 0, 8, 256},
		{1000, 0, 1000, 1000}, // each gets its token
		{1000, 512, 512, 512},
		{math.MaxInt, 0, math.MaxInt, math.MaxInt},
	} {
		c := New(pages(t, 64, 16), Config{MaxSeqs: tt.seqs, MaxTokens: tt.tokens}).Config()
		if c.MaxSeqs != tt.wantSeqs || c.MaxTokens != tt.wantTokens {
			t.Errorf("%d sequences, %d tokens: %d, %d; want %d, %d", tt.seqs, tt.tokens, c.MaxSeqs, c.MaxTokens, tt.wantSeqs, tt.wantTokens)
		}
	}
}

// A budget without bounds is one that everybody gets a share of.
func TestBudgetOfAllTokens(t *testing.T) {
	s := New(pages(t, 256, 16), Config{MaxTokens: math.MaxInt})
	var seqs []*batch.Sequence
	for i := range 3 {
		seqs = append(seqs, batch.NewSequence(batch.Spec{Prompt: []int32{int32(i), 1, 2, 3, 4}, Max: 3}))
		if err := s.Add(seqs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Run(context.Background(), batch.NewRunner(&fake.Model{}), s); err != nil {
		t.Fatal(err)
	}
	for i, seq := range seqs {
		if len(seq.Output()) != 3 {
			t.Errorf("sequence %d has %v, %v", i, seq.Output(), seq.Finish())
		}
	}
}

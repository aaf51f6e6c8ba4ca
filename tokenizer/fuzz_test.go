package tokenizer

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds adds texts and bytes that are none.
func seeds(f *testing.F) {
	for _, c := range splitCases(f) {
		f.Add(c.Text)
	}
	for _, s := range []string{"\xff", "\xed\xa0\x80", "a\xe4\xb8", "<|im_start|>", "<|channel|> Hello  world", " ▁ ▁", "\x00"} {
		f.Add(s)
	}
}

// FuzzRoundTrip: valid text comes back, whatever it is; other bytes come back as U+FFFD. No id is out of range
// or a control token.
func FuzzRoundTrip(f *testing.F) {
	seeds(f)
	toks := map[string]Tokenizer{"bpe": learned(f), "spm": hello(f)}
	f.Fuzz(func(t *testing.T, text string) {
		for name, tok := range toks {
			ids := tok.Encode(nil, text)
			for _, id := range ids {
				if id < 0 || int(id) >= tok.Size() || vocabularyOf(tok).commands(id) {
					t.Fatalf("%s: %q gives id %d of %d", name, text, id, tok.Size())
				}
			}
			want := text
			if !utf8.ValidString(text) {
				want = string([]rune(text))
			}
			if name == "spm" {
				want = strings.ReplaceAll(want, escapedSpace, " ")
			}
			if got := string(tok.Decode(nil, ids...)); got != want {
				t.Fatalf("%s: %q came back as %q", name, text, got)
			}
			EncodeMixed(tok, nil, text, Span{len(text) / 3, len(text) / 2})
			tok.EncodeSpecial(nil, text)
		}
	})
}

// FuzzStream: the joined pieces of any ids are the whole text, with U+FFFD for what is no character, however the
// ids are cut into a prompt and what continues it; never are more than three bytes held.
func FuzzStream(f *testing.F) {
	f.Add([]byte{0xf0, 0x9f, 0x98, 0x80}, byte(0))
	f.Add([]byte{0x80, 0xc4, 0x8f, 0xf0, 0x9f, 1, 0xe4}, byte(3))
	f.Add([]byte{3, 4, 5, 6, 7, 8, 9, 1, 2}, byte(4))
	toks := []Tokenizer{learned(f), hello(f), NewCharVocab("aé世")}
	f.Fuzz(func(t *testing.T, raw []byte, cut byte) {
		for _, tok := range toks {
			ids := make([]int32, len(raw))
			for i, b := range raw {
				ids[i] = int32(int(b) * 7 % (tok.Size() + 1)) // also one that is no id
			}
			before := ids[:min(int(cut), len(ids))]
			start := len(tok.Decode(nil, before...))
			want := string([]rune(string(tok.Decode(nil, ids...)[start:])))
			s := NewStream(tok, before...)
			var got strings.Builder
			for _, id := range ids[len(before):] {
				got.WriteString(s.Push(id))
				if len(s.held) > 3 {
					t.Fatalf("%d bytes held", len(s.held))
				}
			}
			got.WriteString(s.Flush())
			if got.String() != want {
				t.Fatalf("%v after %v: streamed %q, want %q", ids[len(before):], before, got.String(), want)
			}
		}
	})
}

// FuzzSplit: the stages of every pre-tokenizer give back the text, in pieces that are not empty.
func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for name, p := range pretokenizers {
			var pieces []string
			split(p.stages, text, func(s string) { pieces = append(pieces, s) })
			if strings.Join(pieces, "") != text || slices.Contains(pieces, "") {
				t.Fatalf("%s: %q is cut into %q", name, text, pieces)
			}
		}
	})
}

// FuzzLoad: no file makes the loader panic, nor the tokenizer that it gives.
func FuzzLoad(f *testing.F) {
	f.Add(file(f, smallBPE()...))
	f.Add(file(f, spmKV(piece{"<unk>", unknown}, piece{"<s>", control}, piece{"</s>", control}, piece{"▁a", normal})...))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := LoadBytes(data)
		if err != nil {
			return
		}
		for _, id := range tok.EncodeSpecial(tok.Encode(nil, "ab a\xff<s>▁"), "ab a\xff<s>▁") {
			if id < 0 || int(id) >= tok.Size() {
				t.Fatalf("id %d of %d", id, tok.Size())
			}
			tok.Decode(nil, id)
		}
	})
}

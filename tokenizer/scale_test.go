package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// long are texts that slow tokenizers down: words and runs without end, and no text at all.
func long(n int) map[string]string {
	noise := make([]byte, n)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	texts := map[string]string{"noise": string(noise), "letters": strings.Repeat("abcdefghij", n/10)}
	for _, s := range []string{"a", " ", "\n", "7", "'", "世", "\u0301", "\x01", "<", " \n", "A\u0301", "\u3000"} {
		texts[s] = strings.Repeat(s, n/len(s))
	}
	return texts
}

// TestLongTexts and TestLongPieces fail by the time limit of go test: if any step were quadratic, a megabyte would
// take longer. A limit of their own would only find out how busy the machine is.
func TestLongTexts(t *testing.T) {
	texts := long(100_000)
	if !testing.Short() {
		for _, s := range []string{"a", " ", "abcdefghij"} {
			texts[s] = strings.Repeat(s, 1_000_000/len(s))
		}
	}
	toks := map[string]Tokenizer{"bpe": learned(t), "spm": hello(t)}
	for name, text := range texts {
		for kind, tok := range toks {
			ids := tok.EncodeSpecial(nil, text)
			if got := len(tok.Decode(nil, ids...)); name != "noise" && got != len(text) {
				t.Errorf("%s: %q: %d bytes came back as %d", kind, name, len(text), got)
			}
		}
	}
}

// TestLongPieces tries each way to cut texts.
func TestLongPieces(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n /= 20
	}
	for text, s := range long(n) {
		for name := range splitCases(t)[0].Pieces {
			bytes := 0
			split(pretokenizers[name].stages, s, func(piece string) { bytes += len(piece) })
			if bytes != len(s) {
				t.Errorf("%s: %q: %d bytes of %d", name, text, bytes, len(s))
			}
		}
	}
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	const text = "<|im_start|>The cat, unaccustomed to Wörter, sat. <|channel|> Hello  world!\n"
	for name, tok := range map[string]Tokenizer{"bpe": learned(t), "spm": hello(t)} {
		dst := tok.Encode(nil, text)
		var out []byte
		for what, f := range map[string]func(){
			"Encode":        func() { dst = tok.Encode(dst[:0], text) },
			"EncodeSpecial": func() { dst = tok.EncodeSpecial(dst[:0], text) },
			"Decode":        func() { out = tok.Decode(out[:0], dst...) },
		} {
			if n := testing.AllocsPerRun(100, f); n >= 1 && !raceEnabled {
				t.Errorf("%s: %s allocates %v times", name, what, n)
			}
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	for _, tok := range []Tokenizer{learned(t), hello(t)} {
		cases := splitCases(t)
		want := make([][]int32, len(cases))
		for i, c := range cases {
			want[i] = tok.Encode(nil, c.Text)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i, c := range cases {
					if got := tok.Encode(nil, c.Text); !slices.Equal(got, want[i]) {
						t.Errorf("%q: %v, want %v", c.Text, got, want[i])
					}
				}
			})
		}
		wg.Wait()
	}
}

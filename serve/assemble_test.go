package serve

import (
	"strings"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/tokenizer"
	"example.com/minillm/tokenizer/chat"
)

// cuts is a tokenizer whose tokens are the pieces of one text; -1 is its end.
type cuts struct {
	tokenizer.Tokenizer // the methods that nobody calls
	pieces              [][]byte
}

func (c cuts) Decode(dst []byte, ids ...int32) []byte {
	for _, id := range ids {
		if id < int32(len(c.pieces)) {
			dst = append(dst, c.pieces[id]...)
		}
	}
	return dst
}

func (c cuts) Stops() []int32 { return []int32{int32(len(c.pieces))} }

// cut cuts text into tokens of 0 to 7 bytes.
func cut(text []byte, how uint64) cuts {
	var c cuts
	for len(text) > 0 {
		n := min(int(how&7), len(text))
		if how == 0 {
			n = len(text)
		}
		c.pieces, text, how = append(c.pieces, text[:n]), text[n:], how>>3
	}
	return c
}

// assembled is what becomes of a text that comes in tokens.
func assembled(t *testing.T, c cuts, r *TextRequest) (reasoning, answer string, finish batch.Finish) {
	t.Helper()
	a := Text{Tokenizer: c}.assembler(0, nil, r)
	tokens := 0
	for id := range int32(len(c.pieces) + 1) {
		e := Event{Token: id}
		if id == int32(len(c.pieces)) {
			e.Finish, e.Usage, e.Timing = batch.Stop, &Usage{}, &Timing{}
		} else if a.stream == nil {
			a.stream = &Stream{seq: batch.NewSequence(batch.Spec{Prompt: []int32{0}})}
		}
		p, ok := a.next(e)
		if !ok {
			continue
		}
		reasoning, answer = reasoning+p.Reasoning, answer+p.Text
		if tokens += len(p.IDs); tokens != int(id)+1 {
			t.Fatalf("%d tokens told of after token %d", tokens, id)
		}
		if p.Finish != batch.Running {
			return reasoning, answer, p.Finish
		}
	}
	t.Fatal("no end")
	return
}

// FuzzAssembler: however a text is cut into tokens, within characters, stop
// strings and tags of reasoning, what comes out is the same; and it is the text.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte("<think>a\n</think>\n\nb STOP c"), "STOP", "", uint64(0x1234567), true, false)
	f.Add([]byte("你好🦙é\xff\x80 a < b"), "a <", "b", uint64(0x1111111111), true, true)
	f.Add([]byte("abcDEFGHIJ"), "DEFGHIJ", "GH", uint64(0o1111111), false, true)
	f.Add([]byte("\xf0\x9f"), "", "\ufffd", uint64(0o11), false, false)
	template, err := chat.New("{{ messages }}</think>", bytesOnly{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, stop1, stop2 string, how uint64, think, include bool) {
		r := &TextRequest{Request: Request{Stop: []string{stop1, stop2}}, IncludeStop: include}
		if think {
			r.Split = func() Splitter { return template.Splitter(chat.Options{}) }
		}
		reasoning, answer, finish := assembled(t, cut(text, how), r)
		whole, wholeAnswer, wholeFinish := assembled(t, cut(text, 0), r)
		if reasoning != whole || answer != wholeAnswer || finish != wholeFinish {
			t.Fatalf("cut: %q, %q; whole: %q, %q", reasoning, answer, whole, wholeAnswer)
		}
		valid := string([]rune(string(text)))
		if !think && !strings.HasPrefix(valid, answer) || !strings.Contains(valid, reasoning) {
			t.Fatalf("%q, %q is not of %q", reasoning, answer, valid)
		}
		for _, s := range []string{stop1, stop2} {
			if !include && s != "" && strings.Contains(answer, s) {
				t.Fatalf("%q contains the stop string %q", answer, s)
			}
		}
		if stop1 == "" && stop2 == "" && !think && answer != valid {
			t.Fatalf("%q came out as %q", valid, answer)
		}
	})
}

// bytesOnly is a vocabulary without control tokens.
type bytesOnly struct{ tokenizer.Tokenizer }

func (bytesOnly) Size() int                                   { return 0 }
func (bytesOnly) BOS() (int32, bool)                          { return -1, false }
func (bytesOnly) Stops() []int32                              { return nil }
func (bytesOnly) Piece(int32) []byte                          { return nil }
func (bytesOnly) Decode(dst []byte, _ ...int32) []byte        { return dst }
func (bytesOnly) Encode(dst []int32, _ string) []int32        { return dst }
func (bytesOnly) EncodeSpecial(dst []int32, _ string) []int32 { return dst }

package tokenizer

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestVocab(t *testing.T) {
	v := NewVocab("<unk>", "a", "ab", "abc", "é", "", "a")
	for _, tt := range []struct {
		text string
		ids  []int32
		back string
	}{
		{"abcab a", []int32{3, 2, 0, 1}, "abcab\ufffda"}, {"éx", []int32{4, 0}, "é\ufffd"}, {"", nil, ""},
		{"\xff世", []int32{0, 0}, "\ufffd\ufffd"},
	} {
		got := v.Encode(nil, tt.text)
		if !slices.Equal(got, tt.ids) || !slices.Equal(v.EncodeSpecial(nil, tt.text), got) {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.ids)
		}
		if s := string(v.Decode(nil, got...)); s != tt.back {
			t.Errorf("%q came back as %q", tt.text, s)
		}
	}
	if s := string(v.Decode(nil, -1, 7, 1)); s != "\ufffd\ufffda" {
		t.Errorf("what is no id decodes to %q", s)
	}
	if v.Piece(7) != nil || string(v.Piece(0)) != "<unk>" || v.Size() != 7 {
		t.Error("pieces differ from what was given")
	}
}

func TestVocabSaveAndLoad(t *testing.T) {
	want := NewVocab("?", "new\nline", `"`, "é", "\xff", " ")
	var b bytes.Buffer
	if err := want.Save(&b); err != nil {
		t.Fatal(err)
	}
	got, err := LoadVocab(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.pieces, want.pieces) {
		t.Errorf("got %q, want %q", got.pieces, want.pieces)
	}
	for file, say := range map[string]string{
		"": "first line", "x\n": "first line", vocabHeader + "\n": "no pieces",
		vocabHeader + "\n\"?\"\nx\n": "line 3", vocabHeader + "\n" + strings.Repeat("x", 2<<20): "too long",
	} {
		if _, err := LoadVocab(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%.30q: error %v, want %s", file, err, say)
		}
	}
	full := errors.New("full")
	if err := want.Save(broken{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if err := learned(t).Save(broken{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestTrainErrors(t *testing.T) {
	for _, tt := range []struct {
		o    TrainOptions
		text string
		say  string
	}{
		{TrainOptions{}, "aa", "leave none"},
		{TrainOptions{Size: 257, Special: []string{"<s>"}}, "aa", "leave none"},
		{TrainOptions{Size: 300}, "", "to learn from"},
		{TrainOptions{Size: 300, MinCount: 3}, "aa aa", "to learn from"},
		{TrainOptions{Size: 300, Pre: "klingon"}, "aa", "known are"},
	} {
		if _, err := Train(tt.o, tt.text); err == nil || !strings.Contains(err.Error(), tt.say) {
			t.Errorf("%+v: error %v, want %s", tt.o, err, tt.say)
		}
	}
}

func TestTrainCountsWords(t *testing.T) {
	// "ab" is met four times, and then "bc", " ab" and " bc" twice each, of which "b" has the lowest id. The end of a
	// text and the beginning of the next are no pair.
	tok, err := Train(TrainOptions{Size: 258}, "ab ab ab bc", "abc bc")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tok.Piece(256)) + "," + string(tok.Piece(257)); got != "ab,bc" {
		t.Errorf("learned %q", got)
	}
}

package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/minillm/internal/testenv"
)

// vocabularies are those with golden ids, made by llama.cpp.
var vocabularies = []string{
	"command-r", "deepseek-coder", "deepseek-llm", "falcon", "gemma-4", "gpt-2", "llama-bpe", "llama-spm", "mpt",
	"phi-3", "qwen2", "qwen35", "refact", "starcoder",
}

// loadVocabulary loads a golden vocabulary, or skips the test.
func loadVocabulary(t testing.TB, name string) Tokenizer {
	t.Helper()
	tok, err := Load(testenv.Shared(t, "goldens/tokenizer/ggml-vocab-"+name+".gguf"))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func loadModel(t testing.TB, name string) Tokenizer {
	t.Helper()
	tok, err := Load(testenv.Model(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

type golden struct {
	text string
	ids  []int32
}

// goldens reads the texts and ids beside a vocabulary.
func goldens(t testing.TB, name string) []golden {
	t.Helper()
	base := testenv.Shared(t, "goldens/tokenizer/ggml-vocab-"+name+".gguf")
	inp, err := os.ReadFile(base + ".inp")
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(base + ".out")
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(string(inp), "\n__ggml_vocab_test__\n")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if texts[len(texts)-1] == "" && len(texts) == len(lines)+1 {
		texts = texts[:len(lines)]
	}
	if len(texts) != len(lines) {
		t.Fatalf("%s: %d texts, %d lines of ids", name, len(texts), len(lines))
	}
	gs := make([]golden, len(texts))
	for i := range gs {
		gs[i].text = texts[i]
		for _, field := range strings.Fields(lines[i]) {
			id, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			gs[i].ids = append(gs[i].ids, int32(id))
		}
	}
	return gs
}

// TestVocabularies loads each vocabulary once, for some are large.
func TestVocabularies(t *testing.T) {
	hashes := referenceHashes(t)
	for _, name := range vocabularies {
		t.Run(name, func(t *testing.T) {
			tok := loadVocabulary(t, name)
			t.Run("golden ids", func(t *testing.T) { testGolden(t, tok, goldens(t, name)) })
			t.Run("data stays data", func(t *testing.T) { testDataStaysData(t, tok) })
			if want := hashes[name]; want != nil {
				t.Run("ids of the reference", func(t *testing.T) { testHashes(t, tok, name, want) })
			}
		})
	}
}

// testGolden: the texts hold no control tokens, so both ways to encode give the golden ids. They do hold
// user-defined tokens (runs of spaces of mpt, line breaks of Gemma), which are found in any text.
func testGolden(t *testing.T, tok Tokenizer, gs []golden) {
	for _, g := range gs {
		if got := tok.EncodeSpecial(nil, g.text); !slices.Equal(got, g.ids) {
			t.Errorf("%q\n got %v from EncodeSpecial\nwant %v", g.text, got, g.ids)
		}
		if got := tok.Encode(nil, g.text); !slices.Equal(got, g.ids) {
			t.Errorf("%q\n got %v\nwant %v", g.text, got, g.ids)
		}
		if got := string(tok.Decode(nil, g.ids...)); got != g.text {
			t.Errorf("decoded %q, want %q", got, g.text)
		}
	}
}

// TestPerplexityText compares the first ids of a long text.
func TestPerplexityText(t *testing.T) {
	var files map[string]struct{ IDs []int32 }
	readJSON(t, testenv.Shared(t, "goldens/logits/perplexity.json"), &files)
	text, err := os.ReadFile(testenv.Shared(t, "goldens/logits/text.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"smollm2", "qwen2.5-coder-0.5b", "gemma3-270m"} {
		t.Run(name, func(t *testing.T) {
			path := testenv.Model(t, name)
			tok := loadModel(t, name)
			want := files[strings.TrimSuffix(filepath.Base(path), ".gguf")].IDs
			if len(want) != 4096 {
				t.Fatalf("%d golden ids", len(want))
			}
			got := tok.Encode(nil, string(text))
			if !slices.Equal(got[:len(want)], want) {
				t.Errorf("ids differ")
			}
			if s := string(tok.Decode(nil, got...)); s != string(text) {
				t.Error("the text does not come back")
			}
		})
	}
}

// TestPrompts compares the ids of prompts, and of chats whose templates are rendered.
func TestPrompts(t *testing.T) {
	for _, name := range []string{"smollm2", "qwen2.5-coder-0.5b", "gemma3-270m"} {
		t.Run(name, func(t *testing.T) {
			path := testenv.Model(t, name)
			tok := loadModel(t, name)
			var prompts []struct {
				Text       string
				IDs        []int32
				Greedy     []int32
				GreedyText string `json:"greedy_text"`
			}
			readJSON(t, testenv.Shared(t, "goldens/logits/"+strings.TrimSuffix(filepath.Base(path), ".gguf")+".json"), &prompts)
			for _, p := range prompts {
				var got []int32
				if bos, add := tok.BOS(); add {
					got = append(got, bos)
				}
				if got = tok.EncodeSpecial(got, p.Text); !slices.Equal(got, p.IDs) {
					t.Errorf("%q\n got %v\nwant %v", p.Text, got, p.IDs)
				}
				if got := string(tok.Decode(nil, p.Greedy...)); got != p.GreedyText {
					t.Errorf("decoded %q, want %q", got, p.GreedyText)
				}
			}
		})
	}
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

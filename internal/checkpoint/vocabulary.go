package checkpoint

import (
	"fmt"
	"slices"
	"strings"

	"example.com/minillm/internal/gguf"
)

// The types of tokens, in GGUF's numbers.
const (
	typeNormal  int32 = 1
	typeUnknown int32 = 2
	typeControl int32 = 3
	typeText    int32 = 4 // "user-defined": never taken apart
	typeUnused  int32 = 5
	typeByte    int32 = 6
)

// vocabulary is a tokenizer in GGUF's words.
type vocabulary struct {
	model, pre  string
	tokens      []string
	types       []int32 // 0: no token has this id yet
	merges      []string
	addSpace    bool // before a text
	unknown     int32
	byteSpelled bool // tokens are spelled as in GPT-2's vocabulary
}

// readVocabulary reads tokenizer.json and what other files say about it.
func readVocabulary(dir string, c *config) ([]gguf.KV, error) {
	o, found := readObject(dir, tokenizerName, mostTokenizer)
	if !found {
		return nil, &gguf.FormatError{Kind: kind, Path: dir, What: "there is no " + tokenizerName + ", the only form of vocabulary that is read"}
	}
	v := newVocabulary(o, c.vocab)
	if o.err() != nil {
		return nil, o.err()
	}
	s, err := readSettings(dir, o, v, c)
	if err != nil {
		return nil, err
	}
	return append(v.metadata(), s...), nil
}

// newVocabulary reads the parts of a tokenizer. The embeddings have size rows.
func newVocabulary(o object, size int) *vocabulary {
	model := o.object("model")
	if t := model.text("type"); t != "BPE" && (t != "" || !model.has("merges")) {
		model.fail("type", "%q is not supported, only BPE is", t)
	}
	v := &vocabulary{unknown: -1}
	v.recognise(o, model)
	v.fill(model, size)
	v.readMerges(model)
	v.add(o, size)
	if o.err() == nil && !v.byteSpelled {
		v.respace()
	}
	v.pad()
	return v
}

// fill takes the tokens that merges are made of and make.
func (v *vocabulary) fill(model object, size int) {
	var ids map[string]int
	model.need("vocab", "merges")
	if !model.get("vocab", &ids) {
		return
	}
	v.tokens, v.types = make([]string, size), make([]int32, size)
	for token, id := range ids {
		switch {
		case id < 0 || id >= size:
			model.fail("vocab", "token %q has id %d, but the model has %d", token, id, size)
			return
		case v.types[id] != 0:
			model.fail("vocab", "tokens %q and %q have the same id %d", token, v.tokens[id], id)
			return
		}
		v.tokens[id], v.types[id] = token, v.typeOf(token)
	}
	if unknown := model.text("unk_token"); unknown != "" && !v.byteSpelled {
		id, ok := ids[unknown]
		if !ok {
			model.fail("unk_token", "%q is not in the vocabulary", unknown)
			return
		}
		v.unknown, v.types[id] = int32(id), typeUnknown
	}
}

// typeOf tells the tokens that stand for a byte that no other token has.
func (v *vocabulary) typeOf(token string) int32 {
	if !v.byteSpelled && len(token) == 6 && strings.HasPrefix(token, "<0x") && token[5] == '>' {
		return typeByte
	}
	return typeNormal
}

// readMerges takes the merges, which are "left right" in older files and ["left", "right"] in younger ones.
func (v *vocabulary) readMerges(model object) {
	if !isPairs(model.fields["merges"]) {
		model.get("merges", &v.merges)
		return
	}
	var pairs [][]string
	model.get("merges", &pairs)
	v.joinMerges(model, pairs)
}

// isPairs reports whether a list holds lists.
func isPairs(raw []byte) bool {
	brackets := 0
	for _, b := range raw {
		switch b {
		case '[':
			brackets++
		case ' ', '\t', '\r', '\n':
		default:
			return brackets > 1
		}
	}
	return false
}

func (v *vocabulary) joinMerges(model object, pairs [][]string) {
	v.merges = make([]string, len(pairs))
	for i, p := range pairs {
		if len(p) != 2 || p[0] == "" || strings.Contains(p[0][1:], " ") {
			model.fail("merges", "number %d, %q, is no pair of tokens", i, p)
			return
		}
		v.merges[i] = p[0] + " " + p[1]
	}
}

// add takes the tokens that are found in texts before these are cut. Those beyond the embeddings are left out: some
// models share a vocabulary with larger ones.
func (v *vocabulary) add(o object, size int) {
	added := o.objects("added_tokens")
	if o.err() != nil {
		return
	}
	for _, a := range added {
		a.need("id", "content")
		id, content := int(a.number("id")), a.text("content")
		switch {
		case a.err() != nil || id >= size:
			continue
		case id < 0:
			a.fail("id", "%d", id)
			return
		case v.types[id] != 0 && v.tokens[id] != content:
			a.fail("content", "id %d is %q, but that of %q in the vocabulary", id, content, v.tokens[id])
			return
		}
		v.tokens[id] = content
		switch {
		case id == int(v.unknown):
		case a.flag("special") || looksSpecial(content):
			v.types[id] = typeControl
		default:
			v.types[id] = typeText
		}
	}
}

// looksSpecial tells tokens that are control tokens though some files do not call them so.
func looksSpecial(token string) bool {
	for _, is := range [][2]string{{"<|", "|>"}, {"<｜", "｜>"}, {"<unused", ">"}} {
		if strings.HasPrefix(token, is[0]) && strings.HasSuffix(token, is[1]) {
			return true
		}
	}
	return false
}

// respace does what converters of SentencePiece's vocabularies do: tokens that are never taken apart are found before
// spaces are spelled with a character of their own, and merges know nothing of them.
func (v *vocabulary) respace() {
	added := map[string]bool{}
	for id, token := range v.tokens {
		if v.types[id] == typeText || v.types[id] == typeControl {
			added[token] = true
		}
		if v.types[id] == typeText {
			v.tokens[id] = strings.ReplaceAll(token, spaceSymbol, " ")
		}
	}
	v.merges = slices.DeleteFunc(v.merges, func(merge string) bool {
		left, right, _ := strings.Cut(merge, " ")
		return added[left] || added[right] || added[left+right]
	})
}

// pad gives the ids that no token has a name.
func (v *vocabulary) pad() {
	for id := range v.tokens {
		if v.types[id] == 0 {
			v.tokens[id], v.types[id] = fmt.Sprintf("[PAD%d]", id), typeUnused
		}
	}
}

// id of a token that has one of its own, or -1.
func (v *vocabulary) id(token string) int32 {
	return int32(slices.Index(v.tokens, token))
}

func (v *vocabulary) metadata() []gguf.KV {
	kv := []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: v.model},
		{Key: "tokenizer.ggml.pre", Value: v.pre},
		{Key: "tokenizer.ggml.tokens", Value: v.tokens},
		{Key: "tokenizer.ggml.token_type", Value: v.types},
		{Key: "tokenizer.ggml.merges", Value: v.merges},
	}
	if !v.byteSpelled {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.add_space_prefix", Value: v.addSpace})
	}
	if v.unknown >= 0 {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.unknown_token_id", Value: uint32(v.unknown)})
	}
	return kv
}

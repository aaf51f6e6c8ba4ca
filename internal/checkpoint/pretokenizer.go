package checkpoint

import (
	"fmt"
	"slices"
	"strings"
)

// The patterns of pre-tokenizers, as the makers' files have them.
const (
	gpt2Pattern  = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	signsAndRest = `| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	words        = contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|`
	upper        = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lower        = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	casedRest    = `| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// pretokenizers are the ways to cut a text into words that package tokenizer knows by GGUF's name. whole says that a
// word which is a token is not merged.
var pretokenizers = []struct {
	name  string
	whole bool
	steps []string
}{
	{"gpt-2", false, []string{gpt2Pattern}},
	{"smollm", false, []string{`\p{N}`, gpt2Pattern}},
	{"llama-bpe", true, []string{words + `\p{N}{1,3}` + signsAndRest}},
	{"dbrx", false, []string{words + `\p{N}{1,3}` + signsAndRest}},
	{"qwen2", false, []string{words + `\p{N}` + signsAndRest}},
	{"qwen35", false, []string{contractions +
		`|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`}},
	{"gpt-4o", false, []string{`[^\r\n\p{L}\p{N}]?` + upper + `*` + lower + `+` + contractions + `?|[^\r\n\p{L}\p{N}]?` +
		upper + `+` + lower + `*` + contractions + `?|\p{N}{1,3}` + casedRest}},
	{"tekken", true, []string{`[^\r\n\p{L}\p{N}]?` + upper + `*` + lower + `+|[^\r\n\p{L}\p{N}]?` +
		upper + `+` + lower + `*|\p{N}` + casedRest}},
	{"deepseek-coder", false, []string{`[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", `\p{N}`}},
	{"deepseek-v3", false, []string{`\p{N}{1,3}`, "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
		"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*" +
			`|\s*[\r\n]+|\s+(?!\S)|\s+`}},
}

// spaceSymbol is how SentencePiece spells a space.
const spaceSymbol = "▁"

// recognise finds GGUF's name for how a text is prepared. The wrong one would give the model worse prompts without a sign
// of it, so what is not known is refused.
func (v *vocabulary) recognise(o, model object) {
	for _, field := range []string{"continuing_subword_prefix", "end_of_word_suffix"} {
		if s := model.text(field); s != "" {
			model.fail(field, "%q is not supported", s)
		}
	}
	steps := v.steps(o.object("pre_tokenizer"))
	if o.err() != nil {
		return
	}
	if v.byteSpelled {
		v.byteLevel(o, model, steps)
	} else {
		v.sentencePiece(o, model, steps)
	}
}

// byteLevel recognises the steps of a byte-level vocabulary.
func (v *vocabulary) byteLevel(o, model object, steps []string) {
	v.model = "gpt2"
	whole := model.flag("ignore_merges")
	for _, p := range pretokenizers {
		if p.whole == whole && slices.Equal(p.steps, steps) {
			v.pre = p.name
		}
	}
	if v.pre == "" {
		o.fail("pre_tokenizer", "cutting by %q, with ignore_merges %v, is not supported", steps, whole)
	}
	if model.flag("byte_fallback") {
		model.fail("byte_fallback", "true makes no sense in a vocabulary of bytes")
	}
	// NFC is left to whoever writes the text, as GGUF does, which has no word for it.
	if n := o.object("normalizer"); n.has("type") && n.text("type") != "NFC" {
		n.fail("type", "%q is not supported for a vocabulary of bytes, only NFC is", n.text("type"))
	}
}

// sentencePiece recognises the two ways in which files say that spaces become a character, and whether one is put before
// a text. GGUF has no word for the difference between "first" and "always": whether one comes after control tokens too.
func (v *vocabulary) sentencePiece(o, model object, steps []string) {
	v.model, v.pre = "llama", "default"
	changes := normalizerSteps(o.object("normalizer"))
	const replace, prepend = "replace ", "prepend "
	how := strings.Join(append(changes, steps...), ", ")
	switch how {
	case prepend + ", " + replace, "metaspace always", "metaspace first":
		v.addSpace = true
	case replace, replace + ", merged with previous space", "metaspace never":
	default:
		o.fail("pre_tokenizer", "preparing text by %q is not supported", how)
	}
	if !model.flag("byte_fallback") {
		model.fail("byte_fallback", "false is supported for vocabularies of bytes only")
	}
}

// normalizerSteps are the changes that are made to a text.
func normalizerSteps(o object) (steps []string) {
	switch t := o.text("type"); {
	case t == "":
	case t == "Sequence":
		for _, in := range o.objects("normalizers") {
			steps = append(steps, normalizerSteps(in)...)
		}
	case t == "Prepend" && o.text("prepend") == spaceSymbol:
		steps = append(steps, "prepend ")
	case t == "Replace" && o.object("pattern").text("String") == " " && o.text("content") == spaceSymbol:
		steps = append(steps, "replace ")
	default:
		o.fail("type", "normalizer %q is not supported", t)
	}
	return steps
}

// steps are the patterns that cut a text, one after another.
func (v *vocabulary) steps(o object) (steps []string) {
	switch t := o.text("type"); t {
	case "":
		return nil
	case "Sequence":
		for _, in := range o.objects("pretokenizers") {
			steps = append(steps, v.steps(in)...)
		}
		return steps
	case "ByteLevel":
		return v.byteLevelStep(o)
	case "Digits":
		if o.flag("individual_digits") {
			return []string{`\p{N}`}
		}
		return []string{`\p{N}+`}
	case "Split":
		return []string{splitStep(o)}
	case "Metaspace":
		return []string{metaspaceStep(o)}
	default:
		o.fail("type", "pre-tokenizer %q is not supported", t)
		return nil
	}
}

// byteLevelStep spells bytes, and cuts before that unless another step has.
func (v *vocabulary) byteLevelStep(o object) []string {
	v.byteSpelled = true
	if o.flag("add_prefix_space") {
		o.fail("add_prefix_space", "true is not supported")
	}
	if !o.has("use_regex") || o.flag("use_regex") {
		return []string{gpt2Pattern}
	}
	return nil
}

func splitStep(o object) string {
	pattern, behavior := o.object("pattern"), o.text("behavior")
	switch {
	case behavior == "Isolated" && !o.flag("invert") && pattern.has("Regex"):
		return strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(pattern.text("Regex")) // some files have the bytes themselves
	case behavior == "MergedWithPrevious" && !o.flag("invert") && pattern.text("String") == " ":
		return "merged with previous space" // there are none left: they have become another character
	}
	o.fail("behavior", "splitting by %s with behavior %q and invert %v is not supported", o.fields["pattern"], behavior, o.flag("invert"))
	return ""
}

func metaspaceStep(o object) string {
	if r := o.text("replacement"); r != spaceSymbol {
		o.fail("replacement", "%q is not supported", r)
	}
	if !o.has("split") || o.flag("split") {
		o.fail("split", "true is not supported")
	}
	return fmt.Sprintf("metaspace %s", o.text("prepend_scheme"))
}

package tokenizer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pretokenizer is what a name in a file's tokenizer.ggml.pre stands for.
type pretokenizer struct {
	name   string
	stages []stage
	// whole: a piece that is in the vocabulary is that id, even where the merges would not build it.
	whole bool
	// bos: the model wants BOS before raw text unless its file says otherwise.
	bos bool
}

// pretokenizers by their names in model files. Models whose makers use the
// same pattern share an entry.
//
// The patterns are those of the makers' own tokenizer files. llama.cpp, from
// which the names come, approximates that of tekken and gpt-4o in what it takes
// for upper and lower case beyond ASCII; here both are as their makers have them.
var pretokenizers = func() map[string]pretokenizer {
	all := map[string]pretokenizer{}
	add := func(names string, p pretokenizer) {
		for name := range strings.FieldsSeq(names) {
			p.name = name
			all[name] = p
		}
	}
	llama3 := []stage{words(letter, 3)}
	add("gpt-2 phi-2 mpt olmo jais trillion exaone4 gigachat a.x-4.0 mellum modern-bert granite-docling jina-es "+
		"jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe", pretokenizer{stages: []stage{gpt2}})
	add("smollm starcoder refact command-r codeshell exaone minerva-7b mellum2",
		pretokenizer{stages: []stage{digits(1), gpt2}})
	add("falcon", pretokenizer{stages: []stage{runs(false, falconPunct), gpt2, threeDigits}})
	add("llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2",
		pretokenizer{stages: llama3, whole: true, bos: true})
	add("dbrx smaug-bpe glm4 chatglm-bpe", pretokenizer{stages: llama3})
	add("qwen2 deepseek-r1-qwen stablelm2 hunyuan megrez solar-open grok-2 kormo f2llmv2",
		pretokenizer{stages: []stage{words(letter, 1)}})
	add("qwen35", pretokenizer{stages: []stage{words(letter|mark, 1)}})
	add("gpt-4o llama4 kanana2 minimax-m2", pretokenizer{stages: []stage{cased(3, true)}})
	add("tekken", pretokenizer{stages: []stage{cased(1, false)}, whole: true, bos: true})
	add("deepseek-coder", pretokenizer{stages: []stage{
		lineBreaks, runs(true, has(letter)), runs(true, has(punct)), runs(false, eastAsian), digits(1),
	}})
	add("deepseek-llm", pretokenizer{stages: []stage{
		lineBreaks, runs(true, deepseekLetter), runs(true, deepseekPunct), trailingSpace, runs(false, eastAsian),
		runs(false, has(number)),
	}})
	add("deepseek-v3 hunyuan-dense joyai-llm hy_v4", pretokenizer{stages: []stage{
		digits(3), runs(false, kanaHan), deepseek3,
	}})
	return all
}()

// pretokenizer finds the one that the file names. The wrong one would give the
// model worse prompts without a sign of it, so an unknown name is an error and
// no guess.
func (m *metadata) pretokenizer() (pretokenizer, error) {
	p, ok := pretokenizers[m.pre]
	if ok {
		return p, nil
	}
	what := "missing"
	if m.pre != "" {
		what = fmt.Sprintf("unknown pre-tokenizer %q", m.pre)
	}
	known := strings.Join(slices.Sorted(maps.Keys(pretokenizers)), ", ")
	return p, fmt.Errorf("%w; known are %s", m.wrong("tokenizer.ggml.pre", "%s", what), known)
}

package transformer

import (
	"maps"
	"slices"
	"strings"
)

// family is what one architecture has that another has not, beside its numbers.
type family struct {
	interleaved bool // RoPE turns neighbours, as llama files are permuted for; else the halves of a head
	biases      need // of q, k and v
	headNorms   bool // RMS norms of each head of q and k
	sandwich    bool // norms after attention and feed-forward too, before they are added
	gelu        bool // the gate of the feed-forward is GELU (tanh), not SiLU
	scaleEmbed  bool // embedding rows are multiplied by the square root of their length
	local       bool // five of six layers see a window only, with RoPE of a base of their own
}

// need says whether a file has a tensor.
type need uint8

const (
	never need = iota
	maybe
	always
)

// families are the architectures by their names in GGUF files.
//
// Sources: the papers of LLaMA (arXiv:2302.13971), Qwen2 (arXiv:2407.10671), Qwen3 (arXiv:2505.09388) and Gemma 3
// (arXiv:2503.19786), and what their reference implementations do.
var families = map[string]family{
	"llama":  {interleaved: true, biases: maybe},
	"qwen2":  {biases: always},
	"qwen3":  {headNorms: true, biases: maybe},
	"gemma3": {headNorms: true, sandwich: true, gelu: true, scaleEmbed: true, local: true},
}

func knownFamilies() string {
	return strings.Join(slices.Sorted(maps.Keys(families)), ", ")
}

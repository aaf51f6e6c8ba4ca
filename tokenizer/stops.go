package tokenizer

import (
	"maps"
	"slices"
	"strings"
)

// endNames are the spellings of tokens that end a turn, a text or, for models
// that fill in code, a file. A model file names one or two of the ids that its
// model stops with; the others are known by their names only.
var endNames = strings.Fields(`
	<|eot_id|> <|eom_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|>
	<end_of_turn> <turn|> <eos> </s> <|endoftext|> <|end_of_text|> <EOT> _<EOT> [EOT] [EOS]
	<end_of_utterance> <|tool_response> <｜end▁of▁sentence｜> [e~[
	<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD] <|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>`)

// stopIDs returns the ids among declared and those known by name that end a
// generation, and mends the kinds of tokens that files get wrong. A token that
// merges build is text, whatever it looks like.
func (m *metadata) stopIDs(declared ...int32) []int32 {
	byName := m.named()
	var stops []int32
	add := func(id int32) {
		if id >= 0 && !slices.Contains(stops, id) {
			stops = append(stops, id)
		}
	}
	for _, id := range declared {
		add(id)
	}
	for _, name := range endNames {
		if id, ok := byName[name]; ok && !m.markup(name, id, byName) {
			m.kinds[id] = control
			add(id)
		}
	}
	stops = m.keepGoing(stops, byName)
	slices.Sort(stops)
	return stops
}

// named returns the ids of the tokens that this file knows by name.
func (m *metadata) named() map[string]int32 {
	names := map[string]int32{"<s>": -1}
	for _, name := range endNames {
		names[name] = -1
	}
	for id, token := range m.tokens {
		if _, known := names[token]; known {
			names[token] = int32(id)
		}
	}
	maps.DeleteFunc(names, func(_ string, id int32) bool { return id < 0 })
	return names
}

// markup reports whether a token is text in spite of its name: because a merge
// builds it, or because it closes a tag, as "</s>" does where "<s>" is no control token.
func (m *metadata) markup(name string, id int32, byName map[string]int32) bool {
	if m.kinds[id] == control {
		return false
	}
	if name == "</s>" {
		if open, ok := byName["<s>"]; !ok || m.kinds[open] != control {
			return true
		}
	}
	return m.built(name)
}

// built reports whether a merge makes the token.
func (m *metadata) built(token string) bool {
	for _, merge := range m.merges {
		if left, right, ok := cutMerge(merge); ok && len(left)+len(right) == len(token) && left+right == token {
			return true
		}
	}
	return false
}

// keepGoing takes "<|end|>" out of stops where it divides the messages of one
// turn, which other tokens end.
func (m *metadata) keepGoing(stops []int32, byName map[string]int32) []int32 {
	has := func(name string) bool { _, ok := byName[name]; return ok }
	id, ok := byName["<|end|>"]
	if !ok || !(has("<|return|>") && has("<|call|>") || has("<|flush|>") && (has("<|call|>") || has("<|calls|>"))) {
		return stops
	}
	m.kinds[id] = marker
	return slices.DeleteFunc(stops, func(s int32) bool { return s == id })
}

package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"example.com/minillm/internal/gguf"
)

// readSettings are GGUF's words for what other files say about a tokenizer: which ids begin and end a text, and how to
// chat.
func readSettings(dir string, tokenizer object, v *vocabulary, c *config) ([]gguf.KV, error) {
	o, _ := readObject(dir, settingsName, mostSettings)
	g, _ := readObject(dir, generationName, mostSettings)
	bos, eos := v.named(o, "bos_token"), v.named(o, "eos_token")
	if ids := c.ids("bos_token_id", len(v.tokens)); bos < 0 && len(ids) > 0 && !o.has("bos_token") {
		bos = ids[0]
	}
	stops := g.ids("eos_token_id", len(v.tokens))
	if len(stops) == 0 {
		stops = c.ids("eos_token_id", len(v.tokens))
	}
	if eos < 0 && len(stops) > 0 {
		eos = stops[0]
	}
	kv := []gguf.KV{{Key: "tokenizer.ggml.add_bos_token", Value: bos >= 0 && addsBOS(o, tokenizer, v.tokens[bos])}}
	if bos >= 0 {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.bos_token_id", Value: uint32(bos)})
	}
	if eos >= 0 {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.eos_token_id", Value: uint32(eos)})
	}
	if len(stops) > 0 {
		slices.Sort(stops)
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.eos_token_ids", Value: slices.Compact(stops)})
	}
	template, err := readTemplate(dir, o)
	if template != "" {
		kv = append(kv, gguf.KV{Key: "tokenizer.chat_template", Value: template})
	}
	return kv, cmp.Or(o.err(), g.err(), c.err(), tokenizer.err(), err)
}

// named is the id of a token that is named by its text or as an object that has it as content; -1 where there is none.
func (v *vocabulary) named(o object, field string) int32 {
	if !o.has(field) {
		return -1
	}
	text := ""
	if json.Unmarshal(o.fields[field], &text) != nil {
		text = o.object(field).text("content")
	}
	return v.id(text)
}

// addsBOS reports whether every text begins with the token: because a file says so, or because the step after encoding
// puts it there.
func addsBOS(settings, tokenizer object, bos string) bool {
	const field = "add_bos_token"
	if settings.has(field) {
		return settings.flag(field)
	}
	return putsFirst(tokenizer.object("post_processor"), bos)
}

func putsFirst(o object, token string) bool {
	for _, in := range o.objects("processors") {
		if putsFirst(in, token) {
			return true
		}
	}
	single := o.objects("single")
	return len(single) > 0 && single[0].has("SpecialToken") && single[0].object("SpecialToken").text("id") == token
}

// readTemplate finds the chat template: in a file of its own, or among the settings, where there may be one for each of
// several uses.
func readTemplate(dir string, settings object) (string, error) {
	const field = "chat_template"
	data, err := readFile(filepath.Join(dir, field+".jinja"), mostSettings)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(data), err
	}
	o, found := readObject(dir, field+".json", mostSettings)
	if !found {
		o = settings
	}
	if raw := o.fields[field]; len(raw) == 0 || raw[0] != '[' {
		return o.text(field), o.err()
	}
	for _, t := range o.objects(field) {
		if t.text("name") == "default" {
			return t.text("template"), o.err()
		}
	}
	return "", o.err()
}

package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ardanlabs/jinja"
)

// Message is one turn of a conversation. Its texts may be anything; its Role
// should be one of a few words, because some templates spell the name of a
// control token with it.
type Message struct {
	Role       string     // system, user, assistant, tool, or what else the template knows
	Content    string     // the text
	Null       bool       // there is no content, not even an empty one: templates tell null from ""
	Name       string     // of the speaker or the tool; left out if empty
	Reasoning  string     // of an assistant, apart from its Content; left out if empty
	ToolCalls  []ToolCall // of an assistant
	ToolCallID string     // of a tool's result: the call it answers
}

// ToolCall is an assistant's call of a function.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // a JSON object; templates get it as one, anything else as text
}

// Options say how a conversation is rendered. The zero value asks for an
// answer without thinking.
type Options struct {
	// NoGenerationPrompt leaves out the beginning of the assistant's answer.
	NoGenerationPrompt bool

	// Thinking lets a model that can think before it answers do so: the
	// variables enable_thinking and thinking.
	Thinking bool

	// Tools are the functions that may be called, JSON objects as OpenAI
	// defines them. The order of their keys reaches the prompt.
	Tools []json.RawMessage

	// Variables are further ones for the template (chat_template_kwargs), of
	// any type that has a JSON form. They go before those of Thinking, but
	// cannot be messages, tools or add_generation_prompt.
	Variables map[string]any

	// BOS and EOS are the texts of the tokens that begin and end a text. If
	// empty they are those of the vocabulary: the ids of its BOS method and of
	// its EOS method, or if it has none the first of its Stops.
	BOS, EOS string

	// Now is the clock of templates that write the date; time.Now if nil.
	Now func() time.Time
}

// variables are what a template knows of the conversation.
func (t *Template) variables(messages []Message, o Options) (map[string]jinja.Value, error) {
	vars := map[string]jinja.Value{
		"enable_thinking": jinja.NewBool(o.Thinking),
		"thinking":        jinja.NewBool(o.Thinking),
	}
	for name, x := range o.Variables {
		data, err := json.Marshal(x)
		if err == nil {
			vars[name], err = parseText(data)
		}
		if err != nil {
			return nil, fmt.Errorf("chat: variable %s: %w", name, err)
		}
	}
	for _, name := range []string{"messages", "tools", "add_generation_prompt"} {
		if _, ok := vars[name]; ok {
			return nil, fmt.Errorf("chat: the variable %s is not the caller's to set", name)
		}
	}
	list := make([]jinja.Value, len(messages))
	for i, m := range messages {
		list[i] = t.message(m)
	}
	vars["messages"] = jinja.NewList(list)
	vars["add_generation_prompt"] = jinja.NewBool(!o.NoGenerationPrompt)
	return vars, setTools(vars, o.Tools)
}

// setTools leaves tools undefined where there are none: an empty list is
// something else to some templates.
func setTools(vars map[string]jinja.Value, tools []json.RawMessage) error {
	if len(tools) == 0 {
		return nil
	}
	list := make([]jinja.Value, len(tools))
	for i, tool := range tools {
		v, err := parseText(tool)
		if err != nil {
			return fmt.Errorf("chat: tool %d: %w", i, err)
		}
		list[i] = v
	}
	vars["tools"] = jinja.NewList(list)
	return nil
}

// message is m as a template sees it. What a message does not have is not
// there, since templates ask whether a key is.
func (t *Template) message(m Message) jinja.Value {
	v := jinja.NewDict()
	d := v.AsDict()
	d.Set("role", text(m.Role))
	if m.Null {
		d.Set("content", jinja.None())
	} else {
		d.Set("content", text(m.Content))
	}
	optional := func(key, s string) {
		if s != "" {
			d.Set(key, text(s))
		}
	}
	optional(t.reasoning, m.Reasoning)
	if len(m.ToolCalls) > 0 {
		calls := make([]jinja.Value, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			calls[i] = c.value()
		}
		d.Set("tool_calls", jinja.NewList(calls))
	}
	optional("tool_call_id", m.ToolCallID)
	optional("name", m.Name)
	return v
}

func (c ToolCall) value() jinja.Value {
	arguments := text(c.Arguments)
	if v, err := parseText([]byte(c.Arguments)); err == nil && v.IsDict() {
		arguments = v
	}
	function, call := jinja.NewDict(), jinja.NewDict()
	function.AsDict().Set("name", text(c.Name))
	function.AsDict().Set("arguments", arguments)
	if c.ID != "" {
		call.AsDict().Set("id", text(c.ID))
	}
	call.AsDict().Set("type", jinja.NewString("function"))
	call.AsDict().Set("function", function)
	return call
}

// text is s as a value. Bytes that are no UTF-8 are not text, and what is
// made of them should not depend on what a template does.
func text(s string) jinja.Value { return jinja.NewString(valid(s)) }

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// parseText is parseJSON with valid strings.
func parseText(data []byte) (jinja.Value, error) {
	v, err := parseJSON(data)
	return mapStrings(v, valid), err
}

// reasoningKey is the key that a template reads a message's reasoning from.
func reasoningKey(template string) string {
	for _, key := range []string{"reasoning_content", "reasoning", "thinking"} {
		for _, form := range []string{"message.", "msg.", "m.", "'", `"`} {
			if strings.Contains(template, form+key) {
				return key
			}
		}
	}
	return "reasoning_content"
}

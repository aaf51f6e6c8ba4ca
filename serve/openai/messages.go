package openai

import (
	"net/http"
	"slices"
	"strings"

	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/tokenizer/chat"
)

var roles = []string{"system", "developer", "user", "assistant", "tool"}

// readMessages reads the conversation.
func readMessages(b *wire.Body) []chat.Message {
	if !b.Has("messages") {
		b.Fail(http.StatusBadRequest, "messages", "is missing")
		return nil
	}
	var messages []chat.Message
	for _, o := range b.Objects("messages", maxMessages) {
		messages = append(messages, readMessage(o))
	}
	if len(messages) == 0 {
		b.Fail(b.Bounds, "messages", "must not be empty")
	}
	return messages
}

func readMessage(o *wire.Body) chat.Message {
	var m chat.Message
	o.String("role", &m.Role)
	if !slices.Contains(roles, m.Role) {
		o.Fail(http.StatusBadRequest, "role", "%s is none of %s", wire.Quote(m.Role), strings.Join(roles, ", "))
	}
	m.Null = !o.Has("content")
	m.Content = readContent(o)
	o.String("name", &m.Name)
	switch m.Role {
	case "assistant":
		readAssistant(o, &m)
	case "tool":
		o.String("tool_call_id", &m.ToolCallID)
	case "developer":
		m.Role = "system" // the same by its old name, which templates know
	}
	if m.Null && m.Role != "assistant" {
		o.Fail(http.StatusBadRequest, "content", "is missing")
	}
	return m
}

// readAssistant reads what only an assistant's message has.
func readAssistant(o *wire.Body, m *chat.Message) {
	o.String("reasoning", &m.Reasoning)
	o.String("reasoning_content", &m.Reasoning)
	o.Accept("annotations")
	for _, name := range []string{"refusal", "audio", "function_call"} {
		o.Refuse(name)
	}
	for _, c := range o.Objects("tool_calls", maxParts) {
		m.ToolCalls = append(m.ToolCalls, readToolCall(c))
	}
}

func readToolCall(c *wire.Body) (call chat.ToolCall) {
	kind := "function"
	c.String("type", &kind)
	c.String("id", &call.ID)
	c.Accept("index")
	f := c.Object("function")
	if kind != "function" || f == nil {
		c.Fail(http.StatusBadRequest, "function", "is missing")
		return call
	}
	f.String("name", &call.Name)
	f.String("arguments", &call.Arguments)
	if call.Name == "" {
		f.Fail(http.StatusBadRequest, "name", "is missing")
	}
	return call
}

// readContent reads a text, or an array of parts that are texts, which are
// joined by newlines.
func readContent(o *wire.Body) string {
	var text string
	if o.Kind("content") != '[' {
		o.Value("content", "a string or an array of parts", &text)
		return text
	}
	var texts []string
	for _, p := range o.Objects("content", maxParts) {
		texts = append(texts, readPart(p))
	}
	return strings.Join(texts, "\n")
}

func readPart(p *wire.Body) (text string) {
	kind := ""
	p.String("type", &kind)
	if kind != "text" {
		p.Fail(http.StatusBadRequest, "type", "%s is not supported, only text is", wire.Quote(kind))
		return ""
	}
	if !p.Has("text") {
		p.Fail(http.StatusBadRequest, "text", "is missing")
	}
	p.String("text", &text)
	return text
}

package chat

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ardanlabs/jinja"
	"github.com/google/go-cmp/cmp"

	"example.com/minillm/internal/testenv"
)

// goldens are what Jinja makes of the templates of well-known models.
type goldens struct {
	dir     string
	Globals map[string]string
	Cases   map[string]conversation
	// Expected outcomes by template and case; Raises is the kind of error.
	Expected map[string]map[string]struct{ Output, Raises, Message string }
}

type conversation struct {
	Messages            []jsonMessage
	Tools               []json.RawMessage
	AddGenerationPrompt bool  `json:"add_generation_prompt"`
	EnableThinking      *bool `json:"enable_thinking"`
}

// jsonMessage is a message as it travels.
type jsonMessage struct {
	Role, Name string
	Content    *string
	Reasoning  string `json:"reasoning_content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string
		Function struct {
			Name      string
			Arguments json.RawMessage
		}
	} `json:"tool_calls"`
}

func (m jsonMessage) message() Message {
	out := Message{Role: m.Role, Name: m.Name, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID}
	if out.Null = m.Content == nil; !out.Null {
		out.Content = *m.Content
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
	}
	return out
}

func (c conversation) messages() (out []Message) {
	for _, m := range c.Messages {
		out = append(out, m.message())
	}
	return out
}

func loadGoldens(t testing.TB) goldens {
	path := testenv.Shared(t, "goldens/chat/expected.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := goldens{dir: filepath.Join(filepath.Dir(path), "templates")}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g goldens) template(t testing.TB, name string) *Template {
	src, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := New(string(src), vocab{control: controlTokens(string(src))})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tmpl
}

// controlTokens are the spellings in a template that look like control tokens.
func controlTokens(src string) []string {
	tokens := []string{"<s>"}
	for i := range src {
		for _, marks := range []string{"<>", "[]"} {
			end := strings.IndexByte(src[i:], marks[1])
			if src[i] != marks[0] || end < 2 {
				continue
			}
			s := src[i : i+end+1]
			if !strings.ContainsAny(s[1:], " \n\t'\"{}<[]:,") && !slices.Contains(tokens, s) && !strings.ContainsAny(s, "0123456789+-") {
				tokens = append(tokens, s)
			}
		}
	}
	return tokens
}

// options are what the goldens were made with, which leaves the variables of
// thinking undefined but in the case that is about them.
func (g goldens) execute(t testing.TB, tmpl *Template, c conversation, messages []Message) (string, *run, error) {
	now, err := time.Parse("2006-01-02T15:04:05", g.Globals["now"])
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		NoGenerationPrompt: !c.AddGenerationPrompt, Tools: c.Tools,
		BOS: g.Globals["bos_token"], EOS: g.Globals["eos_token"],
		Now: func() time.Time { return now },
	}
	vars, err := tmpl.variables(messages, o)
	if err != nil {
		t.Fatal(err)
	}
	delete(vars, "thinking")
	delete(vars, "enable_thinking")
	if c.EnableThinking != nil {
		vars["enable_thinking"] = jinja.NewBool(*c.EnableThinking)
	}
	for _, name := range []string{"pad_token", "unk_token"} {
		vars[name] = jinja.NewString(g.Globals[name])
	}
	return tmpl.execute(vars, o, false)
}

// TestGoldens renders every template as Jinja does. Where a template raised an
// error of Python's, which is lenient here or not, it must not panic.
func TestGoldens(t *testing.T) {
	g := loadGoldens(t)
	equal, raised, other := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(g.Expected)) {
		tmpl := g.template(t, name)
		for kind, want := range g.Expected[name] {
			c := g.Cases[kind]
			hidden, r, err := g.execute(t, tmpl, c, c.messages())
			var refused *RaisedError
			switch {
			case want.Raises == "TemplateError":
				if !errors.As(err, &refused) || refused.Message != want.Message {
					t.Errorf("%s, %s: %v, want the refusal %q", name, kind, err, want.Message)
				}
				raised++
			case want.Raises != "":
				if err != nil && strings.Contains(err.Error(), "runtime error") {
					t.Errorf("%s, %s: %v", name, kind, err)
				}
				other++
			case err != nil:
				t.Errorf("%s, %s: %v", name, kind, err)
			default:
				if diff := cmp.Diff(want.Output, r.shadow.reveal(hidden).text); diff != "" {
					t.Errorf("%s, %s: (-want +got)\n%s", name, kind, diff)
				} else {
					equal++
				}
			}
		}
	}
	t.Logf("%d rendered as Jinja does, %d refused as they should be, %d beyond Python's type errors", equal, raised, other)
}

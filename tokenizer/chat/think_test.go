package chat

import (
	"strings"
	"testing"
)

// splitAll is what a splitter makes of pieces.
func splitAll(s *Splitter, pieces ...string) (thought, answer string) {
	for _, p := range pieces {
		r, a := s.Push(p)
		thought, answer = thought+r, answer+a
	}
	r, a := s.Flush()
	return thought + r, answer + a
}

var splitterTests = []struct {
	name            string
	state           splitState
	reply           string
	thought, answer string
}{
	{"reasoning first", beginning, "<think>\nr\n</think>\n\na", "r\n", "a"},
	{"none", beginning, "a", "", "a"},
	{"tag in the answer", beginning, "a <think>b</think>", "", "a <think>b</think>"},
	{"space before", beginning, "\n <think>r</think>a", "r", "\n a"},
	{"never closed", beginning, "<think>r </thin", "r </thin", ""},
	{"beginning of a tag", beginning, "<thin", "", "<thin"},
	{"like a tag", beginning, "<Direct answer", "", "<Direct answer"},
	{"less than", beginning, "a < b", "", "a < b"},
	{"less than in reasoning", beginning, "<think>a < b <</think>c < d", "a < b <", "c < d"},
	{"tags again", beginning, "<think><think>r</think>a</think>b", "<think>r", "a</think>b"},
	{"newlines only", beginning, "<think>\n\n</think>\n\n", "", ""},
	{"begun in the prompt", reasoning, "\nr Question: r2</think>ans", "r Question: r2", "ans"},
	{"begun, never closed", reasoning, "r", "r", ""},
	{"no tags", answering, "<think>r</think>a", "", "<think>r</think>a"},
	{"empty", beginning, "", "", ""},
	{"characters", reasoning, "日本</think>🙂", "日本", "🙂"},
}

func splitter(state splitState) *Splitter {
	return &Splitter{tags: knownTags[0], state: state, bare: state == reasoning}
}

func TestSplitter(t *testing.T) {
	for _, tt := range splitterTests {
		for i := range len(tt.reply) + 1 {
			for j := i; j <= len(tt.reply); j++ {
				thought, answer := splitAll(splitter(tt.state), tt.reply[:i], tt.reply[i:j], tt.reply[j:])
				if thought != tt.thought || answer != tt.answer {
					t.Fatalf("%s, cut at %d and %d: %q and %q, want %q and %q", tt.name, i, j, thought, answer, tt.thought, tt.answer)
				}
			}
		}
	}
	if thought, answer := splitAll(&Splitter{}, "<think>", "a"); thought != "" || answer != "<think>a" {
		t.Errorf("zero value: %q and %q", thought, answer)
	}
}

// TestSplitterHoldsLittle: what cannot be a tag comes at once.
func TestSplitterHoldsLittle(t *testing.T) {
	for _, tt := range []struct{ reply, answer string }{
		{"<Direct", "<Direct"}, {"a < b", "a < b"}, {"<", ""}, {"<think", ""}, {"<thinker", "<thinker"}, {" ", " "},
	} {
		if _, answer := splitter(beginning).Push(tt.reply); answer != tt.answer {
			t.Errorf("%q: %q came, want %q", tt.reply, answer, tt.answer)
		}
	}
	if thought, _ := splitter(reasoning).Push("a </thin </th"); thought != "a </thin " {
		t.Errorf("reasoning: %q came", thought)
	}
}

func TestSplitterOfTemplate(t *testing.T) {
	forced := strings.Replace(chatMLTemplate, "assistant\n", "assistant\n<think>\n{# </think> #}", 1)
	for _, tt := range []struct {
		template string
		o        Options
		want     Splitter
	}{
		{chatMLTemplate, Options{}, Splitter{}},
		{thinkTemplate, Options{}, Splitter{tags: knownTags[0], state: beginning}},
		{thinkTemplate, Options{Thinking: true}, Splitter{tags: knownTags[0], state: beginning}},
		{forced, Options{}, Splitter{tags: knownTags[0], state: reasoning, bare: true}},
		{forced, Options{NoGenerationPrompt: true}, Splitter{tags: knownTags[0], state: beginning}},
	} {
		tmpl := must(t, tt.template, chatML)
		if got := tmpl.Splitter(tt.o); *got != tt.want {
			t.Errorf("%.20q, %+v: %+v, want %+v", tt.template, tt.o, *got, tt.want)
		}
		if tmpl.Tags() != tt.want.tags {
			t.Errorf("tags %v, want %v", tmpl.Tags(), tt.want.tags)
		}
	}
}

// TestGoldenTags has what some well-known models think with.
func TestGoldenTags(t *testing.T) {
	g := loadGoldens(t)
	for name, want := range map[string]string{
		"Qwen-Qwen3-0.6B": "<think>", "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "<think>", "GLM-4.6": "<think>",
		"ByteDance-Seed-OSS": "<seed:think>", "mistralai-Ministral-3-14B-Reasoning-2512": "[THINK]",
		"CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|START_THINKING|>", "Apertus-8B-Instruct": "<|inner_prefix|>",
		"Qwen-Qwen2.5-7B-Instruct": "", "meta-llama-Llama-3.2-3B-Instruct": "", "google-gemma-2-2b-it": "",
	} {
		if got := g.template(t, name+".jinja").Tags().Open; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	qwq := g.template(t, "Qwen-QwQ-32B.jinja").Splitter(Options{Thinking: true})
	if thought, answer := splitAll(qwq, "r</think>\n\na"); thought != "r" || answer != "a" {
		t.Errorf("QwQ, whose prompt ends in <think>: %q and %q", thought, answer)
	}
}

// FuzzSplitter: where a reply is cut makes no difference.
func FuzzSplitter(f *testing.F) {
	for _, tt := range splitterTests {
		f.Add(tt.reply, uint8(3), tt.state == reasoning)
	}
	f.Fuzz(func(t *testing.T, reply string, step uint8, begun bool) {
		state := beginning
		if begun {
			state = reasoning
		}
		wantThought, wantAnswer := splitAll(splitter(state), reply)
		var pieces []string
		for rest := reply; rest != ""; {
			n := min(int(step)%7+1, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		thought, answer := splitAll(splitter(state), pieces...)
		if thought != wantThought || answer != wantAnswer {
			t.Errorf("%q and %q, uncut %q and %q", thought, answer, wantThought, wantAnswer)
		}
		if kept := len(thought) + len(answer); kept > len(reply) {
			t.Errorf("%d bytes of %d", kept, len(reply))
		}
	})
}

package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer/chat"
)

// context of the test server: positions of one request.
const room = 256

// chatML has a reply begin with thoughts if thinking is on.
const chatML = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking %}<think>
{% endif %}{% endif %}{# </think> #}`

type server struct {
	*httptest.Server
	engine  *serve.Engine
	handler *Handler
}

// newServer serves m over a paged cache, with chatML for a template.
func newServer(t testing.TB, m *fake.Model, change ...func(*Options)) *server {
	t.Helper()
	return newServerOf(t, m, serve.Options{}, change...)
}

// newServerOf is newServer with options of the engine.
func newServerOf(t testing.TB, m *fake.Model, eo serve.Options, change ...func(*Options)) *server {
	t.Helper()
	tok := fake.Bytes{}
	template, err := chat.New(chatML, tok)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := paged.New(fake.Shape, paged.Options{Positions: 64 * 32, Limit: room, Block: 16})
	if err != nil {
		t.Fatal(err)
	}
	e := serve.New(batch.NewRunner(m), scheduler.New(cache, scheduler.Config{}), eo)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	o := Options{Template: template, Models: []string{"fake", "alias"}, Context: room}
	for _, f := range change {
		f(&o)
	}
	h := New(serve.Text{Engine: e, Tokenizer: tok}, tok, o)
	s := &server{httptest.NewServer(h), e, h}
	t.Cleanup(func() {
		s.Close()
		stop()
		<-done
		if free := cache.Free(); free != 64*32 {
			t.Errorf("%d positions free at the end, of %d", free, 64*32)
		}
	})
	return s
}

// say is a model that answers whatever it is asked with text.
func say(text string) *fake.Model {
	return &fake.Model{Script: func(tokens []int32) int32 {
		at := len(tokens) - answerStart(tokens)
		if at < len(text) {
			return int32(text[at])
		}
		return fake.EOS
	}}
}

// answerStart is where the answer begins in a conversation of chatML, or, in a
// raw text, after its last '>'.
func answerStart(tokens []int32) int {
	var raw []byte
	var index []int // of the token after each byte
	for i, t := range tokens {
		for _, b := range (fake.Bytes{}).Piece(t) {
			raw, index = append(raw, b), append(index, i+1)
		}
	}
	for _, mark := range []string{"<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n", ">"} {
		if at := bytes.LastIndex(raw, []byte(mark)); at >= 0 {
			return index[at+len(mark)-1]
		}
	}
	return 0
}

func (s *server) post(t testing.TB, path, body string) (status int, answer string, h http.Header) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// ask posts a body and decodes the answer, which must be one.
func ask[T any](t testing.TB, s *server, path, body string) T {
	t.Helper()
	status, answer, _ := s.post(t, path, body)
	if status != http.StatusOK {
		t.Fatalf("%s %.200s: status %d: %s", path, body, status, answer)
	}
	var v T
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("%s: %v: %s", path, err, answer)
	}
	return v
}

// events posts a body and returns the data of the events that come back.
func (s *server) events(t testing.TB, path, body string) []string {
	t.Helper()
	status, answer, h := s.post(t, path, body)
	if status != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%s %.200s: status %d, %s: %s", path, body, status, h.Get("Content-Type"), answer)
	}
	var data []string
	for lines := bufio.NewScanner(strings.NewReader(answer)); lines.Scan(); {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, d)
		} else if lines.Text() != "" {
			t.Fatalf("a line that belongs to no event: %q", lines.Text())
		}
	}
	return data
}

// decode decodes the events but [DONE], which must be the last.
func decode[T any](t testing.TB, data []string) []T {
	t.Helper()
	if data[len(data)-1] != "[DONE]" {
		t.Fatalf("the last event is %s", data[len(data)-1])
	}
	var all []T
	for _, d := range data[:len(data)-1] {
		var v T
		if err := json.Unmarshal([]byte(d), &v); err != nil {
			t.Fatalf("%v: %s", err, d)
		}
		all = append(all, v)
	}
	return all
}

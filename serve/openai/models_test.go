package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"

	"example.com/minillm/internal/fake"
	"example.com/minillm/tokenizer/chat"
)

func template(t testing.TB, source string) *chat.Template {
	t.Helper()
	template, err := chat.New(source, fake.Bytes{})
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestModels(t *testing.T) {
	s := newServer(t, say("ok"))
	status, body := get(t, s.URL+"/v1/models")
	var all list[modelInfo]
	if err := json.Unmarshal([]byte(body), &all); err != nil || status != 200 || len(all.Data) != 2 || all.Object != "list" {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	if m := all.Data[0]; m.ID != "fake" || m.Object != "model" || m.Created == 0 || m.Context != room {
		t.Errorf("got %+v", m)
	}
	for name, want := range map[string]int{"fake": 200, "alias": 200, "default": 200, "other": 404, "a/b": 404} {
		if status, body := get(t, s.URL+"/v1/models/"+name); status != want {
			t.Errorf("%s: status %d, want %d: %s", name, status, want, body)
		} else if want == 404 {
			if _, param, code := refusal(t, name, body); param != "model" || code != "model_not_found" {
				t.Errorf("%s: %s", name, body)
			}
		}
	}
	for asked, want := range map[string]string{`""`: "fake", `"default"`: "fake", `null`: "fake", `"fake"`: "fake", `"alias"`: "alias"} {
		if r := ask[chatReply](t, s, "/v1/chat/completions", `{`+hi+`, "model": `+asked+`}`); r.Model != want {
			t.Errorf("asked for %s, answered by %s", asked, r.Model)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	s := newServer(t, &fake.Model{})
	type reply struct {
		Object, Model string
		Data          []struct {
			Object    string
			Index     int
			Embedding []float32
		}
		Usage embeddingUsage
	}
	one := ask[reply](t, s, "/v1/embeddings", `{"input": "hello"}`)
	var norm float64
	for _, x := range one.Data[0].Embedding {
		norm += float64(x) * float64(x)
	}
	if math.Abs(norm-1) > 1e-5 || one.Usage != (embeddingUsage{5, 5}) || one.Model != "fake" || one.Object != "list" || one.Data[0].Object != "embedding" {
		t.Errorf("length² %v: %+v", norm, one)
	}
	many := ask[reply](t, s, "/v1/embeddings", `{"input": ["other", "hello", "third"]}`)
	if len(many.Data) != 3 || many.Data[1].Index != 1 || !slices.Equal(many.Data[1].Embedding, one.Data[0].Embedding) || many.Usage.Prompt != 15 {
		t.Errorf("got %+v", many)
	}
	ids := ask[reply](t, s, "/v1/embeddings", `{"input": [[104, 101, 108, 108, 111]]}`)
	if !slices.Equal(ids.Data[0].Embedding, one.Data[0].Embedding) {
		t.Error("ids and text differ")
	}
	coded := ask[struct{ Data []struct{ Embedding string } }](t, s, "/v1/embeddings", `{"input": "hello", "encoding_format": "base64"}`)
	b, err := base64.StdEncoding.DecodeString(coded.Data[0].Embedding)
	if err != nil || len(b) != 4*len(one.Data[0].Embedding) {
		t.Fatalf("%v, %d bytes", err, len(b))
	}
	for i, x := range one.Data[0].Embedding {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])); got != x {
			t.Errorf("value %d: %v as base64, %v as number", i, got, x)
		}
	}
	long := ask[reply](t, s, "/v1/embeddings", `{"input": `+many2048+`}`)
	if len(long.Data) != 2048 || long.Usage.Prompt != 2048 {
		t.Errorf("%d embeddings, %d tokens", len(long.Data), long.Usage.Prompt)
	}
}

var many2048 = many(`"x"`, 2048)

func TestTokenize(t *testing.T) {
	s := newServer(t, say("ok"))
	for body, want := range map[string][]int32{
		`{"prompt": "hi"}`: {'h', 'i'},
		`{"prompt": "hi", "add_special_tokens": false}`: {'h', 'i'},
		`{"prompt": "<|eos|>"}`:                         {'<', '|', 'e', 'o', 's', '|', '>'},
		`{"prompt": ""}`:                                {},
		`{` + hi + `, "add_generation_prompt": false}`:  {fake.ImStart, 'u', 's', 'e', 'r', '\n', 'h', 'i', fake.ImEnd, '\n'},
	} {
		got := ask[tokenized](t, s, "/tokenize", body)
		if !slices.Equal(got.Tokens, want) || got.Count != len(want) || got.Tokens == nil || got.Context != room {
			t.Errorf("%s: %+v, want %v", body, got, want)
		}
	}
	if got := ask[tokenized](t, s, "/tokenize", `{"prompt": "é", "return_token_strs": true}`).Strings; !slices.Equal(got, []string{`\xc3`, `\xa9`}) {
		t.Errorf("strings %q", got)
	}
	for body, want := range map[string]string{
		`{"tokens": [104, 195, 169, 257]}`: "hé",
		`{"tokens": [195]}`:                "\ufffd",
		`{"tokens": []}`:                   "",
	} {
		if got := ask[struct{ Prompt string }](t, s, "/detokenize", body).Prompt; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

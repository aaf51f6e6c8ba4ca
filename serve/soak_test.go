package serve_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/serve"
	"example.com/minillm/serve/guard"
	"example.com/minillm/serve/native"
	"example.com/minillm/serve/openai"
)

var (
	soakTime    = flag.Duration("soak", time.Second, "how long TestSoak goes on")
	soakClients = flag.Int("clients", 24, "how many clients it has")
	soakModel   = flag.String("model", "", "the model file; a tiny one of no file by default")
)

// limit is the context of the model; the pool holds two such requests, of the
// eight that may run, so that they take the memory from each other.
const limit = 256

// house is a server as the command has it, over a tiny model.
type house struct {
	*httptest.Server
	model *minillm.Model

	mu        sync.Mutex
	last      serve.StepInfo // what the engine said last
	contained []*serve.PanicError
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{}
	m := open(t, minillm.Options{
		Threads: 1, Parallel: 8, Context: limit, KVPositions: 2 * limit,
		Observer: serve.Observer{
			Step:     func(s serve.StepInfo) { h.mu.Lock(); h.last = s; h.mu.Unlock() },
			Panicked: func(p *serve.PanicError) { h.mu.Lock(); h.contained = append(h.contained, p); h.mu.Unlock() },
		},
	})
	h.model = m
	mux := http.NewServeMux()
	api := openai.New(m.Text(), m.Tokenizer(), openai.Options{Template: m.Template(), Models: []string{"tiny"}, Context: m.Context()})
	for _, path := range api.Paths() {
		mux.Handle(path, api)
	}
	mux.Handle("/", native.New(m.Text(), m.Template(), "tiny"))
	quiet := slog.New(slog.DiscardHandler)
	h.Server = httptest.NewServer(guard.Log(guard.Recover(mux, quiet), quiet))
	t.Cleanup(func() { h.Close(); m.Close() })
	return h
}

func open(t *testing.T, o minillm.Options) *minillm.Model {
	t.Helper()
	var m *minillm.Model
	var err error
	if *soakModel != "" {
		m, err = minillm.Open(*soakModel, o)
	} else {
		m, err = minillm.OpenBytes(tiny.GGUF(tiny.Config{Context: limit, Layers: 1}), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *house) state() serve.StepInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// question is a request with the answer it has when nothing is beside it.
type question struct {
	path, body string
	want       string
}

// questions returns n of all kinds. Many begin alike; some want all the context.
func questions(t *testing.T, n int) []question {
	t.Helper()
	alone := newHouse(t)
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]question, n)
	for i := range all {
		q := &all[i]
		q.path, q.body = randomQuestion(r)
		resp, err := http.Post(alone.URL+q.path, "application/json", strings.NewReader(q.body))
		if err != nil {
			t.Fatal(err)
		}
		if q.want, err = answer(resp); err != nil {
			t.Fatalf("%s %s: %v", q.path, q.body, err)
		}
	}
	return all
}

func randomQuestion(r *rand.Rand) (path, body string) {
	words := []string{"the", "sea", "and", "a", "ship", "went", "over", "it", "slowly"}
	prompt := strings.Repeat("once upon a time ", r.IntN(4))
	for range r.IntN(12) {
		prompt += words[r.IntN(len(words))] + " "
	}
	prompt += "then"
	fields := map[string]any{"max_tokens": 1 + r.IntN(limit/2), "temperature": 0}
	if r.IntN(2) == 0 {
		fields["temperature"], fields["seed"], fields["top_k"], fields["min_p"] = 1.5, r.IntN(100), 20, 0.01
	}
	if r.IntN(4) == 0 {
		fields["repeat_penalty"], fields["ignore_eos"] = 1.2, true
	}
	if r.IntN(4) == 0 {
		fields["stop"] = []string{"e", "th"}
	}
	switch r.IntN(6) {
	case 0:
		path, fields["messages"] = "/v1/chat/completions", []any{map[string]any{"role": "user", "content": prompt}}
	case 1:
		path, fields = "/generate", map[string]any{"prompt": prompt, "max_new_tokens": 1 + r.IntN(limit/2)}
	case 2:
		path, fields = "/stream", map[string]any{"prompt": prompt, "max_new_tokens": 1 + r.IntN(limit/2), "temperature": 1.2, "seed": r.IntN(50)}
	case 3:
		path, fields = "/v1/embeddings", map[string]any{"input": []string{prompt, "and another"}}
	case 4:
		path, fields["prompt"], fields["n"], fields["max_tokens"] = "/v1/completions", prompt, 3, 1+r.IntN(20)
	default:
		path, fields["prompt"], fields["logprobs"], fields["echo"] = "/v1/completions", []string{prompt, "second"}, 2, true
	}
	if strings.HasPrefix(path, "/v1/c") && r.IntN(2) == 0 {
		fields["stream"] = true
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return path, string(b)
}

// TestSoak has many clients do whatever clients do, good and bad, for a while.
// Every answer that is not cut off is the one that its question has alone;
// nothing fails on the server's side; and when all have gone nothing is left.
func TestSoak(t *testing.T) {
	all := questions(t, 60)
	h := newHouse(t)
	h.run(t, all, min(*soakTime/10, 10*time.Second)) // until pools and caches have their sizes
	h.settle(t)
	before := measure(h)

	done := h.run(t, all, *soakTime)
	h.settle(t)
	after := measure(h)
	t.Logf("%v; %d preemptions; heap %d kB, then %d kB; %d goroutines, then %d", done, h.state().Policy.Preempted,
		before.heap>>10, after.heap>>10, before.goroutines, after.goroutines)
	if after.goroutines > before.goroutines+2 {
		buf := make([]byte, 1<<16)
		t.Errorf("goroutines left behind:\n%s", buf[:runtime.Stack(buf, true)])
	}
	if after.heap > before.heap+4<<20 {
		t.Errorf("the heap has grown by %d kB", (after.heap-before.heap)>>10)
	}
	if len(h.contained) > 0 {
		t.Errorf("%d panics, the first:\n%s", len(h.contained), h.contained[0].Stack)
	}
	if h.state().Policy.Preempted == 0 {
		t.Error("nobody was preempted: the pool is too large for the test")
	}
}

// counts is what became of the requests.
type counts struct{ right, busy, refused, cut atomic.Int64 }

func (c *counts) String() string {
	return fmt.Sprintf("%d right answers, %d told to come again, %d refused, %d cut off", c.right.Load(), c.busy.Load(), c.refused.Load(), c.cut.Load())
}

func (h *house) run(t *testing.T, all []question, d time.Duration) *counts {
	t.Helper()
	done := &counts{}
	end := time.Now().Add(d)
	var wg sync.WaitGroup
	for i := range *soakClients {
		wg.Go(func() {
			c := &client{
				t: t, url: h.URL, questions: all, done: done,
				random: rand.New(rand.NewPCG(uint64(i), uint64(d))),
				http:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}},
			}
			defer c.http.CloseIdleConnections()
			for time.Now().Before(end) && !t.Failed() {
				c.act()
			}
		})
	}
	wg.Wait()
	if done.right.Load() == 0 {
		t.Error("no answer was right, or there was none")
	}
	return done
}

// settle waits until the engine has nothing left and has given all memory back.
func (h *house) settle(t *testing.T) {
	t.Helper()
	engine := h.model.Text().Engine
	for range 1000 {
		n, _ := engine.Load()
		if s := h.state(); n == 0 && s.Cache.Used == 0 && s.Policy.Running == 0 && s.Policy.Waiting == 0 {
			http.DefaultClient.CloseIdleConnections()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	n, _ := engine.Load()
	t.Fatalf("%d requests and this state are left: %+v", n, h.state())
}

type size struct {
	heap       uint64
	goroutines int
}

// measure waits a little for connections that are just being closed.
func measure(h *house) (s size) {
	h.CloseClientConnections()
	for range 50 {
		time.Sleep(20 * time.Millisecond)
		n := runtime.NumGoroutine()
		if n == s.goroutines {
			break
		}
		s.goroutines = n
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.heap = m.HeapAlloc
	return s
}

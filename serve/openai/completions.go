package openai

import (
	"net/http"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// defaultMost is the most new tokens of a completion that names none.
const defaultMost = 16

func (h *Handler) completions(w http.ResponseWriter, r *http.Request) {
	q, err := read(h, w, r, h.completionRequest)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	requests := q.requests(h)
	f := &completionForm{header: newHeader("cmpl-", &q.settings), handler: h, q: q, places: map[int]*place{}}
	h.answer(w, r, f, requests, &q.settings)
}

// completionRequest is the body of a completion.
type completionRequest struct {
	settings
	texts []prompt
	ids   [][]int32 // of texts
	echo  bool
	asked bool // for log-probabilities, which are also computed to choose the best
}

// completionRequest reads a body; what is wrong with it, the body notes.
func (h *Handler) completionRequest(b *wire.Body) *completionRequest {
	q := &completionRequest{settings: h.settings(b)}
	q.fallback = defaultMost
	b.Bool("echo", &q.echo)
	q.readMost(b)
	q.readLogprobs(b)
	q.readBest(b)
	b.Refuse("suffix", `""`)
	q.texts = h.readPrompts(b, "prompt", maxPrompts)
	if n := len(q.texts) * q.best; n > maxAnswers {
		b.Fail(b.Bounds, "prompt", "%d prompts with %d choices each are %d answers, at most %d", len(q.texts), q.best, n, maxAnswers)
	}
	return q
}

// readMost reads the most new tokens. None means that the prompt is scored.
func (q *completionRequest) readMost(b *wire.Body) {
	given := b.Has("max_tokens")
	b.Int("max_tokens", &q.MaxTokens, 0, 1<<31-1)
	q.OnlyPrompt = given && q.MaxTokens == 0
	if q.OnlyPrompt && !q.echo {
		b.Fail(b.Bounds, "max_tokens", "must be at least 1 without echo")
	}
}

func (q *completionRequest) readLogprobs(b *wire.Body) {
	q.asked = b.Has("logprobs")
	b.Int("logprobs", &q.TopLogprobs, 0, maxLogprobs)
	q.Logprobs = q.asked
	q.PromptLogprobs = q.asked && q.echo
}

// readBest reads how many choices are generated to answer with the best of.
func (q *completionRequest) readBest(b *wire.Body) {
	b.Int("best_of", &q.best, 1, maxChoices)
	switch {
	case q.best < q.N:
		b.Fail(b.Bounds, "best_of", "%d is less than n, which is %d", q.best, q.N)
	case q.best > q.N && q.stream:
		b.Fail(http.StatusBadRequest, "best_of", "more than n cannot be streamed")
	case q.best > q.N:
		q.Logprobs = true
	}
}

// requests encodes the prompts.
func (q *completionRequest) requests(h *Handler) []serve.TextRequest {
	for _, p := range q.texts {
		q.ids = append(q.ids, h.encode(p))
	}
	return q.prompts(q.ids...)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/serve"
)

type run struct {
	model   modelFlags
	request requestFlags
	system  string
	raw     bool
	noCache bool
	json    bool
}

func newRun() *cobra.Command {
	r := &run{}
	cmd := &cobra.Command{
		Use:   "run PROMPT",
		Short: "Print the answer to a prompt (- reads it from standard input)",
		Args:  exactly(1, "one prompt"),
		RunE:  func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	r.model.register(cmd)
	r.request.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&r.system, "system", "", "system message")
	fs.BoolVar(&r.raw, "raw", false, "continue the text, without a chat template")
	fs.BoolVar(&r.noCache, "no-cache", false, "compute the whole sequence for every token, to see what the KV cache saves")
	fs.BoolVar(&r.model.reference, "reference", false, "compute in float32, with f32 keys and values")
	fs.BoolVar(&r.json, "json", false, "print one line of JSON with text, ids, counts and times")
	return cmd
}

func (r *run) run(ctx context.Context, prompt string) error {
	if err := r.request.check(); err != nil {
		return err
	}
	if r.raw && r.system != "" {
		return usagef("--raw and --system exclude each other: a raw text has no system message")
	}
	prompt, err := text(ctx, prompt)
	if err != nil {
		return err
	}
	m, err := r.model.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	pieces, err := r.pieces(ctx, m, prompt)
	if err != nil {
		return err
	}
	reply, err := serve.Collect(r.show(pieces))
	if err != nil {
		return err
	}
	return r.report(reply)
}

// pieces asks for the answer, rendered by the template unless there is none.
func (r *run) pieces(ctx context.Context, m *minillm.Model, prompt string) (iter.Seq2[minillm.Piece, error], error) {
	if prompt == "" {
		return nil, minillm.ErrEmpty
	}
	ids, err := r.encode(m, prompt)
	if err != nil {
		return nil, err
	}
	return m.Text().Generate(ctx, serve.TextRequest{Request: r.request.request(), Prompt: ids, NoCache: r.noCache})
}

func (r *run) encode(m *minillm.Model, prompt string) ([]int32, error) {
	if r.raw {
		return m.Text().Encode(prompt), nil
	}
	messages := []minillm.Message{{Role: "user", Content: prompt}}
	if r.system != "" {
		messages = append([]minillm.Message{{Role: "system", Content: r.system}}, messages...)
	}
	ids, err := m.EncodeChat(messages, r.request.think)
	if errors.Is(err, minillm.ErrNoTemplate) && r.system == "" {
		fmt.Fprintln(os.Stderr, "minillm: the model has no chat template: continuing the raw text")
		return m.Text().Encode(prompt), nil
	}
	return ids, err
}

// show prints the text as it comes, unless JSON is wanted.
func (r *run) show(pieces iter.Seq2[minillm.Piece, error]) iter.Seq2[minillm.Piece, error] {
	if r.json {
		return pieces
	}
	return func(yield func(minillm.Piece, error) bool) {
		for p, err := range pieces {
			text := p.Text
			if p.Usage != nil {
				text += "\n"
			}
			if _, broken := fmt.Print(text); err == nil {
				err = printed(broken)
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

func (r *run) report(reply *minillm.Reply) error {
	if !r.json {
		fmt.Fprintf(os.Stderr, "%d prompt tokens, %d new, %.1f tokens/s, first after %s\n", reply.Usage.PromptTokens,
			reply.Usage.CompletionTokens, reply.TokensPerSecond(), brief(reply.Timing.TTFT))
		return nil
	}
	return printed(json.NewEncoder(os.Stdout).Encode(runResult{
		Text: reply.Text, FinishReason: reply.Finish.String(),
		PromptTokens: reply.Usage.PromptTokens, CachedTokens: reply.Usage.CachedTokens, CompletionTokens: reply.Usage.CompletionTokens,
		IDs: reply.IDs, TTFT: milliseconds(reply.Timing.TTFT), Latency: milliseconds(reply.Timing.Total), TokensPerSecond: reply.TokensPerSecond(),
	}))
}

type runResult struct {
	Text             string  `json:"text"`
	FinishReason     string  `json:"finish_reason"`
	PromptTokens     int     `json:"prompt_tokens"`
	CachedTokens     int     `json:"cached_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	IDs              []int32 `json:"ids"`
	TTFT             float64 `json:"ttft_ms"`
	Latency          float64 `json:"latency_ms"`
	TokensPerSecond  float64 `json:"tokens_per_second"`
}

// brief writes a duration with as many digits as people read.
func brief(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

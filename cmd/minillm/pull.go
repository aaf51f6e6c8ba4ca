package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/minillm/internal/hub"
)

// hubFlags say which hub is asked.
type hubFlags struct{ address string }

func (f *hubFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "hub", "", "`address` of the hub (default: $HF_ENDPOINT, or "+hub.Base+")")
}

// client returns the hub, whose files are kept in the user's cache.
func (f *hubFlags) client() (*hub.Client, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for models: %w", err)
	}
	return &hub.Client{
		Base:  cmp.Or(f.address, os.Getenv("HF_ENDPOINT")),
		Token: os.Getenv("HF_TOKEN"),
		Dir:   filepath.Join(cache, "minillm", "models"),
		Agent: "minillm/" + version(),
	}, nil
}

// find returns the path of a model in the cache, and fetches it if it is not
// there.
func (f *hubFlags) find(ctx context.Context, model string) (string, error) {
	c, err := f.client()
	if err != nil {
		return "", err
	}
	r, err := c.Parse(model)
	if err != nil {
		return "", usageError{err}
	}
	if path, ok := c.Cached(r); ok {
		return path, nil
	}
	return fetchModel(ctx, c, r)
}

// fetchModel shows how far a transfer is, and says how to go on with one that
// stopped.
func fetchModel(ctx context.Context, c *hub.Client, r hub.Ref) (string, error) {
	bar := newBar("fetching " + r.String())
	defer bar.end()
	started := false
	c.Progress = func(done, total int64) { started = true; bar.show(done, total) }
	path, err := c.Pull(ctx, r)
	if err != nil && started && !errors.Is(err, hub.ErrChecksum) {
		return "", fmt.Errorf("%w; what has come is kept: the same command goes on from there", err)
	}
	return path, err
}

func newPull() *cobra.Command {
	f := &hubFlags{}
	cmd := &cobra.Command{
		Use:   "pull MODEL",
		Short: "Fetch a model from a hub, and print the path of its file",
		Long: `Fetch a model from Hugging Face's hub, or one that speaks its file API, into the
user's cache, and print the path of its file. A transfer that stopped goes on
where it was; the checksum that the hub names is compared. A file that is there
already is compared with the hub's and fetched again only if it differs.

MODEL is owner/repo where the repository has one model, owner/repo:Q4_K_M or
owner/repo:file.gguf where it has several, or the address of a file. A token for
repositories that want one is read from $HF_TOKEN; it goes to the hub alone.`,
		Example: `  minillm pull owner/repo:Q4_K_M
  minillm pull https://huggingface.co/owner/repo/resolve/main/model.gguf
  minillm run --model hf.co/owner/repo:Q4_K_M "What is gravity?"`,
		Args:              exactly(1, "one model"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			r, err := c.Parse(args[0])
			if err != nil {
				return usageError{err}
			}
			path, err := fetchModel(cmd.Context(), c, r)
			if err != nil {
				return err
			}
			_, err = fmt.Println(path)
			return printed(err)
		},
	}
	f.register(cmd)
	return cmd
}

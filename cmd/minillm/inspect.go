package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/minillm/internal/gguf"
)

func newInspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Describe a model file: architecture, sizes, number formats, tokenizer, template",
		Args:  exactly(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := gguf.Open(args[0])
			if err != nil {
				return explain(args[0], err)
			}
			defer f.Close()
			d, err := describe(f)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(os.Stdout).Encode(d)
			}
			return d.print(os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}

// description is what inspect tells of a file.
type description struct {
	Format       string         `json:"format"`
	Architecture string         `json:"architecture"`
	Name         string         `json:"name,omitempty"`
	Parameters   int64          `json:"parameters"`
	Bytes        int64          `json:"tensor_bytes"`
	Sizes        map[string]any `json:"sizes"` // metadata of the architecture
	Formats      []formatCount  `json:"number_formats"`
	Tokenizer    string         `json:"tokenizer,omitempty"`
	Vocabulary   int            `json:"vocabulary"`
	Template     string         `json:"chat_template,omitempty"`
}

// formatCount is how much of a file is in one number format.
type formatCount struct {
	Format  string `json:"format"`
	Tensors int    `json:"tensors"`
	Bytes   int64  `json:"bytes"`
}

func describe(f *gguf.File) (*description, error) {
	d := &description{Format: fmt.Sprintf("GGUF %d", f.Version), Sizes: map[string]any{}}
	r := &textReader{file: f}
	d.Architecture = r.text("general.architecture")
	d.Name = r.text("general.name")
	d.Tokenizer = strings.TrimSpace(r.text("tokenizer.ggml.model") + " " + r.text("tokenizer.ggml.pre"))
	d.Template = r.text("tokenizer.chat_template")
	if r.err != nil {
		return nil, r.err
	}
	tokens, _, err := f.Strings("tokenizer.ggml.tokens")
	if err != nil {
		return nil, err
	}
	d.Vocabulary = len(tokens)
	for _, key := range f.Keys() {
		if name, ok := strings.CutPrefix(key, d.Architecture+"."); ok {
			d.Sizes[name], _ = f.Get(key)
		}
	}
	d.count(f.Tensors)
	return d, nil
}

func (d *description) count(tensors []gguf.Tensor) {
	counts := map[string]*formatCount{}
	for _, t := range tensors {
		n := int64(1)
		for _, size := range t.Shape {
			n *= int64(size)
		}
		d.Parameters += n
		d.Bytes += int64(len(t.Data))
		name := t.Type.String()
		if counts[name] == nil {
			counts[name] = &formatCount{Format: name}
		}
		counts[name].Tensors++
		counts[name].Bytes += int64(len(t.Data))
	}
	for _, c := range counts {
		d.Formats = append(d.Formats, *c)
	}
	slices.SortFunc(d.Formats, func(a, b formatCount) int { return int(b.Bytes - a.Bytes) })
}

func (d *description) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "format\t%s\n", d.Format)
	fmt.Fprintf(w, "architecture\t%s\n", d.Architecture)
	if d.Name != "" {
		fmt.Fprintf(w, "name\t%s\n", d.Name)
	}
	fmt.Fprintf(w, "parameters\t%.1f M in %.1f MB\n", float64(d.Parameters)/1e6, float64(d.Bytes)/1e6)
	for _, c := range d.Formats {
		fmt.Fprintf(w, "  %s\t%d tensors, %.1f MB\n", c.Format, c.Tensors, float64(c.Bytes)/1e6)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Sizes)) {
		fmt.Fprintf(w, "%s\t%.60s\n", name, fmt.Sprint(d.Sizes[name]))
	}
	fmt.Fprintf(w, "tokenizer\t%s, %d tokens\n", d.Tokenizer, d.Vocabulary)
	if d.Template == "" {
		fmt.Fprintf(w, "chat template\tnone\n")
	} else {
		fmt.Fprintf(w, "chat template\t%d characters\n", len(d.Template))
	}
	return w.Flush()
}

// textReader reads optional strings and keeps the first error.
type textReader struct {
	file *gguf.File
	err  error
}

func (r *textReader) text(key string) string {
	s, _, err := r.file.String(key)
	if r.err == nil {
		r.err = err
	}
	return s
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/transformer"
)

func newInspect() *cobra.Command {
	var asJSON bool
	var model sourceFlags
	cmd := &cobra.Command{
		Use:   "inspect [FILE]",
		Short: "Describe a model file: architecture, sizes, number formats, tokenizer, template",
		Args:  atMostOne,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"gguf"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			model.model = strings.Join(args, "")
			src, err := model.find(cmd.Context())
			if err != nil {
				return err
			}
			f, err := src.file()
			if err != nil {
				return err
			}
			defer f.Close()
			d, err := describe(f)
			if err != nil {
				return err
			}
			if asJSON {
				return printed(json.NewEncoder(os.Stdout).Encode(d))
			}
			return printed(d.print(os.Stdout))
		},
	}
	model.hub.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}

// description is what inspect tells of a file.
type description struct {
	Format     string                   `json:"format"`
	Name       string                   `json:"name,omitempty"`
	Bytes      int64                    `json:"tensor_bytes"`
	Formats    []formatCount            `json:"number_formats"`
	Tokenizer  string                   `json:"tokenizer,omitempty"`
	Vocabulary int                      `json:"vocabulary"`
	Template   string                   `json:"chat_template,omitempty"`
	Model      *transformer.Description `json:"model,omitempty"`
	Unusable   string                   `json:"unusable,omitempty"` // why the model cannot be run
}

// formatCount is how much of a file is in one number format, and what it is
// computed with.
type formatCount struct {
	Format  string `json:"format"`
	Layout  string `json:"layout"`
	Tensors int    `json:"tensors"`
	Bytes   int64  `json:"bytes"`
	Memory  int64  `json:"memory"`
}

func describe(f *gguf.File) (*description, error) {
	d := &description{Format: fmt.Sprintf("GGUF %d", f.Version)}
	if f.Version == 0 {
		d.Format = "safetensors"
	}
	r := &textReader{file: f}
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
	for _, t := range f.Tensors {
		d.Bytes += int64(len(t.Data))
	}
	model, err := transformer.Describe(f, transformer.Options{})
	if err != nil {
		d.Unusable = err.Error()
		return d, nil
	}
	d.Model = &model
	d.count(model.Matrices)
	return d, nil
}

// count groups the matrices by number format and layout, the largest first.
func (d *description) count(matrices []transformer.Matrix) {
	counts := map[[2]string]*formatCount{}
	for _, m := range matrices {
		key := [2]string{m.Format, m.Layout}
		if counts[key] == nil {
			counts[key] = &formatCount{Format: m.Format, Layout: m.Layout}
		}
		counts[key].Tensors++
		counts[key].Bytes += int64(m.FileBytes)
		counts[key].Memory += int64(m.Bytes)
	}
	for _, c := range counts {
		d.Formats = append(d.Formats, *c)
	}
	slices.SortFunc(d.Formats, func(a, b formatCount) int { return cmp.Compare(b.Bytes, a.Bytes) })
}

func (d *description) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "format\t%s, %.1f MB of tensors\n", d.Format, float64(d.Bytes)/1e6)
	if d.Name != "" {
		fmt.Fprintf(w, "name\t%s\n", d.Name)
	}
	if m := d.Model; m != nil {
		d.printModel(w, m)
	} else {
		fmt.Fprintf(w, "unusable\t%s\n", d.Unusable)
	}
	fmt.Fprintf(w, "tokenizer\t%s, %d tokens\n", d.Tokenizer, d.Vocabulary)
	if d.Template == "" {
		fmt.Fprintf(w, "chat template\tnone\n")
	} else {
		fmt.Fprintf(w, "chat template\t%d characters\n", len(d.Template))
	}
	return w.Flush()
}

func (d *description) printModel(w io.Writer, m *transformer.Description) {
	fmt.Fprintf(w, "architecture\t%s, %.1f M parameters\n", m.Architecture, float64(m.Parameters)/1e6)
	fmt.Fprintf(w, "layers\t%d of width %d, feed-forward %d\n", m.Layers, m.Dim, m.FFN)
	fmt.Fprintf(w, "heads\t%d on %d of keys and values, %d wide\n", m.Heads, m.KVHeads, m.HeadDim)
	fmt.Fprintf(w, "context\t%d positions\n", m.Context)
	if m.Window > 0 {
		fmt.Fprintf(w, "window\t%d positions\n", m.Window)
	}
	for _, c := range d.Formats {
		fmt.Fprintf(w, "  %s\t%d matrices, %.1f MB; computed as %s in %.1f MB\n", c.Format, c.Tensors, float64(c.Bytes)/1e6, c.Layout, float64(c.Memory)/1e6)
	}
	fmt.Fprintf(w, "memory\t%.1f MB of weights, computed by %s\n", float64(m.Memory)/1e6, m.Kernels)
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

package hub

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// shard is how the parts of a model that was split are called.
var shard = regexp.MustCompile(`-\d{5}-of-\d{5}\.gguf$`)

// choose returns the file that a reference means: the one of that path, the
// model in that number format, or the only model. path is how a T is called.
func choose[T any](r Ref, files []T, name func(T) string) (T, error) {
	var models []T
	var none T
	for _, f := range files {
		switch p := name(f); {
		case p == r.File:
			return f, nil
		case isModel(p) && (r.File == "" || inFormat(p, r.File)):
			models = append(models, f)
		}
	}
	switch {
	case len(models) == 1:
		return models[0], nil
	case len(models) > 1:
		return none, fmt.Errorf("hub: %s has %d models; name one: %s", Ref{Owner: r.Owner, Repo: r.Repo}, len(models), names(r, models, name))
	}
	return none, missing(r, files, name)
}

// missing says what a repository has instead of what was asked for.
func missing[T any](r Ref, files []T, name func(T) string) error {
	var models []T
	split := false
	for _, f := range files {
		split = split || shard.MatchString(name(f))
		if isModel(name(f)) {
			models = append(models, f)
		}
	}
	repo := Ref{Owner: r.Owner, Repo: r.Repo}
	switch {
	case len(models) > 0:
		return fmt.Errorf("hub: %w: %s in %s; there is: %s", ErrNotFound, r.File, repo, names(r, models, name))
	case split:
		return fmt.Errorf("hub: %s: its models are split into shards, which must be joined first", repo)
	}
	return fmt.Errorf("hub: %w: %s has no .gguf file", ErrNotFound, repo)
}

// isModel leaves out what stands beside models under the same extension:
// shards, encoders of images, and importance matrices.
func isModel(p string) bool {
	base := strings.ToLower(path.Base(p))
	return strings.HasSuffix(base, ".gguf") && !shard.MatchString(base) &&
		!strings.HasPrefix(base, "mmproj") && !strings.Contains(base, "imatrix")
}

// inFormat reports whether a file's name ends in a number format, as in
// model-Q4_K_M.gguf.
func inFormat(p, format string) bool {
	stem, ok := strings.CutSuffix(strings.ToLower(p), strings.ToLower(format)+".gguf")
	return ok && (stem == "" || strings.ContainsAny(stem[len(stem)-1:], "-._/"))
}

// names lists the first models as they would be asked for.
func names[T any](r Ref, models []T, name func(T) string) string {
	const most = 12
	var all []string
	for _, m := range models[:min(len(models), most)] {
		all = append(all, name(m))
	}
	if len(models) > most {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

package hub

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folder keeps the files of a repository. Revisions other than main have one
// of their own.
func (c *Client) folder(r Ref) string {
	repo := r.Repo
	if rev := r.revision(); rev != "main" {
		repo += "@" + filepath.FromSlash(rev)
	}
	return filepath.Join(c.Dir, r.Owner, repo)
}

func (c *Client) path(r Ref, file string) string {
	return filepath.Join(c.folder(r), filepath.FromSlash(file))
}

// Cached returns the path of a file that was fetched before. It asks nobody, so
// it works without a network, and does not know whether the hub has another
// version by now. Where r names no file it is the only model that is there.
func (c *Client) Cached(r Ref) (path string, ok bool) {
	root, err := os.OpenRoot(c.folder(r))
	if err != nil {
		return "", false
	}
	defer root.Close()
	var files []string
	fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, p)
		}
		return nil
	})
	file, err := choose(r, files, func(p string) string { return p })
	if err != nil {
		return "", false
	}
	return c.path(r, file), true
}

package hub

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Ref names a file on a hub.
type Ref struct {
	Owner, Repo string
	Revision    string // branch, tag or commit; "main" where empty
	File        string // path in the repository, a number format such as Q4_K_M, or empty for the only model
}

// String returns the short form, which Parse reads.
func (r Ref) String() string {
	s := r.Owner + "/" + r.Repo
	if r.Revision != "" && r.Revision != "main" {
		s += "@" + r.Revision
	}
	if r.File != "" {
		s += ":" + r.File
	}
	return s
}

func (r Ref) revision() string {
	if r.Revision == "" {
		return "main"
	}
	return r.Revision
}

// hosts are names under which people write the hub, whatever mirror is asked.
var hosts = []string{"hf.co", "huggingface.co"}

// Named reports whether s names a hub by itself: hf.co/owner/repo, or a URL.
// The bare owner/repo could be a path, too.
func Named(s string) bool {
	for _, h := range hosts {
		if strings.HasPrefix(s, h+"/") {
			return true
		}
	}
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

var short = regexp.MustCompile(`^([\w.-]+)/([\w.-]+)(?:@([\w./-]+))?(?::(.+))?$`)

// Parse reads owner/repo, owner/repo@revision and owner/repo:file, with or
// without hf.co/ before them, and the address of a file or a repository on the
// client's hub as a browser shows it.
func (c *Client) Parse(s string) (Ref, error) {
	if strings.Contains(s, "://") {
		return c.parseURL(s)
	}
	for _, h := range hosts {
		s = strings.TrimPrefix(s, h+"/")
	}
	m := short.FindStringSubmatch(s)
	if m == nil {
		return Ref{}, fmt.Errorf("%q: want owner/repo or owner/repo:file", s)
	}
	return Ref{Owner: m[1], Repo: m[2], Revision: m[3], File: m[4]}.checked()
}

func (c *Client) parseURL(s string) (Ref, error) {
	u, err := url.Parse(s)
	if err != nil {
		return Ref{}, err
	}
	if err := c.serves(u.Host); err != nil {
		return Ref{}, err
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case len(parts) == 2:
		return Ref{Owner: parts[0], Repo: parts[1]}.checked()
	case len(parts) >= 5 && (parts[2] == "resolve" || parts[2] == "blob"):
		return Ref{parts[0], parts[1], parts[3], path.Join(parts[4:]...)}.checked()
	}
	return Ref{}, fmt.Errorf("%s: want the address of a repository, or of a file: …/owner/repo/resolve/main/file.gguf", s)
}

// serves refuses addresses on other servers than the hub that will be asked.
func (c *Client) serves(host string) error {
	base, err := c.address()
	if err != nil {
		return err
	}
	for _, h := range append(hosts, base.Host) {
		if host == h {
			return nil
		}
	}
	return fmt.Errorf("%s is not the hub %s", host, base)
}

// checked refuses names that would lead out of the folder of files.
func (r Ref) checked() (Ref, error) {
	for _, name := range []string{r.Owner, r.Repo, r.revision()} {
		if !filepath.IsLocal(name) || name == "." {
			return Ref{}, fmt.Errorf("%q is no name of a repository", name)
		}
	}
	if r.File != "" && !filepath.IsLocal(filepath.FromSlash(r.File)) {
		return Ref{}, fmt.Errorf("%q is no path of a file", r.File)
	}
	return r, nil
}

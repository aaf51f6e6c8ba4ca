package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
)

// File is a file of a repository.
type File struct {
	Path string // with slashes
	Size int64
	sum  checksum
}

// entry is a file or folder as the hub lists it. Large files stand in git as
// pointers: what is meant is then below lfs.
type entry struct {
	Type, Path, OID string
	Size            int64
	LFS             *struct {
		OID  string
		Size int64
	}
}

func (e *entry) file() File {
	if e.LFS != nil {
		return File{e.Path, e.LFS.Size, checksum{hex: e.LFS.OID}}
	}
	return File{e.Path, e.Size, checksum{hex: e.OID, git: true}}
}

// Largest listings that are read: of one page in bytes, and of a repository.
const (
	maxPage  = 16 << 20
	maxPages = 50
)

// Files lists the files of a repository.
func (c *Client) Files(ctx context.Context, r Ref) ([]File, error) {
	u, err := c.address("api/models", r.Owner, r.Repo, "tree", r.revision())
	if err != nil {
		return nil, err
	}
	u.RawQuery = "recursive=true"
	var files []File
	next := u.String()
	for range maxPages {
		page, after, err := c.page(ctx, next)
		if err != nil {
			return nil, fmt.Errorf("hub: listing %s: %w", r, err)
		}
		for _, e := range page {
			if e.Type == "file" {
				files = append(files, e.file())
			}
		}
		if next = after; next == "" {
			return files, nil
		}
	}
	return nil, fmt.Errorf("hub: listing %s: more than %d pages", r, maxPages)
}

var nextLink = regexp.MustCompile(`<([^>]+)>;\s*rel="?next"?`)

// page reads one page of a listing, and the address of the next if there is one.
func (c *Client) page(ctx context.Context, address string) (page []entry, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	resp, err := c.get(ctx, address, 0)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, "", c.refused(resp)
	}
	if next, err = c.next(resp); err != nil {
		return nil, "", err
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, maxPage)).Decode(&page)
	return page, next, err
}

// next returns the address of the page after this one. The token goes with it,
// so it must be the hub's.
func (c *Client) next(resp *http.Response) (string, error) {
	m := nextLink.FindStringSubmatch(resp.Header.Get("Link"))
	if m == nil {
		return "", nil
	}
	link, err := resp.Request.URL.Parse(m[1])
	if err != nil {
		return "", err
	}
	if link.Host != resp.Request.URL.Host {
		return "", fmt.Errorf("the next page is on %s", link.Host)
	}
	return link.String(), nil
}

// get asks the hub for an address, from a byte on.
func (c *Client) get(ctx context.Context, address string, from int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "identity") // ranges are of the file itself
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Agent != "" {
		r.Header.Set("User-Agent", c.Agent)
	}
	if from > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	return c.http().Do(r)
}

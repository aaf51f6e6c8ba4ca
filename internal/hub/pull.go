package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tries is how often in a row a transfer may fail without bringing anything.
const tries = 5

// Pull makes sure that the file which r means is there, whole and as the hub
// has it now, and returns its path. What is there already is not fetched again,
// but read, to compare its checksum. If it fails or ctx ends, what has come by
// then is kept for the next time; with ErrChecksum it is thrown away.
func (c *Client) Pull(ctx context.Context, r Ref) (string, error) {
	files, err := c.Files(ctx, r)
	if err != nil {
		return "", err
	}
	f, err := choose(r, files, func(f File) string { return f.Path })
	if err != nil {
		return "", err
	}
	r.File = f.Path
	if _, err = r.checked(); err == nil {
		err = f.sum.valid()
	}
	if err != nil {
		return "", fmt.Errorf("hub: %s: %w", r, err)
	}
	path := c.path(r, f.Path)
	if f.sum.check(path, f.Size) == nil {
		return path, nil
	}
	if err := c.fetch(ctx, r, f, path); err != nil {
		return "", fmt.Errorf("hub: %s: %w", r, err)
	}
	return path, nil
}

// fetch brings a file to a path, by way of a part beside it.
func (c *Client) fetch(ctx context.Context, r Ref, f File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	address, err := c.address(r.Owner, r.Repo, "resolve", r.revision(), f.Path)
	if err != nil {
		return err
	}
	t := transfer{Client: c, file: f, address: address.String(), part: path + "." + f.sum.hex[:12] + ".part"}
	if err := c.again(ctx, func() (bool, error) { return t.try(ctx) }); err != nil {
		return err
	}
	if err := f.sum.check(t.part, f.Size); err != nil {
		return errors.Join(err, os.Remove(t.part))
	}
	return errors.Join(os.Rename(t.part, path), sweep(path))
}

// sweep removes the parts of older versions of a file.
func sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+".") && strings.HasSuffix(e.Name(), ".part") {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}

// again tries until it works, the error is lasting, or the tries are used up;
// one that brought something counts for none.
func (c *Client) again(ctx context.Context, try func() (moved bool, err error)) error {
	pause := c.retry
	if pause == 0 {
		pause = time.Second
	}
	for failures := 0; ; {
		moved, err := try()
		if err == nil || lasting(err) || ctx.Err() != nil {
			return err
		}
		if failures++; moved {
			failures = 1
		}
		if failures == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause << (failures - 1)):
		}
	}
}

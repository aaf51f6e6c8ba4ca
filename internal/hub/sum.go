package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"regexp"
)

// checksum is what the hub says of a file's bytes.
type checksum struct {
	hex string
	git bool // the hash of a git blob, SHA-1 over a header and the bytes; else SHA-256
}

func (c checksum) hash(size int64) hash.Hash {
	if !c.git {
		return sha256.New()
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

var hexadecimal = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// valid refuses what is no checksum: it becomes part of a file's name.
func (c checksum) valid() error {
	if !hexadecimal.MatchString(c.hex) {
		return fmt.Errorf("the hub names no checksum: %q", c.hex)
	}
	return nil
}

// check reads a file and compares it.
func (c checksum) check(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := c.hash(size)
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != c.hex {
		return fmt.Errorf("%w: the hub says %s, the bytes say %s", ErrChecksum, c.hex, got)
	}
	return nil
}

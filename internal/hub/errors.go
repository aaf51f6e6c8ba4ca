package hub

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Errors to test for with errors.Is.
var (
	ErrNotFound  = errors.New("not found")        // no such repository, revision or file
	ErrForbidden = errors.New("access denied")    // no token, a wrong one, or terms that were not accepted
	ErrChecksum  = errors.New("checksum differs") // what came is not what the hub names
)

var (
	errRedirects = errors.New("too many redirects")
	errDowngrade = errors.New("redirected from https to http")
	errStalled   = errors.New("nothing came for too long")
)

// refused turns an answer that is no success into an error that says what to
// do about it. The hub answers 401 for a repository that does not exist, too, so
// as not to tell which private ones do.
func (c *Client) refused(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
	said := resp.Header.Get("X-Error-Message")
	if said == "" {
		said = strings.TrimSpace(string(text))
	}
	host := resp.Request.URL.Host
	switch resp.StatusCode {
	case http.StatusNotFound:
		return fmt.Errorf("%s: %w: %s", host, ErrNotFound, said)
	case http.StatusUnauthorized, http.StatusForbidden:
		hint := "the token may not read it, or the terms of the repository were not accepted"
		if c.Token == "" {
			hint = "no such repository, or it needs a token"
		}
		return fmt.Errorf("%s: %w: %s; %s", host, ErrForbidden, said, hint)
	}
	return &statusError{host, resp.StatusCode, said}
}

// statusError is an answer that another try may better.
type statusError struct {
	host   string
	status int
	said   string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %d %s: %s", e.host, e.status, http.StatusText(e.status), e.said)
}

// lasting reports whether another try would fail in the same way.
func lasting(err error) bool {
	if s := (*statusError)(nil); errors.As(err, &s) {
		return s.status < 500 && s.status != http.StatusTooManyRequests && s.status != http.StatusRequestTimeout
	}
	if l := (*localError)(nil); errors.As(err, &l) {
		return true
	}
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrForbidden) || errors.Is(err, errRedirects) || errors.Is(err, errDowngrade)
}

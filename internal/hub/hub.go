// Package hub fetches model files from a model hub: from Hugging Face's, or
// from any server that speaks its file API.
//
// Two requests are made. One lists the repository: each file with its size and
// its checksum, which is the SHA-256 of a large file and the git blob hash of a
// small one. The other fetches a file, and is answered with a redirect to a
// host that stores it; the token of the hub is not sent there.
//
// A file is written beside its final name, into one that carries its checksum,
// and renamed when the checksum is right. So a file under its final name is
// whole, a transfer that broke off goes on where it stopped, also in another
// process, and never goes on with the bytes of another version. That is what
// If-Range would be for, but the hosts that store files each have an ETag of
// their own, while the checksum is the hub's.
package hub

import (
	"net/http"
	"net/url"
	"time"
)

// Base is the hub that is asked where a Client names none.
const Base = "https://huggingface.co"

// Client reads a hub and keeps what it fetched in a folder. The zero value
// reads Base without a token and keeps files in the working directory. Several
// goroutines may use a Client, if they fetch different files.
type Client struct {
	Base     string                  // address of the hub
	Token    string                  // sent to the hub, and to no other host
	Dir      string                  // keeps files as owner/repo/file
	Agent    string                  // User-Agent of the requests
	Progress func(done, total int64) // is told of the bytes of a file that are there

	retry time.Duration // pause after the first failure; 0 is a second
	stall time.Duration // a transfer that brings nothing for so long is begun again; 0 is a minute
}

func (c *Client) patience() time.Duration {
	if c.stall == 0 {
		return time.Minute
	}
	return c.stall
}

func (c *Client) base() string {
	if c.Base == "" {
		return Base
	}
	return c.Base
}

// address returns the URL of a path on the hub, given by its parts, of which
// each may have slashes.
func (c *Client) address(parts ...string) (*url.URL, error) {
	u, err := url.Parse(c.base())
	if err != nil {
		return nil, err
	}
	return u.JoinPath(parts...), nil
}

// http returns the client of all requests. Where a redirect leads away from the
// hub it takes the token off; net/http would leave it on for another port of the
// same host and for hosts below it.
func (c *Client) http() *http.Client {
	return &http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) >= 10 {
			return errRedirects
		}
		from := via[0].URL
		if from.Scheme == "https" && r.URL.Scheme != "https" {
			return errDowngrade
		}
		if r.URL.Host != from.Host || r.URL.Scheme != from.Scheme {
			r.Header.Del("Authorization")
		}
		return nil
	}}
}

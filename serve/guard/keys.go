package guard

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// Keys lets requests through that carry one of keys ("Authorization: Bearer
// KEY"), and all requests for the paths in open. Without keys it lets all
// through. How long the check takes tells nothing about the keys.
//
// The requests of each key count as a tenant's, among whom the engine is fair.
func Keys(next http.Handler, keys []string, open ...string) http.Handler {
	if len(keys) == 0 {
		return next
	}
	var sums [][sha256.Size]byte
	for _, k := range keys {
		sums = append(sums, sha256.Sum256([]byte(k)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(open, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		key := find(sums, r.Header.Get("Authorization"))
		if key < 0 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			wire.Refuse(w, r, &wire.Error{Status: http.StatusUnauthorized, Type: "invalid_request_error", Code: "invalid_api_key",
				Message: "an API key is needed: Authorization: Bearer KEY"})
			return
		}
		known := r.WithContext(serve.WithTenant(r.Context(), fmt.Sprintf("key %d", key)))
		defer func() { r.Pattern = known.Pattern }() // which a mux has set, for those in front, such as a trace
		next.ServeHTTP(w, known)
	})
}

// find returns which of sums a header's key has, or -1. It looks at all of them.
func find(sums [][sha256.Size]byte, header string) int {
	scheme, key, _ := strings.Cut(header, " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(key)))
	found := -1
	for i := range sums {
		if subtle.ConstantTimeCompare(sums[i][:], sum[:]) == 1 {
			found = i
		}
	}
	if !strings.EqualFold(scheme, "bearer") {
		return -1
	}
	return found
}

// ReadKeys reads keys, one a line. Empty lines, and those that begin with #,
// are left out.
func ReadKeys(r io.Reader) (keys []string, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if key := strings.TrimSpace(lines.Text()); key != "" && key[0] != '#' {
			keys = append(keys, key)
		}
	}
	return keys, lines.Err()
}

package wire

import (
	"io"
	"net/http"
)

// maxRest is how much more of a body is read that nobody wants.
const maxRest = 256 << 20

// drain reads the rest of a body, within bounds. Most clients listen only when
// they have sent all of it: were they cut off before, they would see a broken
// connection in place of the answer.
func drain(r *http.Request) { io.CopyN(io.Discard, r.Body, maxRest) }

// asksFirst reports whether the client waits to be told to send its body, which
// reading from it does.
func asksFirst(r *http.Request) bool { return r.Header.Get("Expect") != "" }

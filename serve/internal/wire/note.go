package wire

import "net/http"

// Note notes what was sent through it. Flushing and deadlines go through
// http.ResponseController, which finds the writer inside.
type Note struct {
	http.ResponseWriter
	Status int // 0: nothing was sent
	Bytes  int64
}

func (n *Note) WriteHeader(status int) {
	if n.Status == 0 && status >= 200 {
		n.Status = status
	}
	n.ResponseWriter.WriteHeader(status)
}

func (n *Note) Write(b []byte) (int, error) {
	if n.Status == 0 {
		n.Status = http.StatusOK
	}
	written, err := n.ResponseWriter.Write(b)
	n.Bytes += int64(written)
	return written, err
}

// Unwrap returns the writer inside.
func (n *Note) Unwrap() http.ResponseWriter { return n.ResponseWriter }

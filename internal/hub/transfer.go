package hub

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// transfer brings one file into its part.
type transfer struct {
	*Client
	file    File
	address string
	part    string
}

// try goes on where the part ends, and reports whether it grew.
func (t *transfer) try(ctx context.Context) (moved bool, err error) {
	part, err := os.OpenFile(t.part, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return false, &localError{err}
	}
	defer func() {
		if e := part.Close(); err == nil && e != nil {
			err = &localError{e}
		}
	}()
	at, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return false, &localError{err}
	}
	if at == t.file.Size {
		return false, nil
	}
	if at > t.file.Size {
		at = 0
		if err := cut(part, nil); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(t.patience(), func() { cancel(errStalled) })
	defer watch.Stop()
	n, err := t.copy(ctx, part, at, watch)
	switch {
	case err == nil:
		if err := part.Sync(); err != nil {
			return n > 0, &localError{err}
		}
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return n > 0, err
}

// copy asks for the bytes from at on and appends them.
func (t *transfer) copy(ctx context.Context, part *os.File, at int64, watch *time.Timer) (n int64, err error) {
	resp, err := t.get(ctx, t.address, at)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if at, err = t.begin(resp, part, at); err != nil {
		return 0, err
	}
	buf := make([]byte, 256<<10)
	for at < t.file.Size {
		k, err := resp.Body.Read(buf[:min(int64(len(buf)), t.file.Size-at)])
		if k > 0 {
			watch.Reset(t.patience())
			if _, err := part.Write(buf[:k]); err != nil {
				return n, &localError{err}
			}
			at, n = at+int64(k), n+int64(k)
			t.tell(at)
		}
		if err == io.EOF && at < t.file.Size {
			return n, fmt.Errorf("%w at byte %d of %d", io.ErrUnexpectedEOF, at, t.file.Size)
		}
		if err != nil && err != io.EOF {
			return n, err
		}
	}
	return n, nil
}

// begin returns where in the file the answer begins, which is where the part
// ends from now on: at the start if the server does not know ranges, or does
// not have this one.
func (t *transfer) begin(resp *http.Response, part *os.File, at int64) (int64, error) {
	switch resp.StatusCode {
	case http.StatusPartialContent:
		var from int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &from); err != nil || from != at {
			return at, cut(part, fmt.Errorf("%s: asked for bytes from %d, got %q", resp.Request.URL.Host, at, resp.Header.Get("Content-Range")))
		}
		return at, nil
	case http.StatusOK:
		return 0, cut(part, nil)
	case http.StatusRequestedRangeNotSatisfiable:
		return at, cut(part, fmt.Errorf("%s: has no bytes from %d", resp.Request.URL.Host, at))
	}
	return at, t.refused(resp)
}

// cut empties the part, and passes an error on.
func cut(part *os.File, err error) error {
	if e := part.Truncate(0); e != nil {
		return &localError{e}
	}
	if _, e := part.Seek(0, io.SeekStart); e != nil {
		return &localError{e}
	}
	return err
}

func (t *transfer) tell(done int64) {
	if t.Progress != nil {
		t.Progress(done, t.file.Size)
	}
}

// localError is a fault of this machine, such as a full disk.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }

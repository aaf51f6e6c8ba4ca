package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"example.com/minillm/internal/gguf"
)

// kind is what errors of this package begin with.
const kind = "checkpoint"

// The most bytes of a file. Vocabularies of 256 thousand tokens take some 35 MB.
const (
	mostSettings  = 4 << 20
	mostTokenizer = 256 << 20
)

// object is a JSON object of a file. Its getters return the zero value for what is missing or null, and keep the first
// error of all objects of the file.
type object struct {
	fields map[string]json.RawMessage
	where  string // the fields that lead here, each with a dot
	file   *source
}

// source is a file that is read.
type source struct {
	path string
	err  error
}

// readObject reads the file dir/name. Where there is none, the object is empty and found is false.
func readObject(dir, name string, most int64) (o object, found bool) {
	o.file = &source{path: filepath.Join(dir, name)}
	data, err := readFile(o.file.path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o, false
	case err != nil:
		o.file.err = err
		return o, true
	}
	o.decode(data, "", &o.fields)
	return o, true
}

// readFile reads a regular file of at most so many bytes.
func readFile(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", kind, err)
	case !info.Mode().IsRegular():
		return nil, &gguf.FormatError{Kind: kind, Path: path, What: "not a regular file"}
	case info.Size() > most:
		return nil, &gguf.FormatError{Kind: kind, Path: path, What: fmt.Sprintf("%d bytes, more than %d", info.Size(), most)}
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return data, nil
}

// fail keeps an error about a field.
func (o object) fail(field, format string, args ...any) {
	if o.file.err == nil {
		o.file.err = &gguf.FormatError{Kind: kind, Path: o.file.path, Where: o.where + field, What: fmt.Sprintf(format, args...)}
	}
}

func (o object) err() error { return o.file.err }

// decode reads the JSON of a field. Go names its own types in errors, which are nobody's business.
func (o object) decode(data []byte, field string, dst any) bool {
	err := json.Unmarshal(data, dst)
	mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case err == nil:
		return true
	case ok && mistyped.Field != "":
		o.fail(field, "%s is %s, which it may not be", mistyped.Field, mistyped.Value)
	case ok:
		o.fail(field, "%s, which it may not be", mistyped.Value)
	default:
		o.fail(field, "%v", err)
	}
	return false
}

// has reports whether a field is there and not null.
func (o object) has(field string) bool {
	raw, ok := o.fields[field]
	return ok && string(bytes.TrimSpace(raw)) != "null"
}

// get reads a field into dst, and reports whether it was there.
func (o object) get(field string, dst any) bool {
	return o.has(field) && o.decode(o.fields[field], field, dst)
}

func (o object) text(field string) (s string) { o.get(field, &s); return s }
func (o object) flag(field string) (b bool)   { o.get(field, &b); return b }

// object is a field that is an object itself; empty where it is missing.
func (o object) object(field string) object {
	in := object{where: o.where + field + ".", file: o.file}
	o.get(field, &in.fields)
	return in
}

// objects is a field that is a list of objects.
func (o object) objects(field string) (all []object) {
	var raw []map[string]json.RawMessage
	o.get(field, &raw)
	for i, fields := range raw {
		all = append(all, object{fields: fields, where: fmt.Sprintf("%s%s[%d].", o.where, field, i), file: o.file})
	}
	return all
}

// count is a whole number from 1 to 2^31-1; 0 where it is missing.
func (o object) count(field string) int {
	x := o.number(field)
	if o.has(field) && (x < 1 || x > math.MaxInt32 || x != math.Trunc(x)) {
		o.fail(field, "%v is not a whole number from 1 to %d", x, math.MaxInt32)
		return 0
	}
	return int(x)
}

// number is a finite number.
func (o object) number(field string) (x float64) {
	o.get(field, &x)
	return x
}

// need fails where a field is missing.
func (o object) need(fields ...string) {
	for _, field := range fields {
		if !o.has(field) {
			o.fail(field, "missing")
		}
	}
}

// ids is a field that is an id or a list of ids, each from 0 to below n.
func (o object) ids(field string, n int) (ids []int32) {
	if !o.has(field) {
		return nil
	}
	raw := bytes.TrimSpace(o.fields[field])
	if len(raw) > 0 && raw[0] == '[' {
		o.decode(raw, field, &ids)
	} else {
		ids = make([]int32, 1)
		o.decode(raw, field, &ids[0])
	}
	for _, id := range ids {
		if id < 0 || int(id) >= n {
			o.fail(field, "id %d, but there are %d tokens", id, n)
			return nil
		}
	}
	return ids
}

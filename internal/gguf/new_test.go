package gguf

import (
	"errors"
	"strings"
	"testing"

	"example.com/minillm/internal/quant"
)

// lender counts what is given back to it.
type lender struct{ released, closed int }

func (l *lender) Release([]byte) { l.released++ }
func (l *lender) Close() error   { l.closed++; return nil }

func TestNew(t *testing.T) {
	data := make([]byte, 8)
	kv := []KV{{Key: "general.name", Value: "two"}, {Key: "sizes", Value: []int32{1, 2}}}
	owner := &lender{}
	f, err := New("dir", kv, []Tensor{{Name: "x", Type: quant.F32, Shape: []int{2}, Data: data}}, owner)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err := f.String("general.name"); s != "two" || err != nil || f.Path() != "dir" || f.Version != 0 {
		t.Errorf("name %q, %v; path %q, version %d", s, err, f.Path(), f.Version)
	}
	x, ok := f.Tensor("x")
	if !ok || &x.Data[0] != &data[0] {
		t.Error("the tensor is no view of the data")
	}
	f.Release(x)
	if err := f.Close(); err != nil || owner.released != 1 || owner.closed != 1 {
		t.Errorf("%v; released %d times, closed %d times", err, owner.released, owner.closed)
	}
}

func TestNewErrors(t *testing.T) {
	for want, x := range map[string]Tensor{
		"7 bytes":     {Name: "x", Type: quant.F32, Shape: []int{2}, Data: make([]byte, 7)},
		"dimension 0": {Name: "x", Type: quant.F32, Shape: []int{0}},
	} {
		owner := &lender{}
		_, err := New("dir", nil, []Tensor{x}, owner)
		if _, ok := errors.AsType[*FormatError](err); !ok || !strings.Contains(err.Error(), "dir: tensor x: "+want) || owner.closed > 0 {
			t.Errorf("%v; closed %d times", err, owner.closed)
		}
	}
}

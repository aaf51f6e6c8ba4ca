package mmap

import (
	"testing"
	"unsafe"
)

func TestZeros(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 1000, hugePage - 1, hugePage, hugePage + 1, 5*hugePage + 12345} {
		b, free, err := Zeros(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) != n || cap(b) < n || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%lineBytes != 0 {
			t.Errorf("%d bytes: got %d at %p", n, len(b), b)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("%d bytes: byte %d is %d", n, i, b[i])
			}
			b[i] = 1
		}
		free()
	}
}

//go:build unix

package mmap

import (
	"math"
	"runtime"
	"strconv"
	"testing"
)

// TestZerosIsNoGarbage is why large memory lies outside Go's heap.
func TestZerosIsNoGarbage(t *testing.T) {
	const n = 256 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b, free, err := Zeros(n)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	b[n-1] = 1
	runtime.ReadMemStats(&after)
	if grown := int(after.HeapSys) - int(before.HeapSys); grown > n/2 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func TestZerosOfTooMuch(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("nothing is too much")
	}
	if _, _, err := Zeros(math.MaxInt / 4); err == nil {
		t.Error("there are exabytes")
	}
}

package kvcache_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/minillm/kvcache"
)

// TestSlabIsCollected makes a slab that nobody can reach: its memory goes back.
func TestSlabIsCollected(t *testing.T) {
	const positions = 1 << 20 // 256 MB
	before := mapped(t)
	s, err := kvcache.NewSlab(kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 64}, 1, positions, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	if grown := mapped(t) - before; grown < 256<<20 {
		t.Fatalf("a slab of 256 MB maps %d bytes", grown)
	}
	runtime.KeepAlive(s)
	for range 500 { // the cleanup runs some time after
		runtime.GC()
		if mapped(t)-before < 128<<20 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d bytes are still mapped", mapped(t)-before)
}

// mapped returns the bytes of address space that the process has.
func mapped(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

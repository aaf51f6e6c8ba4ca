package transformer

import "unsafe"

// lineBytes is what the beginnings of matrices are multiples of.
const lineBytes = 64

// arena is the memory of all weights of a model in one piece.
type arena struct {
	free func()
	left []byte
}

func newArena(n int) arena {
	b, free := reserve(n)
	return arena{free: free, left: b}
}

// take returns the next n bytes, which begin at a multiple of lineBytes.
func (a *arena) take(n int) []byte {
	b := a.left[:n:n]
	a.left = a.left[min(lines(n), len(a.left)):]
	return b
}

// lines rounds n bytes up to whole lines.
func lines(n int) int { return (n + lineBytes - 1) / lineBytes * lineBytes }

// reserveHeap is reserve from Go's own memory.
func reserveHeap(n int) (b []byte, free func()) {
	b = make([]byte, n+lineBytes)
	skip := -uintptr(unsafe.Pointer(&b[0])) % lineBytes
	return b[skip:][:n], func() {}
}

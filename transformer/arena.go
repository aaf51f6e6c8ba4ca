package transformer

import "example.com/minillm/internal/mmap"

// lineBytes is what the beginnings of matrices are multiples of.
const lineBytes = 64

// arena is the memory of all weights of a model in one piece: the fewer pages
// they lie in, the faster they are read from end to end for every token.
type arena struct {
	free func()
	left []byte
}

func newArena(n int) (a arena, err error) {
	a.left, a.free, err = mmap.Zeros(n)
	return a, err
}

// take returns the next n bytes, which begin at a multiple of lineBytes.
func (a *arena) take(n int) []byte {
	b := a.left[:n:n]
	a.left = a.left[min(lines(n), len(a.left)):]
	return b
}

// lines rounds n bytes up to whole lines.
func lines(n int) int { return (n + lineBytes - 1) / lineBytes * lineBytes }

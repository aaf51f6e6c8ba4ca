//go:build !linux

package transformer

func reserve(n int) (b []byte, free func()) { return reserveHeap(n) }

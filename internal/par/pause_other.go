//go:build !(amd64 || arm64) || purego

package par

import "runtime"

// pause stands in for the processor's pause instruction where there is none.
func pause(uint32) { runtime.Gosched() }

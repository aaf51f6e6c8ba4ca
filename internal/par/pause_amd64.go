//go:build !purego

package par

// pause executes n > 0 pause instructions: tens of nanoseconds each.
//
//go:noescape
func pause(n uint32)

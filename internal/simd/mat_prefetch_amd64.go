//go:build !purego

package simd

// One row of activations meets every weight once, and the weights come from memory. Intel's processors start too few loads
// on their own where there is more to compute than to load, as with 4-bit weights: prefetching at matAhead gains them 30 %
// on a Sapphire Rapids. AMD's don't: on a Zen 4 it costs 5 to 40 %, so there the distance leads to what has just been read.
//
// More rows are slower than memory; for them the next panel is prefetched, from which both gain.
var matAhead = streamDistance(cpuVendor())

func streamDistance(vendor uint32) int {
	const intel = 'G' | 'e'<<8 | 'n'<<16 | 'u'<<24
	if vendor == intel {
		return 4096
	}
	return -1024
}

// cpuVendor returns the first four letters of the vendor's name, the first one lowest.
func cpuVendor() uint32

package simd

// The probes measure what the machine allows at most, for reports that set a kernel's speed beside it. Each does a known
// amount of work on the calling goroutine, as fast as the tier can; the caller takes the time, and repeats.

// ProbeRead reads the bytes of b once, less an odd end of up to 511. Where b is larger than the caches, bytes per second
// over all cores is the read bandwidth, which bounds decoding.
func ProbeRead(b []byte) {
	for ; len(b) >= probeChunk; b = b[probeChunk:] {
		probeRead(b[:probeChunk])
	}
	probeRead(b[:len(b)&^511])
}

// probeChunk bounds one call of assembly, in bytes.
const probeChunk = 256 << 10

// ProbeDot does some multiply-adds of bytes into integer sums, as the products of quantised weights do, and returns how
// many operations that were: two for each multiply-add. It takes some tens of microseconds.
func ProbeDot() (operations int) { return probeDot() }

// ProbeFMA does some float32 multiply-adds and returns how many operations that were: two for each.
func ProbeFMA() (operations int) { return probeFMA() }

// probeRounds is the number of rounds of an assembly loop in one call.
const probeRounds = 4096

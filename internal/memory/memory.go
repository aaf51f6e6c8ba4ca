// Package memory tells how much memory the process could still take.
package memory

// Unknown is what Available returns where the system does not tell: enough for
// small models, little enough for small machines.
const Unknown = 2 << 30

// Available returns the bytes that can be taken without pushing other programs
// out of memory, or Unknown.
func Available() int64 {
	if n, ok := available(); ok {
		return n
	}
	return Unknown
}

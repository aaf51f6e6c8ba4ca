package transformer

import "slices"

// order is where the outputs of q and k lie in a file. GGUF has llama's in the order in which its RoPE turns them, which
// takes neighbours for a pair; in the checkpoints that it is made of, a pair is the same number of both halves of a head.
// The zero value is the order of GGUF.
type order struct {
	head int // outputs of a head whose halves are to be interleaved; 0: none are
}

// source is where output i lies.
func (o order) source(i int) int {
	if o.head == 0 {
		return i
	}
	first, at := i/o.head*o.head, i%o.head
	return first + at%2*(o.head/2) + at/2
}

// sort brings a bias into the order of GGUF.
func (o order) sort(x []float32) {
	if o.head == 0 {
		return
	}
	old := slices.Clone(x)
	for i := range x {
		x[i] = old[o.source(i)]
	}
}

// rows returns n rows of data from the first on, of size bytes each, as they are or else brought to order in buf.
func (o order) rows(buf, data []byte, first, n, size int) []byte {
	if o.head == 0 {
		return data[first*size : (first+n)*size]
	}
	for i := range n {
		copy(buf[i*size:(i+1)*size], data[o.source(first+i)*size:])
	}
	return buf[:n*size]
}

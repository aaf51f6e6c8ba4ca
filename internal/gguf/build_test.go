package gguf

import "math"

// raw builds the bytes of a file piece by piece, also such as Write would refuse.
type raw []byte

func (b raw) u8(x uint8) raw   { return append(b, x) }
func (b raw) u32(x uint32) raw { return le.AppendUint32(b, x) }
func (b raw) u64(x uint64) raw { return le.AppendUint64(b, x) }
func (b raw) text(s string) raw {
	return append(b.u64(uint64(len(s))), s...)
}
func (b raw) zeros(n int) raw { return append(b, make([]byte, n)...) }

// align pads to a multiple of n.
func (b raw) align(n int) raw { return b.zeros(padding(len(b), n)) }

// header starts a file of version 3.
func header(tensors, pairs uint64) raw {
	return raw(magic).u32(3).u64(tensors).u64(pairs)
}

// pair adds a key and the type of its value, which has to follow; u32Pair adds both.
func (b raw) pair(key string, k kind) raw { return b.text(key).u32(uint32(k)) }
func (b raw) u32Pair(key string, x uint32) raw {
	return b.pair(key, kindUint32).u32(x)
}

func (b raw) array(key string, k kind, n uint64) raw {
	return b.pair(key, kindArray).u32(uint32(k)).u64(n)
}

// tensor adds an entry of the directory.
func (b raw) tensor(name string, format uint32, offset uint64, dims ...uint64) raw {
	b = b.text(name).u32(uint32(len(dims)))
	for _, d := range dims {
		b = b.u64(d)
	}
	return b.u32(format).u64(offset)
}

// valid is a file with something of everything. Its last byte is the last one of a tensor.
func valid() []byte {
	b := header(2, 6).
		text("general.architecture").u32(uint32(kindString)).text("llama").
		u32Pair("llama.block_count", 2).
		pair("x.half", kindFloat32).u32(math.Float32bits(0.5)).
		pair("x.yes", kindBool).u8(1).
		array("x.tokens", kindString, 3).text("a").text("").text("héllo").
		array("x.types", kindInt32, 2).u32(1).u32(^uint32(0))
	b = b.tensor("w", 8, 0, 32, 2).tensor("norm", 0, 96, 8).align(32)
	return b.zeros(96 + 32)
}

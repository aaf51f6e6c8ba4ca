package gguf

// Get decodes a value to the Go type of its GGUF type: uint8 to int64, float32, float64, bool, string, or a slice
// of one of these. It is for tools that show everything; who knows what he wants uses the typed getters.
func (f *File) Get(key string) (x any, found bool) {
	v, found := f.values[key]
	if !found {
		return nil, false
	}
	return v.any(), true
}

func (v value) any() any {
	switch v.kind {
	case kindUint8:
		return decode(v, func(i int) uint8 { return uint8(v.bits64(i)) })
	case kindInt8:
		return decode(v, func(i int) int8 { return int8(v.bits64(i)) })
	case kindUint16:
		return decode(v, func(i int) uint16 { return uint16(v.bits64(i)) })
	case kindInt16:
		return decode(v, func(i int) int16 { return int16(v.bits64(i)) })
	case kindUint32:
		return decode(v, func(i int) uint32 { return uint32(v.bits64(i)) })
	case kindInt32:
		return decode(v, func(i int) int32 { return int32(v.bits64(i)) })
	case kindUint64:
		return decode(v, v.bits64)
	case kindInt64:
		return decode(v, func(i int) int64 { return int64(v.bits64(i)) })
	case kindFloat32:
		return decode(v, func(i int) float32 { return float32(v.float64(i)) })
	case kindFloat64:
		return decode(v, v.float64)
	case kindBool:
		return decode(v, func(i int) bool { return v.raw[i] != 0 })
	}
	if v.array {
		return v.strings()
	}
	return string(v.raw[8:])
}

// decode is element 0, or all elements of an array.
func decode[T any](v value, element func(int) T) any {
	if !v.array {
		return element(0)
	}
	all := make([]T, v.n)
	for i := range all {
		all[i] = element(i)
	}
	return all
}

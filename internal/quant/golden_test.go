package quant

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"
)

// golden is a record of testdata/golden.bin; testdata/golden.py says how it was made.
type golden struct {
	kind    Type
	given   []float32 // nil where the bytes are random
	raw     []byte
	decoded []float32
}

func readGolden(t *testing.T) (all []golden) {
	t.Helper()
	b, err := os.ReadFile("testdata/golden.bin")
	if err != nil {
		t.Fatal(err)
	}
	if string(b[:4]) != "QGLD" || binary.LittleEndian.Uint32(b[4:]) != 1 {
		t.Fatal("golden.bin has another magic or version: make it anew with golden.py")
	}
	n := binary.LittleEndian.Uint32(b[8:])
	b = b[12:]
	floats := func(n uint32) (x []float32) {
		for i := range n {
			x = append(x, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		b = b[4*n:]
		return x
	}
	for range n {
		var head [4]uint32
		for i := range head {
			head[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		b = b[16:]
		g := golden{kind: Type(head[0])}
		if head[3] == 1 {
			g.given = floats(head[1])
		}
		g.raw, b = b[:head[2]], b[head[2]:]
		g.decoded = floats(head[1])
		all = append(all, g)
	}
	if len(b) != 0 {
		t.Fatalf("golden.bin has %d bytes too many", len(b))
	}
	return all
}

func TestGolden(t *testing.T) {
	seen := map[Type]bool{F32: true} // nothing to compute
	for _, g := range readGolden(t) {
		seen[g.kind] = true
		t.Run(g.kind.String(), func(t *testing.T) {
			got := make([]float32, len(g.decoded))
			Dequantize(got, g.kind, g.raw)
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(g.decoded[i]) {
					t.Fatalf("value %d decodes to %v, not %v", i, got[i], g.decoded[i])
				}
			}
			if g.given == nil {
				return
			}
			raw := make([]byte, len(g.raw))
			Quantize(raw, g.kind, g.given)
			if at := firstDifference(raw, g.raw); at >= 0 {
				t.Fatalf("byte %d, in block %d, is quantised to %#x, not %#x", at, at/g.kind.BlockBytes(), raw[at], g.raw[at])
			}
		})
	}
	for i := range formats {
		if Type(i).Known() && !seen[Type(i)] {
			t.Errorf("golden.bin has nothing of %v", Type(i))
		}
	}
}

func firstDifference(a, b []byte) int {
	if slices.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

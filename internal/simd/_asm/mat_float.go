package main

// matFloats are the layouts of unquantised weights, with the bytes of 16 rows in a column.
var matFloats = []struct {
	name  string
	bytes int
}{{"F32", 64}, {"F16", 32}, {"BF16", 32}}

// floatCols is the number of columns in a unit.
const floatCols = 16

// matFloat512 prints the AVX-512 kernels of unquantised weights. Even and odd columns are summed apart, so that a single row
// does not wait for the adder.
//
//	Z0… sums of even columns, one per row of activations; Z8… of odd ones
//	Z16, Z17 weights of two columns; Z18 mask
type matFloat512 struct {
	*Asm
	name string
	cols int // bytes of a column
	rows int
}

func matFloatAVX512(a *Asm) {
	a.Data("matUpper", repeat(0xffff0000)...)
	for _, f := range matFloats {
		matLoop(a, "mat"+f.name+"AVX512", matHeights, func(rows int) { matFloat512{a, f.name, f.bytes, rows}.product() })
	}
}

func (m matFloat512) product() {
	if m.name == "BF16" {
		m.Op("VMOVDQU64 matUpper<>(SB), Z18")
	}
	matStart(m.Asm)
	for r := range m.rows {
		m.Op("VPXORD Z%d, Z%d, Z%d", r, r, r)
		m.Op("VPXORD Z%d, Z%d, Z%d", 8+r, 8+r, 8+r)
	}
	m.Op("PCALIGN $64")
	m.Label(localLabel("unit", m.rows))
	for col := 0; col < floatCols; col += 2 {
		m.weights(col * m.cols)
		for odd := range 2 {
			for r := range m.rows {
				m.Op("VFMADD231PS.BCST %d(DX), Z%d, Z%d", 4*((col+odd)*m.rows+r), 16+odd, 8*odd+r)
			}
		}
	}
	m.Op("ADDQ $%d, SI", floatCols*m.cols)
	m.Op("ADDQ $%d, DX", floatCols*4*m.rows)
	m.Op("DECQ CX")
	m.Op("JNZ %s", localLabel("unit", m.rows))
	m.Op("MOVQ DI, BX")
	for r := range m.rows {
		m.Op("VADDPS Z%d, Z%d, Z%d", 8+r, r, r)
		m.Op("VMOVUPS Z%d, (BX)", r)
		m.Op("ADDQ R8, BX")
	}
}

// weights loads the weights of two columns to Z16 and Z17.
func (m matFloat512) weights(at int) {
	switch m.name {
	case "F32":
		m.Op("VMOVUPS %d(SI), Z16", at)
		m.Op("VMOVUPS %d(SI), Z17", at+64)
	case "F16":
		m.Op("VCVTPH2PS %d(SI), Z16", at)
		m.Op("VCVTPH2PS %d(SI), Z17", at+32)
	case "BF16":
		m.Op("VMOVDQU64 %d(SI), Z17", at)
		m.Op("VPSLLD $16, Z17, Z16")
		m.Op("VPANDD Z18, Z17, Z17")
	}
	for i := range m.cols / 32 {
		m.Op("PREFETCHT1 %d(SI)(R13*1)", at+64*i)
	}
}

// matFloat256 prints the AVX2 kernels of unquantised weights.
//
//	Y0… sums of even columns  Y4… of odd ones  Y8…Y11 weights: two columns of one half, then of the other  Y12 scratch
type matFloat256 struct {
	tile256
	name string
	cols int // bytes of a column
}

func matFloatAVX2(a *Asm) {
	a.Data("matUpper", repeat(0xffff0000)[:8]...)
	for _, f := range matFloats {
		matLoop(a, "mat"+f.name+"AVX2", matHeights, func(height int) {
			m := matFloat256{tile256{a, height, 4}, f.name, f.bytes}
			m.passes(func() { m.pass() })
		})
	}
}

func (m matFloat256) pass() {
	for s := range 8 {
		m.Op("VXORPS Y%d, Y%d, Y%d", s, s, s)
	}
	m.Op("PCALIGN $32")
	m.Label(localLabel("unit", m.height))
	m.prefetch(floatCols * m.cols)
	for col := 0; col < floatCols; col += 2 {
		m.each(func(s, half, row int) {
			if row == 0 {
				m.weights(col, half)
			}
		})
		for odd := range 2 {
			m.each(func(s, half, row int) {
				m.Op("VBROADCASTSS %s, Y12", m.act(4*((col+odd)*m.height+row), 1))
				m.Op("VFMADD231PS Y12, Y%d, Y%d", 8+2*half+odd, 4*odd+s)
			})
		}
	}
	m.Op("ADDQ $%d, SI", floatCols*m.cols)
	m.Op("ADDQ $%d, DX", floatCols*4*m.height)
	m.Op("DECQ CX")
	m.Op("JNZ %s", localLabel("unit", m.height))
	m.each(func(s, _, _ int) { m.Op("VADDPS Y%d, Y%d, Y%d", 4+s, s, s) })
	m.store()
}

// weights loads the weights of two columns of a half.
func (m matFloat256) weights(col, half int) {
	reg, at := 8+2*half, col*m.cols
	switch m.name {
	case "F32":
		m.Op("VMOVUPS %s, Y%d", m.weight(at, 32, half), reg)
		m.Op("VMOVUPS %s, Y%d", m.weight(at+64, 32, half), reg+1)
	case "F16":
		m.Op("VCVTPH2PS %s, Y%d", m.weight(at, 16, half), reg)
		m.Op("VCVTPH2PS %s, Y%d", m.weight(at+32, 16, half), reg+1)
	case "BF16":
		m.Op("VMOVDQU %s, Y%d", m.weight(at, 32, half), reg+1)
		m.Op("VPSLLD $16, Y%d, Y%d", reg+1, reg)
		m.Op("VPAND matUpper<>(SB), Y%d, Y%d", reg+1, reg+1)
	}
}

package main

// neonFloat prints the kernels of unquantised weights. Even and odd columns are summed apart, as in other tiers.
//
//	V0… sums of even columns  V8… of odd ones  V16, V17 weights of two columns  V18 mask  V24… activations of four columns
type neonFloat struct {
	neonTile
	name string
	cols int // bytes of a column
}

func matFloatNEON(a *Asm) {
	for _, f := range matFloats {
		neonLoop(a, "mat"+f.name+"NEON", func(rows int) { neonFloat{neonTile{a, rows}, f.name, f.bytes}.product() })
	}
}

func (m neonFloat) product() {
	if m.name == "BF16" {
		m.Op("MOVD $0xffff0000, R12")
		m.Neon("dup v18.4s, w12")
	}
	m.enter()
	m.each(func() {
		m.Op("ADD R11<<%d, R15, R5", m.quarterShift())
		for i := range m.results() {
			m.Neon("movi v%d.2d, #0", i)
			m.Neon("movi v%d.2d, #0", 8+i)
		}
		m.Op("PCALIGN $32")
		m.Label(localLabel("unit", m.rows))
		for col := 0; col < floatCols; col += 4 {
			m.columns(col)
		}
		m.prefetch(floatCols * m.cols)
		m.Op("ADD $%d, R5", floatCols*m.cols)
		m.Op("ADD $%d, R6", floatCols*4*m.rows)
		m.Op("SUB $1, R7")
		m.Op("CBNZ R7, %s", localLabel("unit", m.rows))
		for i := range m.results() {
			m.Neon("fadd v%d.4s, v%d.4s, v%d.4s", i, i, 8+i)
		}
	})
}

// quarterBytes is the distance from one quarter of a column to the next.
func (m neonFloat) quarterBytes() int { return 1 << m.quarterShift() }

func (m neonFloat) quarterShift() int {
	if m.name == "F16" {
		return 3
	}
	return 4
}

// columns adds the products of four columns.
func (m neonFloat) columns(col int) {
	for i := range m.rows {
		m.Op("FMOVQ %d(R6), F%d", 4*col*m.rows+16*i, 24+i)
	}
	for pair := 0; pair < 4; pair += 2 {
		for q := range m.quarters() {
			m.weights(col+pair, q)
			for odd := range 2 {
				for r := range m.rows {
					i := (pair+odd)*m.rows + r
					m.Neon("fmla v%d.4s, v%d.4s, v%d.s[%d]", 8*odd+m.sum(r, q), 16+odd, 24+i/4, i%4)
				}
			}
		}
	}
}

// weights loads the weights of two columns to V16 and V17.
func (m neonFloat) weights(col, quarter int) {
	at := col*m.cols + quarter*m.quarterBytes()
	switch m.name {
	case "F32":
		m.Op("FMOVQ %d(R5), F16", at)
		m.Op("FMOVQ %d(R5), F17", at+64)
	case "F16":
		m.Op("FMOVD %d(R5), F16", at)
		m.Op("FMOVD %d(R5), F17", at+32)
		m.Neon("fcvtl v16.4s, v16.4h")
		m.Neon("fcvtl v17.4s, v17.4h")
	case "BF16":
		m.Op("FMOVQ %d(R5), F17", at)
		m.Neon("shl v16.4s, v17.4s, #16")
		m.Neon("and v17.16b, v17.16b, v18.16b")
	}
}

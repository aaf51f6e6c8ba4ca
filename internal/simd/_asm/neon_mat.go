package main

// neonMat prints the kernels of quantised weights. All roundings are those of the AVX-512 tier; weights are not shifted up to
// the full byte, which would make them negative, so corrections are shifted down.
//
//	V0…     float32 sums, at most 8
//	next    int32 sums of a block, one per row; those of its first half, if that has a scale of its own
//	next    four registers of weights, which else hold scales
//	next    constants; scales and minimums of 256 columns
//	rest    activations
//
//	R8 scales of the unit  R10 its fifth bits
type neonMat struct {
	neonTile
	matFormat
	ints, firsts, weights, constants, supers, free int
}

func matNEON(a *Asm) {
	for _, f := range matFormats {
		neonLoop(a, "mat"+f.name+"NEON", func(rows int) { newNEONMat(a, f, rows).product() })
	}
	matFloatNEON(a)
}

func newNEONMat(a *Asm, f matFormat, rows int) *neonMat {
	m := &neonMat{neonTile: neonTile{a, rows}, matFormat: f}
	next := m.results()
	take := func(n int) int { next += n; return next - n }
	m.ints = take(rows)
	if f.half {
		m.firsts = take(rows)
	}
	m.weights = take(4)
	m.constants = take(len(m.consts()))
	if f.k {
		m.supers = take(m.quarters() * m.perQuarter())
	}
	m.free = take(0)
	return m
}

// perQuarter is how many scales and minimums of 256 columns each output has.
func (m *neonMat) perQuarter() int {
	if m.min {
		return 2
	}
	return 1
}

// consts names the constants, in the order of their registers.
func (m *neonMat) consts() []string {
	var names []string
	switch m.bits {
	case 8:
		names = append(names, "flip")
	case 4:
		names = append(names, "low")
	case 5:
		names = append(names, "low", "bit", "spread", "shifts", "fifths")
	}
	if m.k {
		names = append(names, "words")
	}
	return names
}

// c is the register of a constant.
func (m *neonMat) c(name string) int {
	for i, n := range m.consts() {
		if n == name {
			return m.constants + i
		}
	}
	panic("no constant " + name)
}

// load puts the constants to their registers; fifths is none, but room to unpack in.
func (m *neonMat) load() {
	for _, name := range m.consts() {
		reg := m.c(name)
		switch name {
		case "flip":
			m.Neon("movi v%d.16b, #128", reg)
		case "low":
			m.Neon("movi v%d.16b, #15", reg)
		case "bit":
			m.Neon("movi v%d.16b, #16", reg)
		case "spread":
			m.words(reg, 0, 0x0101010101010101)
		case "shifts":
			m.words(reg, 0xfdfeff0001020304, 0xfdfeff0001020304)
		case "words":
			m.words(reg, 0x01ffffff00ffffff, 0x03ffffff02ffffff)
		}
	}
}

// words sets both halves of a register.
func (m *neonMat) words(reg int, low, high uint64) {
	for i, w := range []uint64{low, high} {
		m.Op("MOVD $0x%016x, R12", w)
		m.Neon("ins v%d.d[%d], x12", reg, i)
	}
}

func (m *neonMat) unitBytes() int { return m.scaleBytes() + 2*m.blockBytes() }

// streamBytes is what a unit takes together with its share of the scales of 256 columns.
func (m *neonMat) streamBytes() int {
	if m.k {
		return m.unitBytes() + 64/4
	}
	return m.unitBytes()
}

// product prints the product of a tile and a panel.
func (m *neonMat) product() {
	m.load()
	m.enter()
	m.stretches(func() { m.each(m.pass) })
}

// neonStretch is the number of units in a stretch of columns: whole scales of 256 columns.
const neonStretch = 8

// stretches prints the loop over stretches of columns, which stay in the first cache while some passes go through them. The
// results wait in dst.
func (m *neonMat) stretches(body func()) {
	if m.passes() == 1 {
		body()
		return
	}
	stretch := localLabel("stretch", m.rows)
	m.Op("MOVD R17, R14")
	m.Label(stretch)
	m.Op("MOVD $%d, R17", neonStretch)
	m.Op("CMP R17, R14")
	m.Op("CSEL LT, R14, R17, R17")
	body()
	m.Op("SUB $%d, R5, R15", 16*(4-m.quarters()))
	m.Op("MOVD R6, R16")
	m.Op("SUB R17, R14")
	m.Op("CBNZ R14, %s", stretch)
}

func (m *neonMat) pass() {
	m.Op("ADD R11<<4, R15, R5")
	m.Op("ADD R11<<%d, R15, R8", m.scaleShift())
	if m.bits == 5 {
		m.Op("ADD R11<<1, R15, R10")
	}
	m.start()
	m.Op("PCALIGN $32")
	m.Label(localLabel("unit", m.rows))
	m.superScales()
	for b := range 2 {
		m.block(b)
	}
	m.prefetch(m.streamBytes())
	m.advance(m.unitBytes())
	m.Op("ADD $%d, R6", 2*m.rows*actBytes)
	m.Op("SUB $1, R7")
	m.Op("CBNZ R7, %s", localLabel("unit", m.rows))
}

// start sets the results to zero, or to what the stretch before has left.
func (m *neonMat) start() {
	zero, ready := localLabel("zero", m.rows), localLabel("ready", m.rows)
	if m.passes() > 1 {
		m.Op("CMP R3, R15")
		m.Op("BEQ %s", zero)
		m.move("FMOVQ %[2]d(R12), F%[1]d")
		m.Op("B %s", ready)
		m.Label(zero)
	}
	for i := range m.results() {
		m.Neon("movi v%d.2d, #0", i)
	}
	if m.passes() > 1 {
		m.Label(ready)
	}
}

// scaleShift is the logarithm of what the scales of a quarter take.
func (m *neonMat) scaleShift() int {
	if m.k {
		return 2
	}
	return 3
}

// superScales loads the scales and minimums of 256 columns before every fourth unit.
func (m *neonMat) superScales() {
	if !m.k {
		return
	}
	first := localLabel("first", m.rows)
	m.Op("TST $3, R7")
	m.Op("BNE %s", first)
	m.Op("SUB R11<<3, R5, R12")
	for q := range m.quarters() {
		for i := range m.perQuarter() {
			m.Op("FMOVD %d(R12), F%d", 32*i+8*q, m.super(q, i))
			m.Neon("fcvtl v%d.4s, v%d.4h", m.super(q, i), m.super(q, i))
		}
	}
	m.advance(64)
	m.Label(first)
}

// advance moves on in the panel.
func (m *neonMat) advance(bytes int) {
	m.Op("ADD $%d, R5", bytes)
	m.Op("ADD $%d, R8", bytes)
	if m.bits == 5 {
		m.Op("ADD $%d, R10", bytes)
	}
}

func (m *neonMat) super(quarter, i int) int { return m.supers + quarter*m.perQuarter() + i }

// block adds the products of block b of a unit.
func (m *neonMat) block(b int) {
	together := m.together()
	if together == 2*m.rows {
		for h := range 2 {
			m.activations(b, h, 0, m.rows)
		}
	}
	for q := range m.quarters() {
		for h := range 2 {
			m.begin(b, h)
			m.unpack(b, h, q)
			for r := 0; r < m.rows; r += min(together, m.rows) {
				if together < 2*m.rows {
					m.activations(b, h, r, together)
				}
				m.dots(h, r, min(together, m.rows))
			}
			m.scaleHalf(b, h, q)
		}
		m.finish(b, q)
	}
}

// together is the number of registers of activations: both halves of all rows, if they fit, so that they are loaded once for
// all quarters, or else one half of as many rows as fit.
func (m *neonMat) together() int {
	n := 2 * m.rows
	for n > 32-m.free {
		n /= 2
	}
	return n
}

// act is the register of the activations of a row and a half.
func (m *neonMat) act(h, r int) int {
	if m.together() == 2*m.rows {
		return m.free + h*m.rows + r
	}
	return m.free + r%m.together()
}

func (m *neonMat) activations(b, h, row, n int) {
	for r := row; r < row+n; r++ {
		m.Op("FMOVQ %d(R6), F%d", b*m.rows*actBytes+actQuad(r, 4*h), m.act(h, r))
	}
}

// dots adds the products of four quads with some rows of activations.
func (m *neonMat) dots(h, row, n int) {
	for quad := range 4 {
		for r := row; r < row+n; r++ {
			m.Neon("sdot v%d.4s, v%d.16b, v%d.4b[%d]", m.ints+r, m.weights+quad, m.act(h, r), quad)
		}
	}
}

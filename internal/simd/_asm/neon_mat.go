package main

// neonLoop prints a function with code for each height of a tile, as matLoop does: a kernel multiplies each of some panels
// with some tiles.
//
//	R0 matCall  R1 dst  R2 its stride  R3 weights  R4 activations of the tile
//
// Strides, steps and distances are in bytes.
func neonLoop(a *Asm, name string, body func(rows int)) {
	a.Func(name, 8, "func "+name+"(c *matCall)")
	a.Op("MOVD c+0(FP), R0")
	a.Op("MOVD (R0), R1")
	a.Op("MOVD 8(R0), R2")
	a.Op("MOVD 16(R0), R3")
	a.Op("MOVD 24(R0), R4")
	a.Op("MOVD 64(R0), R12")
	for _, rows := range matHeights {
		if rows > 1 {
			a.Op("CMP $%d, R12", rows)
			a.Op("BNE %s", localLabel("not", rows))
		}
		a.Label(localLabel("product", rows))
		body(rows)
		neonNext(a, localLabel("product", rows))
		a.Op("RET")
		if rows > 1 {
			a.Label(localLabel("not", rows))
		}
	}
}

// neonNext goes on with the next tile, or the next panel and the first tile.
func neonNext(a *Asm, product string) {
	a.Comment("next tile")
	neonAdd(a, 88, "R1")
	neonAdd(a, 96, "R4")
	neonCount(a, 80, product)
	a.Comment("next panel")
	a.Op("MOVD (R0), R1")
	a.Op("ADD $64, R1")
	a.Op("MOVD R1, (R0)")
	neonAdd(a, 48, "R3")
	a.Op("MOVD 24(R0), R4")
	a.Op("MOVD 72(R0), R12")
	a.Op("MOVD R12, 80(R0)")
	neonCount(a, 40, product)
}

// neonAdd adds a field of matCall to a register.
func neonAdd(a *Asm, field int, reg string) {
	a.Op("MOVD %d(R0), R12", field)
	a.Op("ADD R12, %s", reg)
}

// neonCount counts a field of matCall down, and jumps unless that is the end.
func neonCount(a *Asm, field int, label string) {
	a.Op("MOVD %d(R0), R12", field)
	a.Op("SUB $1, R12")
	a.Op("MOVD R12, %d(R0)", field)
	a.Op("CBNZ R12, %s", label)
}

// neonTile prints what kernels of the NEON tier have in common. A register holds a quarter of a panel's 16 rows, so the
// product of a panel with a tile takes a pass for each quarter, or for some of them where the tile is low: one or two rows
// take all at once, so that memory is read once.
//
//	R15, R16 weights and activations that the passes begin with  R17 their units  R11 first quarter of the pass
//	R5 weights  R6 activations  R7 units left  R9 what to prefetch
type neonTile struct {
	*Asm
	rows int
}

// quarters is the number of quarters in a pass: together with the rows at most 8 registers of results.
func (t neonTile) quarters() int { return min(4, 8/t.rows) }

func (t neonTile) passes() int { return 4 / t.quarters() }

// sum is the register for the results of a row and a quarter of the pass.
func (t neonTile) sum(r, quarter int) int { return quarter*t.rows + r }

func (t neonTile) results() int { return t.rows * t.quarters() }

// enter goes to the beginning of the panel and the tile.
func (t neonTile) enter() {
	t.Op("MOVD R3, R15")
	t.Op("MOVD R4, R16")
	t.Op("MOVD 32(R0), R17")
	t.Op("MOVD 56(R0), R9")
	t.Op("ADD R3, R9")
}

// each prints the passes, and stores their results.
func (t neonTile) each(pass func()) {
	quarters := localLabel("quarters", t.rows)
	t.Op("MOVD $0, R11")
	if t.passes() > 1 {
		t.Label(quarters)
	}
	t.Op("MOVD R16, R6")
	t.Op("MOVD R17, R7")
	pass()
	t.move("FMOVQ F%[1]d, %[2]d(R12)")
	if t.passes() > 1 {
		t.Op("ADD $%d, R11", t.quarters())
		t.Op("CMP $4, R11")
		t.Op("BNE %s", quarters)
	}
}

// move prints a load or store for each result of the pass.
func (t neonTile) move(op string) {
	t.Op("ADD R11<<4, R1, R12")
	for r := range t.rows {
		for q := range t.quarters() {
			t.Op(op, t.sum(r, q), 16*q)
		}
		t.Op("ADD R2, R12")
	}
}

// prefetch prefetches the share that a pass has of so many bytes: all passes read the same lines.
func (t neonTile) prefetch(bytes int) {
	share := bytes / t.passes()
	for at := 0; at < share; at += 64 {
		t.Op("PRFM %d(R9), PLDL2KEEP", at)
	}
	t.Op("ADD $%d, R9", share)
}

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

// load puts the constants to their registers. That of fifths is a free one for unpacking.
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

// begin sets the int32 sums to the corrections for unsigned weights.
func (m *neonMat) begin(b, h int) {
	switch {
	case h == 1 && !m.half:
		return
	case m.min || m.bits == 8:
		for r := range m.rows {
			m.Neon("movi v%d.2d, #0", m.ints+r)
		}
		return
	}
	for r := range m.rows {
		if r%4 == 0 {
			m.correction(b, h, r)
		}
		m.Neon("dup v%d.4s, v%d.s[%d]", m.ints+r, m.weights, r%4)
	}
}

// correction loads the corrections of up to four rows: the fields have -128 times the sum of activations, where half the
// range of a weight is to be multiplied.
func (m *neonMat) correction(b, h, r int) {
	if !m.half {
		m.fields(b, actAll, r, m.weights)
	} else {
		m.fields(b, actHalf, r, m.weights)
	}
	if h == 1 {
		m.fields(b, actAll, r, m.weights+1)
		m.Neon("sub v%d.4s, v%d.4s, v%d.4s", m.weights, m.weights+1, m.weights)
	}
	m.Neon("sshr v%d.4s, v%d.4s, #%d", m.weights, m.weights, 8-m.bits)
}

// fields loads a field of up to four rows from row r on.
func (m *neonMat) fields(b, field, r, reg int) {
	at := b*m.rows*actBytes + actField(m.rows, field, r)
	m.Op("%s %d(R6), F%d", map[int]string{1: "FMOVS", 2: "FMOVD", 4: "FMOVQ"}[min(m.rows, 4)], at, reg)
}

// at is the displacement of the weights of block b.
func (m *neonMat) at(b int) int { return m.scaleBytes() + b*m.blockBytes() }

// unpack makes bytes of four quads of weights of a quarter.
func (m *neonMat) unpack(b, h, quarter int) {
	at, w := m.at(b)+16*quarter, m.weights
	switch m.bits {
	case 8:
		for i := range 4 {
			m.Op("FMOVQ %d(R5), F%d", at+64*(4*h+i), w+i)
			m.Neon("eor v%d.16b, v%d.16b, v%d.16b", w+i, w+i, m.c("flip"))
		}
	case 6:
		m.sixes(at + 192*h)
	case 5:
		for i := range 4 {
			m.nibbles(at+64+64*i, h, w+i)
			m.fifth(m.at(b)+8*(4*h+i)+2*quarter, w+i)
		}
	case 4:
		for i := range 4 {
			m.nibbles(at+64*i, h, w+i)
		}
	}
}

// nibbles loads the lower or upper halves of 16 bytes.
func (m *neonMat) nibbles(at, h, reg int) {
	m.Op("FMOVQ %d(R5), F%d", at, reg)
	if h == 0 {
		m.Neon("and v%d.16b, v%d.16b, v%d.16b", reg, reg, m.c("low"))
	} else {
		m.Neon("ushr v%d.16b, v%d.16b, #4", reg, reg)
	}
}

// fifth adds fifth bits: 16 of them become 16 bytes, each with its bit at the fifth place.
func (m *neonMat) fifth(at, reg int) {
	t := m.c("fifths")
	m.Neon("ldr h%d, [x10, #%d]", t, at)
	m.Neon("tbl v%d.16b, {v%d.16b}, v%d.16b", t, t, m.c("spread"))
	m.Neon("ushl v%d.16b, v%d.16b, v%d.16b", t, t, m.c("shifts"))
	m.Neon("bit v%d.16b, v%d.16b, v%d.16b", reg, t, m.c("bit"))
}

// sixes unpacks 16 columns of six bits: three registers hold those of a quad each in the upper bits of their bytes, and two
// bits each of a fourth quad below them.
func (m *neonMat) sixes(at int) {
	w := m.weights
	for i := range 3 {
		m.Op("FMOVQ %d(R5), F%d", at+64*i, w+i)
	}
	m.Op("FMOVQ %d(R5), F%d", at+128, w+3)
	m.Neon("sli v%d.16b, v%d.16b, #2", w+3, w+1)
	m.Neon("sli v%d.16b, v%d.16b, #4", w+3, w)
	for i := range 3 {
		m.Neon("ushr v%d.16b, v%d.16b, #2", w+i, w+i)
	}
	m.Neon("shl v%d.16b, v%d.16b, #2", w+3, w+3)
	m.Neon("ushr v%d.16b, v%d.16b, #2", w+3, w+3)
}

// scaleHalf scales the int32 sums of half a block, if it has scales of its own: those of the first are put aside.
func (m *neonMat) scaleHalf(b, h, quarter int) {
	if !m.half {
		return
	}
	m.scale(m.scaleStep()*b+m.second()*h, quarter, 0, m.weights)
	m.floats()
	for r := range m.rows {
		if h == 0 {
			m.Neon("fmul v%d.4s, v%d.4s, v%d.4s", m.firsts+r, m.ints+r, m.weights)
		} else {
			m.Neon("fmla v%d.4s, v%d.4s, v%d.4s", m.firsts+r, m.ints+r, m.weights)
		}
	}
}

// floats converts the int32 sums.
func (m *neonMat) floats() {
	for r := range m.rows {
		m.Neon("scvtf v%d.4s, v%d.4s", m.ints+r, m.ints+r)
	}
}

// finish scales what a block has added up, and adds it to the results.
func (m *neonMat) finish(b, quarter int) {
	scaled := m.firsts
	if !m.half {
		scaled = m.ints
		m.scale(m.scaleStep()*b, quarter, 0, m.weights)
		m.floats()
		for r := range m.rows {
			m.Neon("fmul v%d.4s, v%d.4s, v%d.4s", m.ints+r, m.ints+r, m.weights)
		}
	}
	m.add(b, actScale, quarter, m.weights+2, func(r int) int { return scaled + r })
	if m.min {
		m.scale(m.scaleStep()*b+m.second(), quarter, 1, m.weights+1)
		m.add(b, actSum, quarter, m.weights+3, func(int) int { return m.weights + 1 })
	}
}

// add adds products with a field of the activations to the results.
func (m *neonMat) add(b, field, quarter, reg int, of func(r int) int) {
	for r := range m.rows {
		if r%4 == 0 {
			m.fields(b, field, r, reg)
		}
		m.Neon("fmla v%d.4s, v%d.4s, v%d.s[%d]", m.sum(r, quarter), of(r), reg, r%4)
	}
}

// scale loads the scales of a quarter at a displacement, those of k under the ones of 256 columns.
func (m *neonMat) scale(at, quarter, super, reg int) {
	if !m.k {
		m.Op("FMOVD %d(R8), F%d", at+8*quarter, reg)
		m.Neon("fcvtl v%d.4s, v%d.4h", reg, reg)
		return
	}
	convert := "ucvtf"
	if m.half {
		convert = "scvtf"
	}
	m.Op("FMOVS %d(R8), F%d", at+4*quarter, reg)
	m.Neon("tbl v%d.16b, {v%d.16b}, v%d.16b", reg, reg, m.c("words"))
	m.Neon("%s v%d.4s, v%d.4s, #24", convert, reg, reg)
	m.Neon("fmul v%d.4s, v%d.4s, v%d.4s", reg, reg, m.super(quarter, super))
}

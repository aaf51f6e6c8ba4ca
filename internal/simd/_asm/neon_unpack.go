package main

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

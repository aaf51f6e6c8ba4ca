package main

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

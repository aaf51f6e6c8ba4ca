package main

// shares reports whether tiles share the prefetching of the next panel: so memory is read all the time, not only while
// the first of them goes through what it brings.
func (m mat512) shares() bool { return m.rows == matHeights[0] && !m.wide }

// shareNext finds this tile's half of the next panel. What tiles beyond the second prefetch belongs to later panels.
func (m mat512) shareNext() {
	m.Op("MOVQ 72(R10), AX")
	m.Op("MOVQ AX, R14")
	m.Op("SUBQ 80(R10), R14")
	m.Op("IMULQ 120(R10), R14")
	m.Op("ADDQ 48(R10), R14")
	m.Op("ADDQ R12, R14")
	m.Op("XORL R11, R11")
	m.Op("CMPQ AX, $1")
	m.Op("CMOVQEQ 120(R10), R11")
}

// shareLines is how many lines of 64 bytes to prefetch beside block b of a unit: half of what a unit takes, in both blocks.
func (m mat512) shareLines(b int) int {
	bytes := m.scaleBytes() + 2*m.blockBytes()
	if m.k {
		bytes += 64 / 4
	}
	unit := (bytes + 127) / 128
	return (unit + b) / 2
}

// dots multiplies the quads of a block with the activations, and prefetches beside it.
func (m mat512) dots(b int) {
	if !m.shares() {
		m.weights(m.dot)
		return
	}
	n, quads, lines := m.shareLines(b), 0, 0
	m.weights(func(q, reg int) {
		m.dot(q, reg)
		for quads++; lines < n*quads/8; lines++ {
			m.Op("PREFETCHT1 %d(R14)", 64*lines)
		}
	})
	m.prefetchOther(n)
	m.Op("ADDQ $%d, R14", 64*n)
}

// prefetchOther prefetches as many lines of the other half, if there is no tile that does.
func (m mat512) prefetchOther(n int) {
	done := m.NewLabel("shared")
	m.Op("TESTQ R11, R11")
	m.Op("JZ %s", done)
	for i := range n {
		m.Op("PREFETCHT1 %d(R14)(R11*1)", 64*i)
	}
	m.Label(done)
}

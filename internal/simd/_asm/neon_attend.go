package main

import "fmt"

func attendNEON(a *Asm) {
	neonInts{a, 2}.write("mulIntsNEON")
	neonInts{a, 1}.write("mulBytesNEON")
	v := &neonVec{Asm: a}
	v.softenRows()
	v.mergeStates()
	v.scaleStates()
}

// neonInts prints the integer product of attention, tile by tile: up to 4 rows by a group of 16 columns. Two numbers of a row
// of a are in each of V0 to V3, those of b in V4 to V7, even and odd ones apart, sums from V8 on. Up to 3 rows sum odd numbers
// apart, so that they need not wait for the multiplier.
//
//	R0 dst  R1 a  R2 b  R3 ahead, of the group
//	R4 from row to row of dst  R5 of a  R6 from pair to pair of b  R7 from group to group
//	R8 groups left  R9 rows left  R10 pairs left  R11 add
//	R12 b of the tile  R13 ahead  R14 dst of the row  R19… a of the rows  R23 second half of b
type neonInts struct {
	*Asm
	size int // bytes of a number of b
}

// neonIntRows is the most rows of a tile.
const neonIntRows = 4

func (m neonInts) write(name string) {
	m.Func(name, intArgs, fmt.Sprintf("func %s(dst *int32, dstStride int, a *int16, aStride int, b *int%[2]d, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int%[2]d)", name, 8*m.size))
	for i, r := range []string{"R0", "R4", "R1", "R5", "R2", "R6", "R7", "R9", "R10", "R8"} {
		m.Op("MOVD %s+%d(FP), %s", []string{"dst", "dstStride", "a", "aStride", "b", "bStep", "bGroup", "rows", "pairs", "groups"}[i], 8*i, r)
	}
	m.Op("MOVBU add+80(FP), R11")
	m.Op("MOVD ahead+88(FP), R3")
	m.Label("group")
	m.Op("MOVD R0, R14")
	m.Op("MOVD R1, R19")
	m.Op("MOVD rows+56(FP), R9")
	for rows := neonIntRows; rows > 0; rows-- {
		m.rows(rows)
	}
	m.Label("rows0")
	m.Op("ADD $64, R0")
	m.Op("ADD R7, R2")
	m.Op("MOVD R13, R3")
	m.Op("SUB $1, R8")
	m.Op("CBNZ R8, group")
	m.Op("RET")
}

// rows prints a tile, and for the largest number of rows a loop of them.
func (m neonInts) rows(rows int) {
	next := localLabel("rows", rows-1)
	m.Label(localLabel("rows", rows))
	m.Op("CMP $%d, R9", rows)
	m.Op("BLT %s", next)
	m.Op("SUB $%d, R9", rows)
	for r := 1; r < rows; r++ {
		m.Op("ADD R5, R%d, R%d", 18+r, 19+r)
	}
	m.start(rows)
	m.pairs(rows)
	for i := range m.apart(rows) {
		m.Neon("add v%d.4s, v%d.4s, v%d.4s", 8+i, 8+i, 8+m.apart(rows)+i)
	}
	m.each(rows, "R14", "FMOVQ F%[1]d, %[2]d(%[3]s)")
	m.Op("SUB R10<<2, R%d, R19", 18+rows)
	m.Op("ADD R5, R19")
	if rows == neonIntRows {
		m.Op("B %s", localLabel("rows", rows))
	} else {
		m.Op("B rows0")
	}
}

// start sets the sums to what is in dst, or to zero.
func (m neonInts) start(rows int) {
	load, ready := localLabel("load", rows), localLabel("ready", rows)
	m.Op("CBNZ R11, %s", load)
	m.zero(8, 4*rows)
	m.Op("B %s", ready)
	m.Label(load)
	m.Op("MOVD R14, R15")
	m.each(rows, "R15", "FMOVQ %[2]d(%[3]s), F%[1]d")
	m.Label(ready)
	m.zero(8+4*rows, m.apart(rows))
}

func (m neonInts) zero(first, n int) {
	for i := range n {
		m.Neon("movi v%d.2d, #0", first+i)
	}
}

// apart is the number of registers with sums of odd numbers.
func (m neonInts) apart(rows int) int {
	if rows < neonIntRows {
		return 4 * rows
	}
	return 0
}

// each prints op for every sum, with its offset in the row of dst, and leaves the row after them.
func (m neonInts) each(rows int, row, op string) {
	for r := range rows {
		for i := range 4 {
			m.Op(op, 8+4*r+i, 16*i, row)
		}
		m.Op("ADD R4, %s", row)
	}
}

// pairs prints the loop over pairs of numbers.
func (m neonInts) pairs(rows int) {
	loop := localLabel("pairs", rows)
	m.Op("MOVD R2, R12")
	m.Op("MOVD R3, R13")
	m.Op("MOVD R10, R15")
	m.Op("PCALIGN $32")
	m.Label(loop)
	even, odd := m.load()
	for r := range rows {
		m.Op("FMOVS.P 4(R%d), F%d", 19+r, r)
		for i, b := range [][2]int{even, odd} {
			for half := range 2 {
				sum := 8 + i*m.apart(rows) + 4*r + 2*half
				m.Neon("smlal v%d.4s, v%d.4h, v%d.h[%d]", sum, b[half], r, i)
				m.Neon("smlal2 v%d.4s, v%d.8h, v%d.h[%d]", sum+1, b[half], r, i)
			}
		}
	}
	m.Op("PRFM (R13), PLDL2KEEP")
	m.Op("ADD $%d, R13", 32*m.size)
	m.Op("ADD R6, R12")
	m.Op("SUB $1, R15")
	m.Op("CBNZ R15, %s", loop)
}

// load loads two numbers of 16 columns of b: the even one of each to two registers, and the odd one.
func (m neonInts) load() (even, odd [2]int) {
	even, odd = [2]int{4, 6}, [2]int{5, 7}
	if m.size == 2 {
		m.Op("ADD $32, R12, R23")
		m.Op("VLD2 (R12), [V4.H8, V5.H8]")
		m.Op("VLD2 (R23), [V6.H8, V7.H8]")
		return even, odd
	}
	m.Op("VLD2 (R12), [V4.B16, V5.B16]")
	for i := range 2 {
		m.Neon("sshll2 v%d.8h, v%d.16b, #0", 6+i, 4+i)
		m.Neon("sshll v%d.8h, v%d.8b, #0", 4+i, 4+i)
	}
	return even, odd
}

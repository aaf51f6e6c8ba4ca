package main

import "fmt"

func attendAVX512(a *Asm) {
	ints512{a, 2}.write("mulIntsAVX512")
	ints512{a, 1}.write("mulBytesAVX512")
	attend(&vec{Asm: a, wide: true})
}

func attendAVX2(a *Asm) {
	ints256{a, 2, false}.write("mulIntsAVX2")
	ints256{a, 1, false}.write("mulBytesAVX2")
	attend(&vec{Asm: a})
}

func attendAVXVNNI(a *Asm) {
	ints256{a, 2, true}.write("mulIntsAVXVNNI")
	ints256{a, 1, true}.write("mulBytesAVXVNNI")
}

func attend(v *vec) {
	v.softenRows()
	v.mergeStates()
	v.scaleStates()
	vecConstants(v.Asm)
}

// The integer product of attention goes tile by tile: up to 6 rows by some groups of 16 columns. Distances are in bytes.
//
//	SI, DX   a of the tile, and of its fourth row; R9 from row to row
//	AX, BX   b of the pair, and of the tile; R10 from pair to pair, R11 from group to group, R15 three groups
//	DI       dst of the tile; R8 from row to row
//	CX       pairs left; R12 rows left; R13 groups left
//	R14      what to fetch ahead
const (
	intRows = 6
	intArgs = 8 * 12
)

type intTile interface {
	groups() []int // that a tile can have, from the most down to 1
	bytes() int    // of a number of b
	tile(rows, groups int)
}

func (a *Asm) ints(name string, t intTile) {
	a.Func(name, intArgs, fmt.Sprintf("func %s(dst *int32, dstStride int, a *int16, aStride int, b *int%[2]d, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int%[2]d)", name, 8*t.bytes()))
	for i, r := range []string{"DI", "R8", "SI", "R9", "BX", "R10", "R11"} {
		a.Op("MOVQ %s+%d(FP), %s", []string{"dst", "dstStride", "a", "aStride", "b", "bStep", "bGroup"}[i], 8*i, r)
	}
	a.Op("MOVQ groups+72(FP), R13")
	a.Op("LEAQ (R11)(R11*2), R15")
	for _, g := range t.groups() {
		a.groupBlock(t, g)
	}
	a.Op("VZEROUPPER")
	a.Op("RET")
}

// groupBlock prints the loop over all rows for g groups, as long as there are so many.
func (a *Asm) groupBlock(t intTile, g int) {
	next := fmt.Sprintf("after%d", g)
	a.Label(fmt.Sprintf("groups%d", g))
	a.Op("CMPQ R13, $%d", g)
	a.Op("JLT %s", next)
	a.Op("SUBQ $%d, R13", g)
	a.Op("MOVQ dst+0(FP), DI")
	a.Op("MOVQ a+16(FP), SI")
	a.Op("MOVQ rows+56(FP), R12")
	for rows := intRows; rows > 0; rows-- {
		a.rowBlock(t, rows, g)
	}
	a.Label(fmt.Sprintf("rows0x%d", g))
	a.Op("ADDQ $%d, dst+0(FP)", 64*g)
	a.Op("MOVQ R14, ahead+88(FP)")
	for range g {
		a.Op("ADDQ R11, BX")
	}
	a.Op("JMP groups%d", g)
	a.Label(next)
}

// rowBlock prints a tile, and for the largest number of rows a loop of them.
func (a *Asm) rowBlock(t intTile, rows, g int) {
	next := fmt.Sprintf("rows%dx%d", rows-1, g)
	a.Label(fmt.Sprintf("rows%dx%d", rows, g))
	a.Op("CMPQ R12, $%d", rows)
	a.Op("JLT %s", next)
	a.Op("SUBQ $%d, R12", rows)
	a.Op("LEAQ (R9)(R9*2), DX")
	a.Op("ADDQ SI, DX")
	a.Op("MOVQ DI, AX")
	t.tile(rows, g)
	a.Op("MOVQ AX, DI")
	a.Op("MOVQ pairs+64(FP), CX")
	a.Op("SHLQ $2, CX")
	a.Op("SUBQ CX, SI")
	for range rows {
		a.Op("ADDQ R9, SI")
	}
	if rows == intRows {
		a.Op("JMP rows%dx%d", rows, g)
	} else {
		a.Op("JMP rows0x%d", g)
	}
}

// pairs prints the loop over pairs of numbers around body.
func (a *Asm) pairs(rows, g, bytes int, body func()) {
	loop := fmt.Sprintf("pairs%dx%d", rows, g)
	a.Op("MOVQ BX, AX")
	a.Op("MOVQ ahead+88(FP), R14")
	a.Op("MOVQ pairs+64(FP), CX")
	a.Op("PCALIGN $64")
	a.Label(loop)
	body()
	for i := 0; i < 32*bytes*g; i += 64 {
		a.Op("PREFETCHT1 %d(R14)", i)
	}
	a.Op("ADDQ $%d, R14", 32*bytes*g)
	a.Op("ADDQ R10, AX")
	a.Op("ADDQ $4, SI")
	a.Op("ADDQ $4, DX")
	a.Op("DECQ CX")
	a.Op("JNZ %s", loop)
}

// intRow is the address of two numbers of a in row r of the tile.
func intRow(r int) string {
	return []string{"(SI)", "(SI)(R9*1)", "(SI)(R9*2)", "(DX)", "(DX)(R9*1)", "(DX)(R9*2)"}[r]
}

// ints512 has its accumulators in Z0 to Z23, b in Z24 to Z27, two numbers of a in all lanes of Z28 to Z31 by turns.
type ints512 struct {
	*Asm
	size int // bytes of a number of b
}

func (m ints512) write(name string) { m.ints(name, m) }

func (m ints512) bytes() int { return m.size }

func (m ints512) groups() []int { return []int{4, 2, 1} }

func (m ints512) tile(rows, g int) {
	load := fmt.Sprintf("load%dx%d", rows, g)
	ready := fmt.Sprintf("ready%dx%d", rows, g)
	m.Op("CMPB add+80(FP), $0")
	m.Op("JNE %s", load)
	for i := range rows * g {
		m.Op("VPXORD Z%d, Z%d, Z%d", i, i, i)
	}
	m.Op("JMP %s", ready)
	m.Label(load)
	m.rows(rows, g, "VMOVDQU32 %[1]d(AX), Z%[2]d")
	m.Label(ready)
	m.pairs(rows, g, m.size, func() {
		for v := range g {
			m.Op("%s %s, Z%d", []string{1: "VPMOVSXBW", 2: "VMOVDQU32"}[m.size], []string{"(AX)", "(AX)(R11*1)", "(AX)(R11*2)", "(AX)(R15*1)"}[v], 24+v)
		}
		for r := range rows {
			m.Op("VPBROADCASTD %s, Z%d", intRow(r), 28+r%4)
			for v := range g {
				m.Op("VPDPWSSD Z%d, Z%d, Z%d", 24+v, 28+r%4, r*g+v)
			}
		}
	})
	m.Op("MOVQ DI, AX")
	m.rows(rows, g, "VMOVDQU32 Z%[2]d, %[1]d(AX)")
}

// rows prints op for every accumulator, with its offset in the row at AX.
func (m ints512) rows(rows, g int, op string) {
	for r := range rows {
		for v := range g {
			m.Op(op, 64*v, r*g+v)
		}
		m.Op("ADDQ R8, AX")
	}
}

// ints256 has its accumulators in Y0 to Y11, b in Y12 and Y13, two numbers of a in Y14, products in Y15.
type ints256 struct {
	*Asm
	size int  // bytes of a number of b
	vnni bool // multiply and add in one instruction
}

func (m ints256) write(name string) { m.ints(name, m) }

func (m ints256) bytes() int { return m.size }

func (m ints256) groups() []int { return []int{1} }

func (m ints256) tile(rows, g int) {
	load := fmt.Sprintf("load%d", rows)
	ready := fmt.Sprintf("ready%d", rows)
	m.Op("CMPB add+80(FP), $0")
	m.Op("JNE %s", load)
	for i := range rows * 2 {
		m.Op("VPXOR Y%d, Y%d, Y%d", i, i, i)
	}
	m.Op("JMP %s", ready)
	m.Label(load)
	m.rows(rows, "VMOVDQU %[1]d(AX), Y%[2]d")
	m.Label(ready)
	m.pairs(rows, g, m.size, func() {
		for h := range 2 {
			m.Op("%s %d(AX), Y%d", []string{1: "VPMOVSXBW", 2: "VMOVDQU"}[m.size], 16*m.size*h, 12+h)
		}
		for r := range rows {
			m.Op("VPBROADCASTD %s, Y14", intRow(r))
			for h := range 2 {
				m.mulAdd(12+h, 14, 2*r+h)
			}
		}
	})
	m.Op("MOVQ DI, AX")
	m.rows(rows, "VMOVDQU Y%[2]d, %[1]d(AX)")
}

func (m ints256) rows(rows int, op string) {
	for r := range rows {
		for h := range 2 {
			m.Op(op, 32*h, 2*r+h)
		}
		m.Op("ADDQ R8, AX")
	}
}

// mulAdd adds products of pairs of numbers to sum.
func (m ints256) mulAdd(b, a, sum int) {
	if m.vnni {
		vpdpwssd(m.Asm, b, a, sum)
		return
	}
	m.Op("VPMADDWD Y%d, Y%d, Y15", b, a)
	m.Op("VPADDD Y15, Y%d, Y%d", sum, sum)
}

// vpdpwssd prints VPDPWSSD of 256 bits in the encoding that is not AVX-512's, which the assembler does not know.
func vpdpwssd(m *Asm, b, a, sum int) {
	high := func(reg int) int { return ^reg >> 3 & 1 }
	m.Op("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x52; BYTE $0x%02x // VPDPWSSD Y%d, Y%d, Y%d",
		high(sum)<<7|1<<6|high(b)<<5|2, ^a&15<<3|1<<2|1, 3<<6|sum&7<<3|b&7, b, a, sum)
}

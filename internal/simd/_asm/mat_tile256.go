package main

import "fmt"

// tile256 prints what the kernels of the AVX2 tier have in common. Half a panel, 8 rows, fits a register, and there are 16
// registers; so the product of a panel with a tile may take several passes: for each half, and for few rows at a time. What
// a pass adds up are its sums: a half with a row each. One or two rows take both halves at once, so that memory is read once.
//
//	AX  4 in passes over the second half: times 1, 2, 4 or 8 the distance of its words, bytes, …
//	R11 4 times the first row of the pass
type tile256 struct {
	*Asm
	height int // rows of the tile
	sums   int // the most there are registers for
}

// both reports whether a pass has both halves.
func (t tile256) both() bool { return 2*t.height <= t.sums }

// rows is the number of rows in a pass.
func (t tile256) rows() int { return min(t.height, t.sums) }

// passes prints the loops around a pass.
func (t tile256) passes(pass func()) {
	rows, halves := localLabel("rows", t.height), localLabel("half", t.height)
	if t.rows() < t.height {
		t.Op("XORL R11, R11")
		t.Label(rows)
	}
	if !t.both() {
		t.Op("XORL AX, AX")
		t.Label(halves)
	}
	matStart(t.Asm)
	pass()
	if !t.both() {
		t.Op("XORL $4, AX")
		t.Op("JNZ %s", halves)
	}
	if t.rows() < t.height {
		t.Op("ADDQ $%d, R11", 4*t.rows())
		t.Op("CMPQ R11, $%d", 4*t.height)
		t.Op("JNE %s", rows)
	}
}

// each calls f for every sum: its number, half and row. Where the pass has one half, or starts at another row, operands add
// what AX and R11 say.
func (t tile256) each(f func(s, half, row int)) {
	for half := range 2 {
		if half == 1 && !t.both() {
			return
		}
		for row := range t.rows() {
			f(half*t.rows()+row, half, row)
		}
	}
}

// weight is the operand at a displacement of the panel for a half, where the second half follows after size bytes.
func (t tile256) weight(at, size, half int) string { return t.part("SI", at, size, half) }

func (t tile256) part(base string, at, size, half int) string {
	if t.both() {
		return fmt.Sprintf("%d(%s)", at+size*half, base)
	}
	return fmt.Sprintf("%d(%s)(AX*%d)", at, base, size/4)
}

// act is the operand at a displacement of the tile, where rows are 4*words bytes apart.
func (t tile256) act(at, words int) string {
	if t.rows() == t.height {
		return fmt.Sprintf("%d(DX)", at)
	}
	return fmt.Sprintf("%d(DX)(R11*%d)", at, words)
}

// prefetch prefetches as many bytes at a distance, in the first pass over the panel.
func (t tile256) prefetch(bytes int) {
	skip := t.NewLabel("fetched")
	if t.rows() < t.height {
		t.Op("TESTQ R11, R11")
		t.Op("JNZ %s", skip)
	}
	if !t.both() {
		t.Op("TESTQ AX, AX")
		t.Op("JNZ %s", skip)
	}
	for at := 0; at < bytes; at += 64 {
		t.Op("PREFETCHT1 %d(SI)(R13*1)", at)
	}
	t.Label(skip)
}

// store writes the sums in Y0 and following.
func (t tile256) store() {
	t.Op("MOVQ DI, BX")
	if t.rows() < t.height {
		t.Op("MOVQ R11, CX")
		t.Op("SHRQ $2, CX")
		t.Op("IMULQ R8, CX")
		t.Op("ADDQ CX, BX")
	}
	for next := range t.rows() {
		t.each(func(s, half, row int) {
			if row == next {
				t.Op("VMOVUPS Y%d, %s", s, t.part("BX", 0, 32, half))
			}
		})
		t.Op("ADDQ R8, BX")
	}
}

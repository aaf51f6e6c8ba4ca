package main

import "fmt"

// A pair is two tiles of full height that meet the weights of a panel together, so that these are unpacked once for both.
// There are registers for the integer sums of both, but not for the float32 accumulators: those of the second tile lie on
// the stack, and are read and written while the dots of the next block keep the multipliers busy.
//
//	R11 from the first tile's activations to the second's  AX accumulators of the second tile

// pairs reports whether a format gains by it: it has something to unpack, and one scale a block.
func (f matFormat) pairs() bool { return f.bits < 8 && !f.half }

// pairFrame is the size of the accumulators, and what it takes to begin at a multiple of 64.
const pairFrame = 8*64 + 56

// pairSum is the register of the int32 accumulators of row r of the second tile.
func pairSum(r int) int { return 16 + r }

// pairAct is the operand at a displacement from the second tile's activations.
func pairAct(at int) string { return fmt.Sprintf("%d(DX)(R11*1)", at) }

// startPair clears the accumulators of the second tile, and finds the next panel to prefetch.
func (m mat512) startPair() {
	m.Op("MOVQ 96(R10), R11")
	m.Op("LEAQ (R12)(R13*1), R14")
	m.Op("LEAQ 56(SP), AX")
	m.Op("ANDQ $-64, AX")
	for r := range m.rows {
		m.Op("VMOVAPS Z0, %d(AX)", 64*r)
	}
}

// beginPair is begin for the second tile.
func (m mat512) beginPair() {
	for r := range m.rows {
		if m.min {
			m.Op("VPXORD Z%d, Z%d, Z%d", pairSum(r), pairSum(r), pairSum(r))
		} else {
			m.Op("VPBROADCASTD %s, Z%d", pairAct(actField(m.rows, actAll, r)), pairSum(r))
		}
	}
}

// dotPair is dot for the second tile.
func (m mat512) dotPair(q, reg int) {
	for r := range m.rows {
		m.Op("VPDPBUSD.BCST %s, Z%d, Z%d", pairAct(actQuad(r, q)), reg, pairSum(r))
	}
}

// addPair scales the sums of the second tile and adds them to its accumulators, in the steps of block.
func (m mat512) addPair() {
	for r := range m.rows {
		m.Op("VCVTDQ2PS Z%d, Z%d", pairSum(r), pairSum(r))
	}
	for r := range m.rows {
		m.Op("VMULPS Z26, Z%d, Z%d", pairSum(r), pairSum(r))
	}
	for r := range m.rows {
		m.Op("VMOVAPS %d(AX), Z28", 64*r)
		m.Op("VFMADD231PS.BCST %s, Z%d, Z28", pairAct(actField(m.rows, actScale, r)), pairSum(r))
		if m.min {
			m.Op("VFMADD231PS.BCST %s, Z27, Z28", pairAct(actField(m.rows, actSum, r)))
		}
		m.Op("VMOVAPS Z28, %d(AX)", 64*r)
	}
}

// storePair goes on with the rows of dst at BX, as store does.
func (m mat512) storePair() {
	m.Op("MOVQ DI, BX")
	m.Op("ADDQ 88(R10), BX")
	for r := range m.rows {
		if m.min {
			m.Op("VMOVAPS %d(AX), Z28", 64*r)
		} else {
			m.Op("VMULPS %d(AX), Z26, Z28", 64*r)
		}
		m.Op("VMOVUPS Z28, (BX)")
		m.Op("ADDQ R8, BX")
	}
}

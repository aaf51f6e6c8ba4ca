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
// take all at once, so that memory is read once. Eight rows share what it costs to unpack a weight: of the 105 vector
// instructions of a block of Q8_0, 64 are SDOT. These shapes come from counting instructions; nothing has been measured.
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

package main

import "fmt"

// neonVec prints loops over slices in registers of 4 lanes. Pointers are in R0 to R3, as arguments come; R4 counts.
type neonVec struct {
	*Asm
	tail   bool // inside the last steps, of one number each: only the first lane counts
	consts map[string]int
}

// begin starts the kernel name+NEON with arguments of so many bytes, and keeps constants in the highest registers.
func (v *neonVec) begin(name string, args int, decl string, constants ...string) {
	name += "NEON"
	v.Func(name, args, "func "+name+decl)
	v.consts = map[string]int{}
	for i, c := range constants {
		v.consts[c] = 31 - i
		v.fill(31-i, c)
	}
}

// fill puts a constant to all lanes of a register.
func (v *neonVec) fill(reg int, name string) {
	bits, ok := constants[name]
	if !ok {
		panic("no constant " + name)
	}
	v.Op("MOVD $0x%08x, R12", bits)
	v.Neon("dup v%d.4s, w12", reg)
}

// c is the register of a constant.
func (v *neonVec) c(name string) int {
	reg, ok := v.consts[name]
	if !ok {
		panic("constant without a register: " + name)
	}
	return reg
}

// args loads 64-bit arguments that follow each other to registers.
func (v *neonVec) args(names ...string) {
	for i, n := range names {
		v.Op("MOVD %s+%d(FP), R%d", n, 8*i, i)
	}
}

// argument puts a float argument in all lanes of a register.
func (v *neonVec) argument(reg int, name string, offset int) {
	v.Op("FMOVS %s+%d(FP), F%d", name, offset, reg)
	v.Neon("dup v%[1]d.4s, v%[1]d.s[0]", reg)
}

// loops prints body for unroll steps of four numbers, in a loop, then for single steps, then for single numbers, as long as
// the count lasts. The pointers move on after each round; body gets the number of its step.
func (v *neonVec) loops(name, count string, unroll int, pointers []string, body func(i int)) {
	if unroll > 1 {
		v.loop(name+"Many", count, unroll, 4, pointers, body)
	}
	v.loop(name+"Four", count, 1, 4, pointers, body)
	v.tail = true
	v.loop(name+"One", count, 1, 1, pointers, body)
	v.tail = false
}

// loop prints the loop over n steps at once, each of some numbers.
func (v *neonVec) loop(name, count string, n, step int, pointers []string, body func(i int)) {
	v.Op("SUBS $%d, %s", n*step, count)
	v.Op("BLT %sEnd", name)
	v.Op("PCALIGN $16")
	v.Label(name)
	for i := range n {
		body(i)
	}
	for _, p := range pointers {
		v.Op("ADD $%d, %s", 4*n*step, p)
	}
	v.Op("SUBS $%d, %s", n*step, count)
	v.Op("BGE %s", name)
	v.Label(name + "End")
	v.Op("ADD $%d, %s", n*step, count)
}

// load and store move step i of 32-bit numbers; lanes beyond the first are zero in the tail, or not written.
func (v *neonVec) load(pointer string, i, to int) {
	if v.tail {
		v.Op("FMOVS (%s), F%d", pointer, to)
	} else {
		v.Op("FMOVQ %d(%s), F%d", 16*i, pointer, to)
	}
}

func (v *neonVec) store(from int, pointer string, i int) {
	if v.tail {
		v.Op("FMOVS F%d, (%s)", from, pointer)
	} else {
		v.Op("FMOVQ F%d, %d(%s)", from, 16*i, pointer)
	}
}

// op prints an instruction on registers of four 32-bit lanes.
func (v *neonVec) op(name string, registers ...int) {
	text := name
	for i, r := range registers {
		text += fmt.Sprintf("%s v%d.4s", []string{"", ","}[min(i, 1)], r)
	}
	v.Neon("%s", text)
}

// bitwise prints a logical instruction, or a copy.
func (v *neonVec) bitwise(name string, d, n, m int) {
	v.Neon("%s v%d.16b, v%d.16b, v%d.16b", name, d, n, m)
}

func (v *neonVec) move(d, n int) { v.bitwise("orr", d, n, n) }

func (v *neonVec) zero(registers ...int) {
	for _, r := range registers {
		v.Neon("movi v%d.2d, #0", r)
	}
}

// addAcross leaves the sum of the lanes of a register in its first.
func (v *neonVec) addAcross(i int) {
	v.op("faddp", i, i, i)
	v.op("faddp", i, i, i)
}

// power makes 2^t of register t, see exp2 in exp.go; f, p and q are free. Exponents must be within the range of normal
// numbers.
func (v *neonVec) power(t, f, p, q int) {
	v.op("frintm", p, t)
	v.op("fsub", f, t, p)
	v.op("fcvtzs", t, p)
	v.move(p, v.c("exp5"))
	for i := 4; i >= 0; i-- {
		v.move(q, v.c(fmt.Sprintf("exp%d", i)))
		v.op("fmla", q, p, f)
		p, q = q, p
	}
	v.Neon("shl v%d.4s, v%d.4s, #23", t, t)
	v.op("add", t, p, t)
}

func (v *neonVec) end() { v.Op("RET") }

package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// vec prints loops over slices in registers of 16 lanes (AVX-512) or 8 (AVX2). What the two have in common is written once;
// a register is a number, and its name depends on the width.
type vec struct {
	*Asm
	wide   bool
	tail   bool // inside the last, partial step: loads and stores are masked
	consts map[string]int
}

func (v *vec) lanes() int {
	if v.wide {
		return 16
	}
	return 8
}

// r is the name of register i.
func (v *vec) r(i int) string {
	if v.wide {
		return fmt.Sprintf("Z%d", i)
	}
	return fmt.Sprintf("Y%d", i)
}

// op prints an instruction whose operands are registers (int) or text.
func (v *vec) op(name string, operands ...any) {
	s := name
	for i, o := range operands {
		if i == 0 {
			s += " "
		} else {
			s += ", "
		}
		if n, ok := o.(int); ok {
			o = v.r(n)
		}
		s += fmt.Sprint(o)
	}
	v.Op("%s", s)
}

// begin starts the kernel name+tier with arguments of so many bytes, and keeps constants in the highest registers where
// there are enough of them.
func (v *vec) begin(name string, args int, decl string, constants ...string) {
	if v.wide {
		name += "AVX512"
	} else {
		name += "AVX2"
	}
	v.Func(name, args, "func "+name+decl)
	v.consts = map[string]int{}
	if v.wide {
		for i, c := range constants {
			v.consts[c] = 31 - i
			v.op("VBROADCASTSS", c+"<>(SB)", 31-i)
		}
	}
}

// c is the operand for a constant.
func (v *vec) c(name string) any {
	if i, ok := v.consts[name]; ok {
		return i
	}
	if v.wide {
		panic("constant without a register: " + name)
	}
	return name + "<>(SB)"
}

// constants are what kernels name, as the bits of every lane.
var constants = map[string]uint32{
	"exp0": bits(1), "exp1": bits(0.69315131), "exp2": bits(0.240164450),
	"exp3": bits(0.0557999131), "exp4": bits(0.00901703032), "exp5": bits(0.00186713007),
	"expMin": bits(-126), "expMax": bits(128), "least": bits(-80), "sigmoidMax": bits(100),
	"log2e": bits(math.Log2E), "negLog2e": bits(-math.Log2E),
	"negGelu1": bits(-gelu), "negGelu3": bits(-gelu * 0.044715),
	"one": bits(1), "tiny": bits(1e-30), "maxInt16": bits(math.MaxInt16), "negInf": bits(math.Inf(-1)),
	"absMask": 0x7fffffff, "127": bits(127), "minus128": bits(-128), "minus7": bits(-0x1p-7),
}

// gelu is 2*sqrt(2/pi)*log2(e).
const gelu = 2 * math.Sqrt2 * math.SqrtPi / math.Pi * math.Log2E

func bits(x float64) uint32 { return math.Float32bits(float32(x)) }

// vecConstants prints the constants that the file names, each for 8 lanes.
func vecConstants(a *Asm) {
	text := string(a.Bytes())
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		if strings.Contains(text, name+"<>") {
			a.Data(name, slices.Repeat([]uint32{constants[name]}, 8)...)
		}
	}
	if strings.Contains(text, "tailMask<>") {
		a.Data("tailMask", append(slices.Repeat([]uint32{math.MaxUint32}, 8), make([]uint32, 8)...)...)
	}
	if strings.Contains(text, "lanes<>") {
		a.Data("lanes", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	}
}

// maskReg is the register of the mask of the tail: K1, or Y15.
const maskReg = 15

// loops prints body for unroll steps, in a loop, then for single steps, in a loop, and once for what is left of the count
// register. Body gets the number of its step, and advances the pointers by one step.
func (v *vec) loops(name, count string, unroll int, body func(i int)) {
	if unroll > 1 {
		v.loop(name+"Many", count, unroll, body)
	}
	v.loop(name, count, 1, body)
	v.Op("TESTQ %[1]s, %[1]s", count)
	v.Op("JEQ %sDone", name)
	v.mask(count)
	v.tail = true
	body(0)
	v.tail = false
	v.Label(name + "Done")
}

// loop prints the loop over n steps at once.
func (v *vec) loop(name, count string, n int, body func(i int)) {
	v.Op("SUBQ $%d, %s", n*v.lanes(), count)
	v.Op("JLT %sEnd", name)
	v.Op("PCALIGN $32")
	v.Label(name)
	for i := range n {
		body(i)
	}
	v.Op("SUBQ $%d, %s", n*v.lanes(), count)
	v.Op("JGE %s", name)
	v.Label(name + "End")
	v.Op("ADDQ $%d, %s", n*v.lanes(), count)
}

// mask makes the mask of the first count lanes. It uses AX and CX.
func (v *vec) mask(count string) {
	if v.wide {
		v.Op("MOVQ %s, CX", count)
		v.Op("MOVL $1, AX")
		v.Op("SHLL CX, AX")
		v.Op("DECL AX")
		v.Op("KMOVW AX, K1")
		return
	}
	v.Op("MOVQ %s, CX", count)
	v.Op("NEGQ CX")
	v.Op("LEAQ tailMask<>+32(SB), AX")
	v.Op("VMOVDQU (AX)(CX*4), Y%d", maskReg)
}

// load and store move a step of 32-bit numbers; lanes beyond the tail are zero, or not written.
func (v *vec) load(at string, to int) {
	switch {
	case v.tail && v.wide:
		v.op("VMOVUPS.Z", at, "K1", to)
	case v.tail:
		v.op("VMASKMOVPS", at, maskReg, to)
	default:
		v.op("VMOVUPS", at, to)
	}
}

func (v *vec) store(from int, at string) {
	switch {
	case v.tail && v.wide:
		v.op("VMOVUPS", from, "K1", at)
	case v.tail:
		v.op("VMASKMOVPS", from, maskReg, at)
	default:
		v.op("VMOVUPS", from, at)
	}
}

// keep zeroes the lanes of a register beyond the tail.
func (v *vec) keep(i int) {
	switch {
	case v.tail && v.wide:
		v.op("VMOVAPS.Z", i, "K1", i)
	case v.tail:
		v.op("VANDPS", maskReg, i, i)
	}
}

// advance moves pointers on by one step of numbers of so many bytes.
func (v *vec) advance(size int, pointers ...string) {
	for _, p := range pointers {
		v.Op("ADDQ $%d, %s", size*v.lanes(), p)
	}
}

func (v *vec) zero(i int) {
	if v.wide {
		v.op("VPXORD", i, i, i)
	} else {
		v.op("VPXOR", i, i, i)
	}
}

// reduce leaves in lane 0 of register i what op makes of its 16 lanes, or of those of i and its second half hi where
// registers have 8; t is free. The order is that of the wide register.
func (v *vec) reduce(op string, i, t int) {
	if v.wide {
		v.Op("VEXTRACTF64X4 $1, Z%d, Y%d", i, t)
		v.Op("%s Y%d, Y%d, Y%d", op, t, i, i)
	}
	v.Op("VEXTRACTF128 $1, Y%d, X%d", i, t)
	v.Op("%s X%d, X%d, X%d", op, t, i, i)
	v.Op("VPERMILPS $0x4e, X%d, X%d", i, t)
	v.Op("%s X%d, X%d, X%d", op, t, i, i)
	v.Op("VPERMILPS $0xb1, X%d, X%d", i, t)
	v.Op("%s X%d, X%d, X%d", op, t, i, i)
}

// power makes 2^t of register t, see exp2 in exp.go; f and p are free. Exponents must be within the range of normal
// numbers.
func (v *vec) power(t, f, p int) {
	if v.wide {
		v.op("VREDUCEPS", "$1", t, f)
	} else {
		v.op("VROUNDPS", "$1", t, p)
		v.op("VSUBPS", p, t, f)
		v.op("VCVTPS2DQ", p, t)
	}
	v.op("VMOVUPS", v.c("exp5"), p)
	for i := 4; i >= 0; i-- {
		v.op("VFMADD213PS", v.c(fmt.Sprintf("exp%d", i)), f, p)
	}
	if v.wide {
		v.op("VSCALEFPS", t, p, t)
	} else {
		v.op("VPSLLD", "$23", t, t)
		v.op("VPADDD", t, p, t)
	}
}

var powerConsts = []string{"exp0", "exp1", "exp2", "exp3", "exp4", "exp5"}

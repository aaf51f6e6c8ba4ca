package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// Go's assembler knows few of the vector instructions of arm64, so kernels write all of them as ARM's manual does, and they
// are printed as words. Loads, stores and what concerns general registers are Go's.

// A neonCode is how an instruction is encoded: registers go to the fields d, n and m in the order of operands, a number
// where place puts it.
type neonCode struct {
	word  uint32
	place func(n uint32) uint32
}

var (
	neonRegister = regexp.MustCompile(`\b([vdhsxw])(\d+)`)
	neonNumber   = regexp.MustCompile(`#(\d+)|\[(\d+)\]`)
	neonFields   = []int{0, 5, 16}
)

// Neon prints one vector instruction, its operands in ARM's order (destination first), formatted as by Printf.
func (a *Asm) Neon(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.Op("WORD $0x%08x // %s", neonWord(text), text)
}

// neonWord encodes an instruction.
func neonWord(text string) uint32 {
	code, ok := neonCodes[neonShape(text)]
	if !ok {
		panic("no code for " + text)
	}
	word := code.word
	for i, r := range neonRegister.FindAllStringSubmatch(text, -1) {
		word |= neonParse(r[2], 31) << neonFields[i]
	}
	if n := neonNumber.FindStringSubmatch(text); n != nil {
		word |= code.place(neonParse(n[1]+n[2], 1<<16))
	}
	return word
}

// neonShape is the instruction without the numbers of its registers and elements, and without its constant.
func neonShape(text string) string {
	text = neonRegister.ReplaceAllString(text, "$1")
	return neonNumber.ReplaceAllStringFunc(text, func(n string) string {
		if n[0] == '#' {
			return "#"
		}
		return "[]"
	})
}

func neonParse(digits string, most uint32) uint32 {
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || uint32(n) > most {
		panic("no operand: " + digits)
	}
	return uint32(n)
}

// The places of numbers.
var (
	elementS = func(i uint32) uint32 { return i&1<<21 | i>>1<<11 }    // one of four, of the third register
	elementH = func(i uint32) uint32 { return i&3<<20 | i>>2<<11 }    // one of eight
	copyS    = func(i uint32) uint32 { return (i<<3 | 4) << 16 }      // one of four, of the second register
	copyH    = func(i uint32) uint32 { return (i<<2 | 2) << 16 }      // one of eight
	copyD    = func(i uint32) uint32 { return (i<<4 | 8) << 16 }      // one of two, of the first register
	byteBits = func(b uint32) uint32 { return b>>5<<16 | b&31<<5 }    // a constant
	halves   = func(offset uint32) uint32 { return offset / 2 << 10 } // of an address
	leftB    = func(n uint32) uint32 { return (8 + n) << 16 }         // shifts of bytes and words
	left     = func(n uint32) uint32 { return (32 + n) << 16 }        //
	rightB   = func(n uint32) uint32 { return (16 - n) << 16 }        //
	right    = func(n uint32) uint32 { return (64 - n) << 16 }        //
	none     = func(n uint32) uint32 { return 0 }                     // a zero
)

// neonCodes are the instructions in use.
var neonCodes = map[string]neonCode{
	"add v.4s, v.4s, v.4s":      {0x4ea08400, nil},
	"and v.16b, v.16b, v.16b":   {0x4e201c00, nil},
	"bic v.16b, v.16b, v.16b":   {0x4e601c00, nil},
	"bit v.16b, v.16b, v.16b":   {0x6ea01c00, nil},
	"cmge v.4s, v.4s, v.4s":     {0x4ea03c00, nil},
	"cmgt v.4s, v.4s, v.4s":     {0x4ea03400, nil},
	"dup v.2d, x":               {0x4e080c00, nil},
	"dup v.4s, v.s[]":           {0x4e000400, copyS},
	"dup v.4s, w":               {0x4e040c00, nil},
	"eor v.16b, v.16b, v.16b":   {0x6e201c00, nil},
	"fabs v.4s, v.4s":           {0x4ea0f800, nil},
	"fadd v.4s, v.4s, v.4s":     {0x4e20d400, nil},
	"faddp v.4s, v.4s, v.4s":    {0x6e20d400, nil},
	"fcmeq v.4s, v.4s, v.4s":    {0x4e20e400, nil},
	"fcmge v.4s, v.4s, v.4s":    {0x6e20e400, nil},
	"fcmgt v.4s, v.4s, v.4s":    {0x6ea0e400, nil},
	"fcvtl v.4s, v.4h":          {0x0e217800, nil},
	"fcvtns v.4s, v.4s":         {0x4e21a800, nil},
	"fcvtzs v.4s, v.4s":         {0x4ea1b800, nil},
	"fdiv v.4s, v.4s, v.4s":     {0x6e20fc00, nil},
	"fmax v.4s, v.4s, v.4s":     {0x4e20f400, nil},
	"fmaxnm v.4s, v.4s, v.4s":   {0x4e20c400, nil},
	"fmaxnmv s, v.4s":           {0x6e30c800, nil},
	"fmaxv s, v.4s":             {0x6e30f800, nil},
	"fmin v.4s, v.4s, v.4s":     {0x4ea0f400, nil},
	"fmla v.4s, v.4s, v.4s":     {0x4e20cc00, nil},
	"fmla v.4s, v.4s, v.s[]":    {0x4f801000, elementS},
	"fmls v.4s, v.4s, v.4s":     {0x4ea0cc00, nil},
	"fmul v.4s, v.4s, v.4s":     {0x6e20dc00, nil},
	"fmul v.4s, v.4s, v.s[]":    {0x4f809000, elementS},
	"fneg v.4s, v.4s":           {0x6ea0f800, nil},
	"frintm v.4s, v.4s":         {0x4e219800, nil},
	"fsub v.4s, v.4s, v.4s":     {0x4ea0d400, nil},
	"ins v.d[], x":              {0x4e001c00, copyD},
	"ldr h, [x, #]":             {0x7d400000, halves},
	"movi v.16b, #":             {0x4f00e400, byteBits},
	"movi v.2d, #":              {0x6f00e400, none},
	"movi v.4s, #":              {0x4f000400, byteBits},
	"orr v.16b, v.16b, v.16b":   {0x4ea01c00, nil},
	"saddlv h, v.16b":           {0x4e303800, nil},
	"scvtf v.4s, v.4s":          {0x4e21d800, nil},
	"scvtf v.4s, v.4s, #":       {0x4f00e400, right},
	"sdot v.4s, v.16b, v.4b[]":  {0x4f80e000, elementS},
	"shl v.16b, v.16b, #":       {0x4f005400, leftB},
	"shl v.4s, v.4s, #":         {0x4f005400, left},
	"sli v.16b, v.16b, #":       {0x6f005400, leftB},
	"smlal v.4s, v.4h, v.h[]":   {0x0f402000, elementH},
	"smlal2 v.4s, v.8h, v.h[]":  {0x4f402000, elementH},
	"smov w, v.h[]":             {0x0e002c00, copyH},
	"sshll v.8h, v.8b, #":       {0x0f00a400, leftB},
	"sshll2 v.8h, v.16b, #":     {0x4f00a400, leftB},
	"sshr v.4s, v.4s, #":        {0x4f000400, right},
	"sub v.4s, v.4s, v.4s":      {0x6ea08400, nil},
	"tbl v.16b, {v.16b}, v.16b": {0x4e000000, nil},
	"ucvtf v.4s, v.4s, #":       {0x6f00e400, right},
	"umax v.4s, v.4s, v.4s":     {0x6ea06400, nil},
	"umaxv s, v.4s":             {0x6eb0a800, nil},
	"ushl v.16b, v.16b, v.16b":  {0x6e204400, nil},
	"ushr v.16b, v.16b, #":      {0x6f000400, rightB},
	"uzp1 v.16b, v.16b, v.16b":  {0x4e001800, nil},
	"uzp1 v.8h, v.8h, v.8h":     {0x4e401800, nil},
}

package main

import "testing"

// knownWords are what LLVM's assembler makes of an instruction of each shape.
var knownWords = map[string]uint32{
	"add v29.4s, v10.4s, v13.4s":      0x4ead855d,
	"and v29.16b, v10.16b, v13.16b":   0x4e2d1d5d,
	"bic v29.16b, v10.16b, v13.16b":   0x4e6d1d5d,
	"bit v29.16b, v10.16b, v13.16b":   0x6ead1d5d,
	"cmge v29.4s, v10.4s, v13.4s":     0x4ead3d5d,
	"cmgt v29.4s, v10.4s, v13.4s":     0x4ead355d,
	"dup v29.2d, x10":                 0x4e080d5d,
	"dup v29.4s, v10.s[3]":            0x4e1c055d,
	"dup v29.4s, w10":                 0x4e040d5d,
	"eor v29.16b, v10.16b, v13.16b":   0x6e2d1d5d,
	"fabs v29.4s, v10.4s":             0x4ea0f95d,
	"fadd v29.4s, v10.4s, v13.4s":     0x4e2dd55d,
	"faddp v29.4s, v10.4s, v13.4s":    0x6e2dd55d,
	"fcmeq v29.4s, v10.4s, v13.4s":    0x4e2de55d,
	"fcmge v29.4s, v10.4s, v13.4s":    0x6e2de55d,
	"fcmgt v29.4s, v10.4s, v13.4s":    0x6eade55d,
	"fcvtl v29.4s, v10.4h":            0x0e21795d,
	"fcvtns v29.4s, v10.4s":           0x4e21a95d,
	"fcvtzs v29.4s, v10.4s":           0x4ea1b95d,
	"fdiv v29.4s, v10.4s, v13.4s":     0x6e2dfd5d,
	"fmax v29.4s, v10.4s, v13.4s":     0x4e2df55d,
	"fmaxnm v29.4s, v10.4s, v13.4s":   0x4e2dc55d,
	"fmaxnmv s29, v10.4s":             0x6e30c95d,
	"fmaxv s29, v10.4s":               0x6e30f95d,
	"fmin v29.4s, v10.4s, v13.4s":     0x4eadf55d,
	"fmla v29.4s, v10.4s, v13.4s":     0x4e2dcd5d,
	"fmla v29.4s, v10.4s, v13.s[3]":   0x4fad195d,
	"fmls v29.4s, v10.4s, v13.4s":     0x4eadcd5d,
	"fmul v29.4s, v10.4s, v13.4s":     0x6e2ddd5d,
	"fmul v29.4s, v10.4s, v13.s[3]":   0x4fad995d,
	"fneg v29.4s, v10.4s":             0x6ea0f95d,
	"frintm v29.4s, v10.4s":           0x4e21995d,
	"fsub v29.4s, v10.4s, v13.4s":     0x4eadd55d,
	"ins v29.d[1], x10":               0x4e181d5d,
	"ldr h29, [x10, #6]":              0x7d400d5d,
	"movi v29.16b, #200":              0x4f06e51d,
	"movi v29.2d, #0":                 0x6f00e41d,
	"movi v29.4s, #200":               0x4f06051d,
	"orr v29.16b, v10.16b, v13.16b":   0x4ead1d5d,
	"saddlv h29, v10.16b":             0x4e30395d,
	"scvtf v29.4s, v10.4s":            0x4e21d95d,
	"scvtf v29.4s, v10.4s, #24":       0x4f28e55d,
	"sdot v29.4s, v10.16b, v13.4b[3]": 0x4fade95d,
	"shl v29.16b, v10.16b, #5":        0x4f0d555d,
	"shl v29.4s, v10.4s, #5":          0x4f25555d,
	"sli v29.16b, v10.16b, #5":        0x6f0d555d,
	"smlal v29.4s, v10.4h, v13.h[6]":  0x0f6d295d,
	"smlal2 v29.4s, v10.8h, v13.h[6]": 0x4f6d295d,
	"smov w29, v10.h[6]":              0x0e1a2d5d,
	"sshll v29.8h, v10.8b, #5":        0x0f0da55d,
	"sshll2 v29.8h, v10.16b, #5":      0x4f0da55d,
	"sshr v29.4s, v10.4s, #5":         0x4f3b055d,
	"sub v29.4s, v10.4s, v13.4s":      0x6ead855d,
	"tbl v29.16b, {v10.16b}, v13.16b": 0x4e0d015d,
	"ucvtf v29.4s, v10.4s, #24":       0x6f28e55d,
	"umax v29.4s, v10.4s, v13.4s":     0x6ead655d,
	"umaxv s29, v10.4s":               0x6eb0a95d,
	"ushl v29.16b, v10.16b, v13.16b":  0x6e2d455d,
	"ushr v29.16b, v10.16b, #5":       0x6f0b055d,
	"uzp1 v29.16b, v10.16b, v13.16b":  0x4e0d195d,
	"uzp1 v29.8h, v10.8h, v13.8h":     0x4e4d195d,
}

func TestNeonWords(t *testing.T) {
	seen := map[string]bool{}
	for text, want := range knownWords {
		if got := neonWord(text); got != want {
			t.Errorf("%s: 0x%08x, want 0x%08x", text, got, want)
		}
		seen[neonShape(text)] = true
	}
	for shape := range neonCodes {
		if !seen[shape] {
			t.Errorf("%s: not tested", shape)
		}
	}
}

func TestNeonRefuses(t *testing.T) {
	for _, text := range []string{"fmul v0.8h, v1.8h, v2.8h", "add v32.4s, v0.4s, v1.4s", "nonsense"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: encoded", text)
				}
			}()
			neonWord(text)
		}()
	}
}

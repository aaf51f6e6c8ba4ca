// Command _asm writes the assembly of package simd. Run it through go generate in that package.
//
// It knows no instruction: a kernel is a Go function that prints lines of Go assembly, and Go's loops, constants and
// functions are the macros. So a kernel that exists for many row counts and number formats is written once.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files are the outputs, each with the function that prints its kernels.
var files = []struct {
	name  string
	write func(*Asm)
}{
	{"mat_avx512_amd64.s", matAVX512},
	{"mat_avx2_amd64.s", matAVX2},
	{"mat_avxvnni_amd64.s", matAVXVNNI},
	{"mat_act_amd64.s", matAct},
	{"mat_prefetch_amd64.s", vendor},
	{"probe_amd64.s", probes},
	{"attend_avx512_amd64.s", attendAVX512},
	{"attend_avx2_amd64.s", attendAVX2},
	{"attend_avxvnni_amd64.s", attendAVXVNNI},
	{"vector_avx512_amd64.s", vectorAVX512},
	{"vector_avx2_amd64.s", vectorAVX2},
	{"mat_neon_arm64.s", matNEON},
	{"mat_act_arm64.s", matActNEON},
	{"probe_arm64.s", probesNEON},
	{"attend_neon_arm64.s", attendNEON},
	{"vector_neon_arm64.s", vectorNEON},
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for _, f := range files {
		a := NewAsm()
		f.write(a)
		if err := os.WriteFile(filepath.Join(dir, f.name), a.Bytes(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

package simd_test

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"example.com/minillm/internal/par"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// A model is the matrices of a transformer of SmolLM2 135M's size, in memory of their own, without what lies between them.
type model struct {
	layers []layer
	head   *simd.Mat
	forms  simd.Form
	arena  []byte
	macs   int // multiply-adds of the layers, per token
}

type layer struct{ q, k, v, o, gate, up, down *simd.Mat }

const (
	benchLayers = 30
	benchFFN    = 1536
	benchVocab  = 49152
)

// newModel makes the matrices of a type, whose blocks may ask for somewhat more columns than the model's 576. Their bits
// do not matter for speed, but scales should be ordinary numbers.
func newModel(t quant.Type) *model {
	dim := (576 + t.BlockSize() - 1) / t.BlockSize() * t.BlockSize()
	m := &model{}
	shapes := [][2]int{{dim, dim}, {192, dim}, {192, dim}, {dim, dim}, {benchFFN, dim}, {benchFFN, dim}, {dim, benchFFN}}
	size := simd.MatBytes(t, benchVocab, dim)
	for _, s := range shapes {
		size += benchLayers * simd.MatBytes(t, s[0], s[1])
	}
	m.arena = hugeBytes(size)
	for i := range m.arena {
		m.arena[i] = 0x2a
	}
	arena := m.arena
	next := func(rows, cols int) *simd.Mat {
		n := simd.MatBytes(t, rows, cols)
		mat := simd.NewMat(t, rows, cols, arena[:n])
		arena = arena[n:]
		m.forms |= mat.Form()
		return mat
	}
	for range benchLayers {
		var mats [7]*simd.Mat
		for i, s := range shapes {
			mats[i] = next(s[0], s[1])
			m.macs += s[0] * s[1]
		}
		m.layers = append(m.layers, layer{mats[0], mats[1], mats[2], mats[3], mats[4], mats[5], mats[6]})
	}
	m.head = next(benchVocab, dim)
	return m
}

// alignedBytes returns n bytes that begin at a multiple of 64.
func alignedBytes(n int) []byte {
	b := make([]byte, n+63)
	skip := -uintptr(unsafe.Pointer(&b[0])) & 63
	return b[skip:][:n:n]
}

// A pass is what a forward pass of some rows needs.
type pass struct {
	*model
	rows      int
	acts      []*simd.Act // one for each worker
	x, h, out []float32
	logits    []float32
}

func newPass(m *model, workers, rows int) *pass {
	wide := max(m.head.Cols, benchFFN)
	p := &pass{model: m, rows: rows, x: make([]float32, rows*wide), h: make([]float32, rows*wide), out: make([]float32, rows*wide)}
	for i := range p.x {
		p.x[i] = float32(i%17) - 8
		p.h[i] = float32(i%19) - 9
	}
	p.logits = make([]float32, min(rows, 16)*benchVocab)
	for range workers {
		p.acts = append(p.acts, simd.NewAct(rows, wide, m.forms))
	}
	return p
}

// few goes through the model with panels shared among the workers, each of which quantises for itself.
func (p *pass) few(w *par.Worker) {
	a := p.acts[w.ID]
	set := func(x []float32, cols int) {
		a.Reset(p.rows, cols)
		a.Set(x, cols, 0, p.rows)
	}
	mul := func(dst []float32, m *simd.Mat) {
		lo, hi := w.Share(m.Panels(), 1)
		m.Mul(dst[lo*simd.MatRows:], m.Rows, a, 0, p.rows, lo, hi)
	}
	for _, l := range p.layers {
		set(p.x, l.q.Cols)
		mul(p.out, l.q)
		mul(p.out, l.k)
		mul(p.out, l.v)
		w.Barrier()
		mul(p.out, l.o)
		w.Barrier()
		mul(p.out, l.gate)
		mul(p.out, l.up)
		w.Barrier()
		set(p.h, l.down.Cols)
		mul(p.out, l.down)
		w.Barrier()
	}
	set(p.x, p.head.Cols)
	mul(p.logits, p.head)
}

// many goes through the layers with rows shared among the workers, who have nothing to wait for.
func (p *pass) many(w *par.Worker) {
	a := p.acts[w.ID]
	lo, hi := w.Share(p.rows, simd.TileRows)
	for _, l := range p.layers {
		for _, m := range []*simd.Mat{l.q, l.k, l.v, l.o, l.gate, l.up, l.down} {
			if m == l.q || m == l.o || m == l.gate || m == l.down {
				a.Reset(hi-lo, m.Cols)
				a.Set(p.h[lo*m.Cols:], m.Cols, 0, hi-lo)
			}
			m.Mul(p.out[lo*m.Rows:], m.Rows, a, 0, hi-lo, 0, m.Panels())
		}
	}
}

// fastest is the shortest of several runs of f.
func fastest(runs int, f func()) time.Duration {
	best := time.Duration(1 << 62)
	for range runs {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// BenchmarkModel sets the matrix products of a whole model beside the machine's limits, with two workers. It reports the
// fastest of its runs, because the machines that it runs on are shared.
func BenchmarkModel(b *testing.B) {
	team := par.NewTeam(2)
	defer team.Close()
	for _, t := range []quant.Type{quant.Q8_0, quant.Q4_0, quant.Q4_1, quant.Q4_K} {
		m := newModel(t)
		for _, rows := range []int{1, 4, 16, 512} {
			b.Run(fmt.Sprintf("%v/rows=%d", t, rows), func(b *testing.B) { benchmarkModel(b, team, m, rows) })
		}
	}
}

func benchmarkModel(b *testing.B, team *par.Team, m *model, rows int) {
	p := newPass(m, team.Size(), rows)
	run, macs := p.few, m.macs+m.head.Rows*m.head.Cols
	if rows > 64 {
		run, macs = p.many, m.macs
	}
	pass, read, dot := time.Duration(1<<62), time.Duration(1<<62), time.Duration(1<<62)
	operations := 0
	for b.Loop() {
		pass = min(pass, fastest(3, func() { team.Run(run) }))
		read = min(read, fastest(1, func() {
			team.Run(func(w *par.Worker) {
				lo, hi := w.Share(len(m.arena), 1<<20)
				simd.ProbeRead(m.arena[lo:hi])
			})
		}))
		dot = min(dot, fastest(3, func() { operations = simd.ProbeDot() }))
	}
	seconds := pass.Seconds()
	gbps, gops := float64(len(m.arena))/seconds/1e9, 2*float64(macs*rows)/seconds/1e9
	b.ReportMetric(float64(rows)/seconds, "tok/s")
	b.ReportMetric(gbps, "GB/s")
	b.ReportMetric(100*gbps/(float64(len(m.arena))/read.Seconds()/1e9), "%read")
	b.ReportMetric(gops, "GOPS")
	b.ReportMetric(100*gops/(float64(2*operations)/dot.Seconds()/1e9), "%dot")
	b.ReportMetric(0, "ns/op")
}

package transformer

import (
	"fmt"
	"math"
	"runtime"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/par"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// Options are how a model is loaded. The zero value is right for most.
type Options struct {
	Threads   int  // workers of a pass; 0: GOMAXPROCS, which is also the most
	Reference bool // compute in float32 with dequantised weights: slow, large, exact
	Extend    bool // take positions beyond the trained context, where answers get worse

	// Progress is called while weights are prepared, with bytes of the file.
	Progress func(done, total int64)
}

// Load opens a GGUF file, or the folder of a Hugging Face checkpoint, and
// prepares its weights. The error says what is wrong with the file and where: a
// *gguf.FormatError, or the system's.
func Load(path string, o Options) (*Model, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	return own(f, o)
}

// LoadBytes is Load of a file in memory, which must not change before Close.
func LoadBytes(data []byte, o Options) (*Model, error) {
	f, err := gguf.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	return own(f, o)
}

// own loads a file that is closed with the model.
func own(f *gguf.File, o Options) (*Model, error) {
	m, err := New(f, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	m.file = f
	return m, nil
}

// New is Load of a file that is open already. It must stay so until the model
// is closed, which leaves it open.
func New(f *gguf.File, o Options) (*Model, error) {
	if o.Threads < 0 {
		return nil, fmt.Errorf("transformer: %d threads", o.Threads)
	}
	m := &Model{options: o}
	t, err := m.read(f)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	t.decode()
	if err := checkFactors(f, m.freqs); err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	m.prepare()
	if err := m.reserve(t.linears); err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	m.team = par.NewTeam(m.workers())
	forms := m.layOut(f, t.linears)
	m.pass = newPass(&m.config, forms)
	m.lanes = m.newLanes(m.team.Size(), forms)
	m.run, m.each.run = m.walk, m.each.share
	return m, nil
}

// read checks the whole file against what its metadata say.
func (m *Model) read(f *gguf.File) (*tensors, error) {
	var err error
	if m.config, err = readConfig(f); err != nil {
		return nil, err
	}
	t := &tensors{file: f, taken: map[string]bool{}}
	m.layers = make([]layer, m.config.layers)
	if err := m.collect(t); err != nil {
		return nil, err
	}
	for _, l := range t.linears {
		l.layout = l.src.Type
		if m.options.Reference {
			l.layout = quant.F32
		}
	}
	return t, nil
}

// checkFactors finds divisors of frequencies that would make them absurd.
func checkFactors(f *gguf.File, factors []float32) error {
	for i, x := range factors {
		if !(x > 0 && x <= math.MaxFloat32) {
			return &gguf.FormatError{Path: f.Path(), Where: freqsName, What: fmt.Sprintf("factor %d is %v", i, x)}
		}
	}
	return nil
}

func (m *Model) workers() int {
	most := runtime.GOMAXPROCS(0)
	if m.options.Threads == 0 {
		return most
	}
	return min(m.options.Threads, most)
}

// prepare makes everything but the matrices.
func (m *Model) prepare() {
	c := &m.config
	m.embedScale = float32(math.Sqrt(float64(c.dim)))
	m.ropes = append(m.ropes, newRope(c, c.base, c.factor, m.freqs))
	if c.window > 0 {
		m.ropes = append(m.ropes, newRope(c, c.localBase, 1, nil))
	}
	for i := range m.layers {
		l := &m.layers[i]
		if c.windowed(i) {
			l.reach = local
		}
		c.order().sort(l.qBias)
		c.order().sort(l.kBias)
		l.smooth(c)
	}
}

// reserve makes room for matrices.
func (m *Model) reserve(all []*linear) (err error) {
	size := 0
	for _, l := range all {
		size += lines(l.size())
	}
	if m.weights, err = newArena(size); err != nil {
		return fmt.Errorf("%d bytes for weights: %w", size, err)
	}
	return nil
}

// layOut prepares matrices, each by all workers, and lets the file go. It
// returns the forms of activations that they read.
func (m *Model) layOut(f *gguf.File, all []*linear) (forms simd.Form) {
	done, total := 0, 0
	for _, l := range all {
		total += len(l.src.Data)
	}
	for _, l := range all {
		memory := m.weights.take(l.size())
		l.place(memory)
		forms |= l.Form()
		m.team.Run(func(w *par.Worker) {
			lo, hi := w.Share(l.Panels(), 1)
			l.fill(memory, lo, hi)
		})
		f.Release(l.src)
		done += len(l.src.Data)
		if m.options.Progress != nil {
			m.options.Progress(int64(done), int64(total))
		}
	}
	return forms
}

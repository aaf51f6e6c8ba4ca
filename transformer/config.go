package transformer

import (
	"fmt"
	"math"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/kvcache"
)

// config is the numbers of a network, as the metadata of its file gives them.
type config struct {
	arch string
	family

	layers, dim, ffn        int
	heads, kvHeads, headDim int
	vocab                   int
	context                 int // positions it was trained for

	eps   float32 // of RMS norms
	scale float32 // of the products of queries and keys

	base   float64 // of RoPE
	factor float64 // by which RoPE's positions are divided
	halves bool    // rows of q and k are in the order of checkpoints that turn halves of a head, not neighbours

	window      int     // positions that a windowed layer sees; 0: all layers see all
	globalEvery int     // every so many layers one sees all, with a window; 0: none
	localBase   float64 // of RoPE in windowed layers, which divide by nothing
}

// Bounds that no model comes near. They keep sums of sizes far from overflow
// before the tensors, which must have these sizes, have been looked at.
const (
	mostLayers  = 1 << 12
	mostWidth   = 1 << 20
	mostHeads   = 1 << 12
	mostHeadDim = 1 << 12
	mostContext = 1 << 28
	mostVocab   = 1 << 26
)

// meanPooling is the number of what package batch makes of hidden rows; 0 is none at all.
const meanPooling = 1

// gemma3's RoPE base in windowed layers, of files that do not tell.
const localBase = 10000

// readConfig reads and checks the metadata. Errors are *gguf.FormatError and
// name the key.
func readConfig(f *gguf.File) (config, error) {
	m := metadata{file: f}
	if parts, _, _ := f.Uint("split.count"); parts > 1 {
		m.fail("split.count", "the file is one of %d parts, which must be joined first", parts)
	}
	c := config{arch: m.word("general.architecture")}
	if m.err != nil {
		return c, m.err
	}
	var ok bool
	if c.family, ok = families[c.arch]; !ok {
		m.fail("general.architecture", "unknown architecture %q; known are %s", c.arch, knownFamilies())
		return c, m.err
	}
	m.prefix = c.arch + "."
	c.readSizes(&m)
	c.readRope(&m)
	c.readWindow(&m)
	m.refuse("expert_count", "attn_logit_softcapping", "final_logit_softcapping", "logit_scale", "residual_scale",
		"attention.clamp_kqv", "attention.max_alibi_bias")
	if m.has("attention.causal") && !m.flag("attention.causal") {
		m.fail("attention.causal", "attention to what comes after is not supported for %s", c.arch)
	}
	n, _, err := f.Uint(m.prefix + "pooling_type")
	m.keep(err)
	if n > meanPooling {
		m.fail("pooling_type", "%d is not supported: an embedding is the mean of rows (%d), not one of them", n, meanPooling)
	}
	return c, m.err
}

func (c *config) readSizes(m *metadata) {
	c.layers = m.count("block_count", mostLayers)
	c.dim = m.count("embedding_length", mostWidth)
	c.ffn = m.count("feed_forward_length", mostWidth)
	c.context = m.count("context_length", mostContext)
	c.heads = m.count("attention.head_count", mostHeads)
	c.kvHeads = m.countOr("attention.head_count_kv", mostHeads, c.heads)
	if m.err == nil && c.heads%c.kvHeads != 0 {
		m.fail("attention.head_count_kv", "%d query heads cannot share %d", c.heads, c.kvHeads)
	}
	c.readHeadDim(m)
	c.vocab = m.vocab()
	c.eps = float32(m.float("attention.layer_norm_rms_epsilon"))
	c.scale = float32(m.floatOr("attention.scale", c.queryScale()))
}

func (c *config) readHeadDim(m *metadata) {
	if m.err != nil {
		return
	}
	const key = "attention.key_length"
	c.headDim = m.countOr(key, mostHeadDim, c.dim/c.heads)
	switch {
	case m.err != nil:
	case !m.has(key) && c.dim%c.heads != 0:
		m.fail("attention.head_count", "%d heads cannot share an embedding length of %d", c.heads, c.dim)
	case c.headDim%2 != 0 || c.headDim == 0:
		m.fail(key, "a head size of %d is not even", c.headDim)
	case m.countOr("attention.value_length", mostHeadDim, c.headDim) != c.headDim:
		m.fail("attention.value_length", "differs from the size of keys, %d", c.headDim)
	case m.countOr("rope.dimension_count", mostHeadDim, c.headDim) != c.headDim:
		m.fail("rope.dimension_count", "differs from the size of a head, %d", c.headDim)
	}
}

// queryScale is 1/sqrt of the size of a head, but for the largest Gemma 3,
// which is told by its number of layers.
func (c *config) queryScale() float64 {
	size := c.headDim
	if c.arch == "gemma3" && c.layers == 62 && c.heads > 0 {
		size = c.dim / c.heads
	}
	return 1 / math.Sqrt(float64(max(size, 1)))
}

func (c *config) readRope(m *metadata) {
	c.base = m.floatOr("rope.freq_base", 10000)
	c.factor = 1
	c.halves = c.interleaved && m.flag("rope.halves")
	switch kind := m.wordOr("rope.scaling.type", "linear"); { // the first files have a factor alone, under another name
	case m.err != nil || kind == "none":
	case kind == "linear":
		c.factor = m.floatOr("rope.scaling.factor", m.floatOr("rope.scale_linear", 1))
	default:
		m.fail("rope.scaling.type", "unknown scaling %q; known are linear and none", kind)
	}
}

func (c *config) readWindow(m *metadata) {
	const key = "attention.sliding_window"
	switch {
	case c.local:
		c.window = m.count(key, mostContext)
		c.globalEvery = m.countOr("attention.sliding_window_pattern", mostLayers, 6)
		c.localBase = m.floatOr("rope.freq_base_swa", localBase)
	case m.has(key) && c.arch == "llama": // Mistral's first model: every layer
		c.window = m.count(key, mostContext)
		c.localBase = c.base
	default:
		m.refuse(key)
	}
}

// windowed reports whether a layer sees only the window.
func (c *config) windowed(layer int) bool {
	return c.window > 0 && (c.globalEvery == 0 || layer%c.globalEvery != c.globalEvery-1)
}

// order is that of q and k in the file.
func (c *config) order() order {
	if c.halves {
		return order{head: c.headDim}
	}
	return order{}
}

func (c *config) queries() int { return c.heads * c.headDim }
func (c *config) keys() int    { return c.kvHeads * c.headDim }

func (c *config) shape() kvcache.Shape {
	return kvcache.Shape{Layers: c.layers, Heads: c.kvHeads, HeadDim: c.headDim}
}

// metadata takes values of a file and keeps the first error. Keys are without
// the name of the architecture once prefix is set.
type metadata struct {
	file   *gguf.File
	prefix string
	err    error
}

func (m *metadata) fail(key, format string, args ...any) {
	m.keep(&gguf.FormatError{Path: m.file.Path(), Where: m.prefix + key, What: fmt.Sprintf(format, args...)})
}

func (m *metadata) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *metadata) has(key string) bool {
	_, ok := m.file.Get(m.prefix + key)
	return ok
}

func (m *metadata) need(key string) {
	if !m.has(key) {
		m.fail(key, "missing")
	}
}

// count is a whole number from 1 to most.
func (m *metadata) count(key string, most int) int {
	m.need(key)
	return m.countOr(key, most, 0)
}

func (m *metadata) countOr(key string, most, otherwise int) int {
	n, found, err := m.file.Uint(m.prefix + key)
	m.keep(err)
	if !found || err != nil {
		return otherwise
	}
	if n < 1 || n > uint64(most) {
		m.fail(key, "%d is not within 1 to %d", n, most)
	}
	return int(n)
}

// float is a finite number above zero.
func (m *metadata) float(key string) float64 {
	m.need(key)
	return m.floatOr(key, 0)
}

func (m *metadata) floatOr(key string, otherwise float64) float64 {
	x, found, err := m.file.Float(m.prefix + key)
	m.keep(err)
	if !found || err != nil {
		return otherwise
	}
	if !(x > 0 && x <= math.MaxFloat32) {
		m.fail(key, "%v is not a finite number above zero", x)
	}
	return x
}

func (m *metadata) flag(key string) bool {
	b, _, err := m.file.Bool(m.prefix + key)
	m.keep(err)
	return b
}

func (m *metadata) word(key string) string {
	m.need(key)
	return m.wordOr(key, "")
}

func (m *metadata) wordOr(key, otherwise string) string {
	s, found, err := m.file.String(m.prefix + key)
	m.keep(err)
	if !found || err != nil {
		return otherwise
	}
	return s
}

// vocab is the number of rows of the embedding, which is what ids must fit.
func (m *metadata) vocab() int {
	t, ok := m.file.Tensor(embedName)
	if !ok || len(t.Shape) != 2 || t.Shape[1] > mostVocab {
		m.keep(&gguf.FormatError{Path: m.file.Path(), Where: embedName, What: "missing, or not a matrix of a row for each token"})
		return 0
	}
	return t.Shape[1]
}

// refuse fails if a key has a value other than zero: one that would change
// results in a way that is not computed here.
func (m *metadata) refuse(keys ...string) {
	for _, key := range keys {
		v, ok := m.file.Get(m.prefix + key)
		if ok && fmt.Sprint(v) != "0" {
			m.fail(key, "%v is not supported for %s", v, m.prefix[:len(m.prefix)-1])
		}
	}
}

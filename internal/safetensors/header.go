package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"example.com/minillm/internal/quant"
)

const (
	sizeBytes   = 8         // the header's length, before it
	mostHeader  = 100 << 20 // bytes; the limit of the reference implementation
	metadataKey = "__metadata__"
)

// dtypes are the number formats with their bytes a value, and for floats their quant.Type. Those below a byte are
// missing: no model that is to be read here has them.
var dtypes = map[string]struct {
	bytes int
	typ   quant.Type
	float bool
}{
	"F32": {4, quant.F32, true}, "F16": {2, quant.F16, true}, "BF16": {2, quant.BF16, true},
	"F64": {bytes: 8}, "C64": {bytes: 8}, "F8_E4M3": {bytes: 1}, "F8_E5M2": {bytes: 1}, "F8_E8M0": {bytes: 1},
	"I8": {bytes: 1}, "I16": {bytes: 2}, "I32": {bytes: 4}, "I64": {bytes: 8},
	"U8": {bytes: 1}, "U16": {bytes: 2}, "U32": {bytes: 4}, "U64": {bytes: 8}, "BOOL": {bytes: 1},
}

// entry is what the header says of a tensor.
type entry struct {
	dtype   string
	shape   []uint64
	offsets []uint64 // a slice, because an array would take any number of elements
}

func parse(path string, file []byte) (*File, error) {
	header, data, err := split(file)
	if err != nil {
		return nil, &FormatError{Path: path, Where: "header", What: err.Error()}
	}
	p := newParser(path, uint64(len(data)))
	if err := p.parse(header); err != nil {
		return nil, err
	}
	for i, s := range p.spans {
		p.file.Tensors[i].Data = data[s.begin:s.end:s.end]
	}
	return p.file, nil
}

// split cuts a file into header and data.
func split(file []byte) (header, data []byte, err error) {
	if len(file) < sizeBytes {
		return nil, nil, fmt.Errorf("truncated: %d bytes, where its length alone takes %d", len(file), sizeBytes)
	}
	n, rest := binary.LittleEndian.Uint64(file), file[sizeBytes:]
	switch {
	case n > mostHeader:
		return nil, nil, fmt.Errorf("a length of %d bytes, more than %d: this is no safetensors file", n, mostHeader)
	case n > uint64(len(rest)):
		return nil, nil, fmt.Errorf("truncated: %d bytes of %d are there", len(rest), n)
	}
	header, data = rest[:n], rest[n:]
	switch {
	case n == 0 || header[0] != '{':
		return nil, nil, errors.New("it does not start with {: this is no safetensors file")
	case !utf8.Valid(header):
		return nil, nil, errors.New("it is not valid UTF-8")
	}
	return header, data, nil
}

// parser fills a File.
type parser struct {
	path  string
	size  uint64 // bytes of the data
	file  *File
	spans []span // of Tensors
}

// span is the bytes [begin, end) of the data.
type span struct{ begin, end uint64 }

func newParser(path string, size uint64) *parser {
	return &parser{path: path, size: size, file: &File{index: map[string]int{}}}
}

func (p *parser) parse(header []byte) error {
	if err := p.header(header); err != nil {
		return err
	}
	p.sort()
	return p.cover()
}

func (p *parser) header(header []byte) error {
	d := json.NewDecoder(bytes.NewReader(header))
	err := object(d, func(name string) error {
		if name == metadataKey {
			return p.fail(metadataKey, d.Decode(&p.file.Metadata))
		}
		e, err := readEntry(d)
		if err == nil {
			err = p.tensor(name, e)
		}
		return p.fail("tensor "+name, err)
	})
	if err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("something other than spaces follows the JSON")
		}
	}
	return p.fail("header", err)
}

// tensor adds a tensor whose shape, format and offsets agree with each other and with the data.
func (p *parser) tensor(name string, e entry) error {
	d, ok := dtypes[e.dtype]
	if !ok {
		return fmt.Errorf("number format %q is not known", e.dtype)
	}
	if e.shape == nil || len(e.offsets) != 2 {
		return errors.New("it needs a shape and two data_offsets")
	}
	shape, size, err := e.size(uint64(d.bytes))
	if err != nil {
		return err
	}
	s := span{e.offsets[0], e.offsets[1]}
	if s.begin > s.end || s.end > p.size {
		return fmt.Errorf("offsets %d to %d are not within the %d bytes of data: the file is truncated or wrong", s.begin, s.end, p.size)
	}
	if s.end-s.begin != size {
		return fmt.Errorf("%v of %s takes %d bytes, offsets %d to %d have %d", shape, e.dtype, size, s.begin, s.end, s.end-s.begin)
	}
	p.spans = append(p.spans, s)
	p.file.Tensors = append(p.file.Tensors, Tensor{Name: name, DType: e.dtype, Shape: shape})
	return nil
}

// size is the shape in ints, and the bytes it takes. The product is checked without the zeros: who multiplies the
// others is safe too.
func (e entry) size(each uint64) (shape []int, size uint64, err error) {
	shape, size, empty := make([]int, len(e.shape)), each, false
	for i, d := range e.shape {
		high, low := bits.Mul64(size, max(d, 1))
		if high != 0 || low > math.MaxInt {
			return nil, 0, fmt.Errorf("dimension %d is %d: so many values fit no memory", i, d)
		}
		shape[i], size, empty = int(d), low, empty || d == 0
	}
	if empty {
		size = 0
	}
	return shape, size, nil
}

// sort puts the tensors in the order of their data.
func (p *parser) sort() {
	order := make([]int, len(p.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.spans[a].begin, p.spans[b].begin), cmp.Compare(p.spans[a].end, p.spans[b].end))
	})
	tensors, spans := p.file.Tensors, p.spans
	p.file.Tensors, p.spans = make([]Tensor, len(order)), make([]span, len(order))
	for at, i := range order {
		p.file.Tensors[at], p.spans[at], p.file.index[tensors[i].Name] = tensors[i], spans[i], at
	}
}

// cover wants the data of the tensors to follow each other from the first byte to the last.
func (p *parser) cover() error {
	var end uint64
	for i, s := range p.spans {
		if s.begin != end {
			return p.fail("tensor "+p.file.Tensors[i].Name, fmt.Errorf("its data begin at %d, the others end at %d", s.begin, end))
		}
		end = s.end
	}
	if end != p.size {
		return p.fail("data", fmt.Errorf("the last %d bytes belong to no tensor", p.size-end))
	}
	return nil
}

// fail says where err happened, unless that was said before.
func (p *parser) fail(where string, err error) error {
	if _, said := errors.AsType[*FormatError](err); err == nil || said {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the JSON is cut off")
	}
	return &FormatError{Path: p.path, Where: where, What: err.Error()}
}

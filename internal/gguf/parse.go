package gguf

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"example.com/minillm/internal/mmap"
	"example.com/minillm/internal/quant"
)

const (
	magic            = "GGUF"
	defaultAlignment = 32
	alignmentKey     = "general.alignment"
	headerBytes      = len(magic) + 4 + 8 + 8 // magic, version, two counts
	maxDims          = 4
	maxName          = 65535 // bytes of a key or a tensor's name
)

// parser fills a File from front to back.
type parser struct {
	reader
	file    *File
	offsets []uint64 // of the tensors, from the start of the data
}

func newFile(path string) *File { return &File{path: path, owner: (*mmap.File)(nil)} }

func parse(path string, data []byte) (*File, error) {
	p := parser{reader: reader{data: data}, file: newFile(path)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.file, nil
}

func (p *parser) parse() error {
	tensors, pairs, err := p.header()
	if err != nil {
		return err
	}
	if err := p.metadata(pairs); err != nil {
		return err
	}
	if err := p.directory(tensors); err != nil {
		return err
	}
	return p.place()
}

// header reads magic, version and the two counts.
func (p *parser) header() (tensors, pairs uint64, err error) {
	const where = "header"
	head := p.data[:min(len(p.data), len(magic))]
	if string(head) != magic {
		return 0, 0, p.file.errorf("", "not a GGUF file: it starts with %q, not %q", head, magic)
	}
	p.pos = len(magic)
	version, err := p.u32()
	if err != nil {
		return 0, 0, p.fail(where, err)
	}
	if err := checkVersion(version); err != nil {
		return 0, 0, p.fail(where, err)
	}
	p.file.Version = int(version)
	if tensors, err = p.u64(); err != nil {
		return 0, 0, p.fail(where, err)
	}
	pairs, err = p.u64()
	return tensors, pairs, p.fail(where, err)
}

func checkVersion(v uint32) error {
	switch {
	case v == 2 || v == 3:
		return nil
	case v&0xffff == 0 && v != 0:
		return errors.New("the file is big endian, which is not supported")
	}
	return fmt.Errorf("version %d is not supported, only 2 and 3 are", v)
}

// metadata reads the key-value pairs. Nothing is sized by their number, which may be a lie.
func (p *parser) metadata(n uint64) error {
	p.file.values = map[string]value{}
	for i := range n {
		where := fmt.Sprintf("key %d of %d", i+1, n)
		key, err := p.name()
		if err != nil {
			return p.fail(where, err)
		}
		if _, twice := p.file.values[key]; twice {
			return p.file.errorf(key, "the key is there twice")
		}
		v, err := p.value()
		if err != nil {
			return p.fail(key, err)
		}
		p.file.keys = append(p.file.keys, key)
		p.file.values[key] = v
	}
	return nil
}

// directory reads names, shapes, formats and offsets of the tensors.
func (p *parser) directory(n uint64) error {
	p.file.index = map[string]int{}
	for i := range n {
		where := fmt.Sprintf("tensor %d of %d", i+1, n)
		name, err := p.name()
		if err != nil {
			return p.fail(where, err)
		}
		where = "tensor " + name
		if _, twice := p.file.index[name]; twice {
			return p.file.errorf(where, "the name is there twice")
		}
		t := Tensor{Name: name}
		if err := p.tensor(&t); err != nil {
			return p.fail(where, err)
		}
		p.file.index[name] = len(p.file.Tensors)
		p.file.Tensors = append(p.file.Tensors, t)
	}
	return nil
}

// tensor reads what follows a tensor's name.
func (p *parser) tensor(t *Tensor) error {
	dims, err := p.u32()
	if err != nil {
		return err
	}
	if dims < 1 || dims > maxDims {
		return fmt.Errorf("%d dimensions, not 1 to %d", dims, maxDims)
	}
	if t.Shape, err = p.shape(int(dims)); err != nil {
		return err
	}
	format, err := p.u32()
	if err != nil {
		return err
	}
	if t.Type = quant.Type(format); !t.Type.Known() {
		return fmt.Errorf("number format %v is not supported", t.Type)
	}
	if block := t.Type.BlockSize(); t.Shape[0]%block != 0 {
		return fmt.Errorf("rows of %d values are not whole blocks of %d, as %v needs", t.Shape[0], block, t.Type)
	}
	offset, err := p.u64()
	p.offsets = append(p.offsets, offset)
	return err
}

// shape reads dimensions. Their product is limited to what an int holds; whether so many values are there is
// checked when the format is known.
func (p *parser) shape(dims int) ([]int, error) {
	shape := make([]int, dims)
	product := uint64(1)
	for i := range shape {
		d, err := p.u64()
		if err != nil {
			return nil, err
		}
		high, low := bits.Mul64(product, d)
		switch {
		case int64(d) <= 0:
			return nil, fmt.Errorf("dimension %d is %d", i, int64(d))
		case high != 0 || low > maxInt:
			return nil, fmt.Errorf("dimension %d is %d: so many values fit no memory", i, d)
		}
		shape[i], product = int(d), low
	}
	return shape, nil
}

// place gives every tensor its bytes.
func (p *parser) place() error {
	align, err := p.alignment()
	if err != nil {
		return err
	}
	var data []byte // none for a vocabulary, whose file may end without padding
	if start := (uint64(p.pos) + align - 1) / align * align; start < uint64(len(p.data)) {
		data = p.data[start:]
	}
	for i := range p.file.Tensors {
		t := &p.file.Tensors[i]
		where, offset := "tensor "+t.Name, p.offsets[i]
		if offset%align != 0 {
			return p.file.errorf(where, "offset %d is not a multiple of the alignment %d", offset, align)
		}
		size, ok := byteSize(t)
		if !ok || offset > uint64(len(data)) || size > uint64(len(data))-offset {
			return p.file.errorf(where, "its %v values of %v at offset %d do not fit the %d bytes of data: the file is truncated or wrong",
				t.Shape, t.Type, offset, len(data))
		}
		t.Data = data[offset : offset+size : offset+size]
	}
	return p.overlap()
}

// overlap refuses tensors that share bytes: no writer makes them, and a small file could claim much by it.
func (p *parser) overlap() error {
	order := make([]int, len(p.offsets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.offsets[a], p.offsets[b]) })
	var end uint64
	for _, i := range order {
		t := &p.file.Tensors[i]
		if p.offsets[i] < end {
			return p.file.errorf("tensor "+t.Name, "it overlaps another tensor at offset %d", p.offsets[i])
		}
		end = p.offsets[i] + uint64(len(t.Data))
	}
	return nil
}

func (p *parser) alignment() (uint64, error) {
	align, found, err := p.file.Uint(alignmentKey)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return defaultAlignment, nil
	case align == 0 || align%8 != 0 || align > 1<<20:
		return 0, p.file.errorf(alignmentKey, "%d is not a multiple of 8 from 8 to 1048576", align)
	}
	return align, nil
}

// byteSize is how many bytes the values of t take; not ok where that is more than an int holds.
func byteSize(t *Tensor) (size uint64, ok bool) {
	n := uint64(1)
	for _, d := range t.Shape {
		n *= uint64(d)
	}
	high, low := bits.Mul64(n/uint64(t.Type.BlockSize()), uint64(t.Type.BlockBytes()))
	return low, high == 0 && low <= maxInt
}

func (p *parser) fail(where string, err error) error {
	if err == nil {
		return nil
	}
	return p.file.errorf(where, "%v", err)
}

package safetensors

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"example.com/minillm/internal/mmap"
)

// OpenIndex opens all files that an index names: large models are published in several, with a file
// model.safetensors.index.json beside them that says where each tensor is. The result has the tensors that the
// index lists; what else the files have is left out.
func OpenIndex(path string) (*File, error) {
	where, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	all := &File{index: map[string]int{}}
	for _, shard := range slices.Sorted(maps.Keys(where)) {
		if err := all.add(filepath.Join(filepath.Dir(path), shard), where[shard]); err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// readIndex is the names of tensors by the file that has them.
func readIndex(path string) (where map[string][]string, err error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	defer m.Close()
	if len(m.Bytes) > mostHeader {
		return nil, &FormatError{Path: path, What: fmt.Sprintf("an index of %d bytes, more than %d", len(m.Bytes), mostHeader)}
	}
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(m.Bytes, &index); err != nil {
		return nil, &FormatError{Path: path, What: err.Error()}
	}
	if len(index.Map) == 0 {
		return nil, &FormatError{Path: path, Where: "weight_map", What: "it lists no tensors"}
	}
	where = map[string][]string{}
	for tensor, shard := range index.Map {
		// An index may not reach out of its folder.
		if shard != filepath.Base(shard) || !filepath.IsLocal(shard) || shard == "." {
			return nil, &FormatError{Path: path, Where: "tensor " + tensor, What: fmt.Sprintf("%q is not the name of a file beside the index", shard)}
		}
		where[shard] = append(where[shard], tensor)
	}
	return where, nil
}

// add takes tensors out of one file, in the order of their data.
func (f *File) add(path string, names []string) error {
	shard, err := Open(path)
	if err != nil {
		return err
	}
	f.mappings = append(f.mappings, shard.mappings...)
	wanted := map[string]bool{}
	for _, name := range names {
		if _, ok := shard.Tensor(name); !ok {
			return &FormatError{Path: path, Where: "tensor " + name, What: "the index says that it is here, but it is not"}
		}
		wanted[name] = true
	}
	for _, t := range shard.Tensors {
		if wanted[t.Name] {
			f.index[t.Name] = len(f.Tensors)
			f.Tensors = append(f.Tensors, t)
		}
	}
	return nil
}

package mmap_test

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/minillm/internal/mmap"
)

func Example() {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("mmap-example-%d", os.Getpid()))
	if err := os.WriteFile(path, []byte("GGUF..."), 0o600); err != nil {
		panic(err)
	}
	defer os.Remove(path)

	f, err := mmap.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Printf("%s\n", f.Bytes[:4])
	// Output: GGUF
}

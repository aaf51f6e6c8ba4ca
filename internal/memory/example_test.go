package memory_test

import (
	"fmt"

	"example.com/minillm/internal/memory"
)

// A pool takes what it needs, and at most a quarter of what is free.
func ExampleAvailable() {
	const need = 64 << 20
	pool := min(need, memory.Available()/4)
	fmt.Println(pool > 0, pool <= need)
	// Output: true true
}

package kvcachetest_test

import (
	"fmt"
	"testing"

	"example.com/minillm/kvcache"
	"example.com/minillm/kvcache/kvcachetest"
)

// A cache of one's own gets a test of this kind: here for the one that comes
// with the contract. The suite's name says which promise was broken.
func Example() {
	test := func(t *testing.T) {
		shape := kvcache.Shape{Layers: 2, Heads: 2, HeadDim: 32}
		kvcachetest.Run(t, shape, func(t testing.TB) kvcache.Cache {
			c, err := kvcache.NewContiguous(shape, 4, 64, kvcache.I16)
			if err != nil {
				t.Fatal(err)
			}
			return c
		})
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}

package kvcache_test

import (
	"errors"
	"fmt"

	"example.com/minillm/kvcache"
)

func Example() {
	shape := kvcache.Shape{Layers: 1, Heads: 2, HeadDim: 4}
	cache, err := kvcache.NewContiguous(shape, 1, 100, kvcache.I16)
	if err != nil {
		fmt.Println(err)
		return
	}
	region, _, _ := cache.Open(nil, "")
	_ = region.Grow(3)
	for pos := range 3 { // what a model does in every layer
		k := []float32{1, 2, 3, 4, 10, 20, 30, 40} // [Heads][HeadDim]
		v := []float32{0, 0, 0, float32(pos), 0, 0, 0, float32(-pos)}
		region.Put(0, pos, k, v)
	}
	keys, values := make([]float32, 3*4), make([]float32, 3*4)
	kvcache.Gather(keys, values, region, 0, 1, 3) // head 1, 3 positions
	fmt.Printf("%.1f %.1f\n", keys[:4], values[8:])

	other, _, _ := cache.Open(nil, "")
	fmt.Println(errors.Is(other.Grow(1), kvcache.ErrFull), cache.Free())
	region.Close()
	fmt.Println(other.Grow(1), cache.Free())
	// Output:
	// [10.0 20.0 30.0 40.0] [0.0 0.0 0.0 -2.0]
	// true 0
	// <nil> 0
}

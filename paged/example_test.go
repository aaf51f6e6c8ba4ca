package paged_test

import (
	"errors"
	"fmt"

	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
)

func Example() {
	shape := kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 4}
	cache, err := paged.New(shape, paged.Options{Positions: 96, Block: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt := make([]int32, 40)

	first, n, _ := cache.Open(prompt, "")
	fmt.Println("found", n)
	_ = first.Grow(len(prompt)) // a model now puts the rows of 40 positions
	first.Publish(prompt)

	second, n, _ := cache.Open(prompt, "")
	fmt.Println("found", n)
	_ = second.Grow(len(prompt))
	fmt.Println("tables", first.(*paged.Table).Blocks(), second.(*paged.Table).Blocks())

	stats := cache.Stats()
	fmt.Printf("%d used, %d shared, %d free\n", stats.Used, stats.Shared, stats.Free)
	first.Close()
	second.Close()
	fmt.Println(cache.Stats().Cached, "blocks can still be found")
	// Output:
	// found 0
	// found 32
	// tables [0 1 2] [0 1 3]
	// 4 used, 2 shared, 2 free
	// 2 blocks can still be found
}

func ExampleAllocator() {
	a := paged.NewAllocator(4)
	ids, _ := a.Alloc(nil, 3)
	_, err := a.Alloc(nil, 2) // all or nothing
	fmt.Println(ids, errors.Is(err, kvcache.ErrFull), a.Free())

	a.Retain(ids[0]) // a second sequence shares the block
	for _, id := range ids {
		a.Release(id)
	}
	fmt.Println(a.Free(), a.Refs(ids[0]))
	// Output:
	// [0 1 2] true 1
	// 3 1
}

package main

import (
	"slices"
	"testing"
)

// What is asked for is measured; deep sequences together only where none is
// asked for alone.
func TestBenchEngineTasks(t *testing.T) {
	for _, c := range []struct {
		prompts, batches, depths []int
		want                     []string
	}{
		{[]int{512}, []int{1, 4}, []int{0, 4096}, []string{"pp512", "tg64", "tg64@4096", "batch4"}},
		{[]int{0}, []int{1}, []int{0}, []string{"tg64"}},
		{[]int{0}, []int{4, 16}, []int{100}, []string{"batch4@100", "batch16@100"}},
		{[]int{0}, []int{4}, []int{0, 100}, []string{"batch4", "batch4@100"}},
	} {
		b := &benchEngine{prompt: c.prompts, batches: c.batches, depths: c.depths, gen: 64}
		var got []string
		for _, task := range b.tasks() {
			got = append(got, task.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, %v: %v, want %v", c.batches, c.depths, got, c.want)
		}
	}
}

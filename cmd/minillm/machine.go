package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/minillm/internal/mmap"
	"example.com/minillm/internal/simd"
)

// machine is what a processor was seen to be capable of.
type machine struct {
	Kernels string  `json:"kernels"`
	Threads int     `json:"threads"`
	Go      string  `json:"go"`
	Read    float64 `json:"read_bytes_per_s"` // of as much memory as the weights take
	Dot     float64 `json:"dot_ops_per_s"`    // 8-bit multiply-adds, counted twice
	FMA     float64 `json:"fma_ops_per_s"`    // float32, counted twice
}

// probeTime is how long each limit is measured.
const probeTime = 300 * time.Millisecond

// probe measures the limits with all threads at once. Reads go over so many
// bytes again and again, as those of a model's weights do: what the last cache
// can keep of them comes faster than from memory.
func probe(threads, bytes int) machine {
	m := machine{Kernels: simd.Tier(), Threads: threads, Go: runtime.Version()}
	m.Dot = together(threads, func() func() int { return simd.ProbeDot })
	m.FMA = together(threads, func() func() int { return simd.ProbeFMA })
	m.Read = readRate(threads, bytes/threads)
	return m
}

// readRate measures reads of so many bytes by each thread, in huge pages where the system has some.
func readRate(threads, bytes int) float64 {
	const part = 1 << 20
	bytes = max(part, bytes/part*part)
	b, free, err := mmap.Zeros(threads * bytes)
	if err != nil {
		return 0 // no limit is known then
	}
	defer free()
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	var next atomic.Int64
	return together(threads, func() func() int {
		own := b[(int(next.Add(1))-1)*bytes:][:bytes]
		at := 0
		return func() int {
			simd.ProbeRead(own[at : at+part])
			at = (at + part) % bytes
			return part
		}
	})
}

// together calls a function on each of n threads for a while and returns what
// its results sum to, per second.
func together(n int, prepare func() func() int) float64 {
	var wg, ready sync.WaitGroup
	begin := make(chan time.Time)
	rates := make([]float64, n)
	ready.Add(n)
	for i := range n {
		wg.Go(func() {
			f := prepare()
			ready.Done()
			start := <-begin
			var done int
			for time.Since(start) < probeTime {
				done += f()
			}
			rates[i] = float64(done) / time.Since(start).Seconds()
		})
	}
	ready.Wait()
	now := time.Now()
	for range n {
		begin <- now
	}
	wg.Wait()
	var sum float64
	for _, r := range rates {
		sum += r
	}
	return sum
}

// better returns the higher of two measurements of each limit.
func (m machine) better(o machine) machine {
	m.Read, m.Dot, m.FMA = max(m.Read, o.Read), max(m.Dot, o.Dot), max(m.FMA, o.FMA)
	return m
}

// share is the least time for a row's bytes and operations by the time taken.
func (m machine) share(r *benchRow) float64 {
	least := r.Operations/m.Dot + r.Floats/m.FMA
	if m.Read > 0 {
		least = max(least, r.Bytes/m.Read)
	}
	return r.Rate * least
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d threads: reads %.1f GB/s, %.0f GOPS of 8-bit multiply-adds, %.0f GFLOPS", m.Kernels, m.Threads, m.Read/1e9, m.Dot/1e9, m.FMA/1e9)
}

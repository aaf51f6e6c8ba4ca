package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"example.com/minillm/internal/simd"
)

// machine is what a processor was seen to be capable of.
type machine struct {
	Kernels string  `json:"kernels"`
	Threads int     `json:"threads"`
	Go      string  `json:"go"`
	Read    float64 `json:"read_bytes_per_s"` // from memory
	Dot     float64 `json:"dot_ops_per_s"`    // 8-bit multiply-adds, counted twice
	FMA     float64 `json:"fma_ops_per_s"`    // float32, counted twice
}

// probeTime is how long each limit is measured.
const probeTime = 300 * time.Millisecond

// probeBytes is what a thread reads again and again, too large for caches to
// give an advantage.
const probeBytes = 256 << 20

// probe measures the limits with all threads at once.
func probe(threads int) machine {
	m := machine{Kernels: simd.Tier(), Threads: threads, Go: runtime.Version()}
	m.Dot = together(threads, func() func() int { return simd.ProbeDot })
	m.FMA = together(threads, func() func() int { return simd.ProbeFMA })
	m.Read = together(threads, func() func() int {
		b := make([]byte, probeBytes)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		const part = 4 << 20
		at := 0
		return func() int {
			simd.ProbeRead(b[at : at+part])
			at = (at + part) % probeBytes
			return part
		}
	})
	return m
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
	return r.Rate * max(r.Bytes/m.Read, r.Operations/m.Dot)
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d threads: reads %.1f GB/s, %.0f GOPS of 8-bit multiply-adds, %.0f GFLOPS", m.Kernels, m.Threads, m.Read/1e9, m.Dot/1e9, m.FMA/1e9)
}

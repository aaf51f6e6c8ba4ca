package simd

import "testing"

func TestProbes(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 511, 512, 513, probeChunk - 1, probeChunk + 512} {
			ProbeRead(make([]byte, n))
		}
		if ProbeDot() <= 0 || ProbeFMA() <= 0 {
			t.Error("a probe did nothing")
		}
	})
}

func BenchmarkProbe(b *testing.B) {
	b.Run("read", func(b *testing.B) {
		buf := make([]byte, 128<<20)
		for i := range buf {
			buf[i] = byte(i)
		}
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			ProbeRead(buf)
		}
	})
	rate := func(name string, f func() int) {
		b.Run(name, func(b *testing.B) {
			operations := 0
			for b.Loop() {
				operations += f()
			}
			b.ReportMetric(float64(operations)/b.Elapsed().Seconds()/1e9, "GOPS")
		})
	}
	rate("dot", ProbeDot)
	rate("fma", ProbeFMA)
}

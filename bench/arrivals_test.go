package bench

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
)

func TestArrivals(t *testing.T) {
	const n = 20_000
	for _, test := range []struct {
		name      string
		a         Arrivals
		variation float64 // standard deviation by mean of the gaps
	}{
		{"poisson", Arrivals{Rate: 50}, 1},
		{"bursts", Arrivals{Rate: 50, Burstiness: 0.25}, 2},
		{"even", Arrivals{Rate: 50, Burstiness: 16}, 0.25},
		{"fixed", Arrivals{Rate: 50, Fixed: true}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			times := test.a.Times(n)
			if times[0] != 0 || !slices.IsSorted(times) || len(times) != n {
				t.Fatal("times do not ascend from 0")
			}
			var gaps []float64
			for i := 1; i < n; i++ {
				gaps = append(gaps, (times[i] - times[i-1]).Seconds())
			}
			mean, sd := stat.MeanStdDev(gaps, nil)
			if math.Abs(mean-0.02) > 0.02*4*test.variation/math.Sqrt(n)+1e-9 {
				t.Errorf("mean gap %v s", mean)
			}
			if math.Abs(sd/mean-test.variation) > 0.1*test.variation+1e-6 {
				t.Errorf("coefficient of variation %v, want %v", sd/mean, test.variation)
			}
			if !slices.Equal(times, test.a.Times(n)) {
				t.Error("the same seed gave other times")
			}
			other := test.a
			other.Seed = 1
			if same := slices.Equal(times, other.Times(n)); same != test.a.Fixed {
				t.Errorf("another seed gives the same times: %v", same)
			}
		})
	}
}

func TestRamp(t *testing.T) {
	for _, to := range []float64{30, 10, 2} {
		a := Arrivals{Rate: 10, To: to, Ramp: 20 * time.Second, Fixed: true}
		times := a.Times(1000)
		before := func(s float64) (n int) {
			n, _ = slices.BinarySearch(times, seconds(s))
			return n
		}
		// From 10 a second to the other rate within 20 s, and on with that.
		for _, s := range []float64{1, 5, 10, 19, 20, 25} {
			ramp := min(s, 20)
			want := 10*ramp + (to-10)/20*ramp*ramp/2 + to*(s-ramp)
			if got := before(s); math.Abs(float64(got)-want) > 1 {
				t.Errorf("to %v: %d requests within %v s, want %.1f", to, got, s, want)
			}
		}
	}
}

func TestArrivalsRefuse(t *testing.T) {
	for _, a := range []Arrivals{{}, {Rate: -1}, {Rate: math.NaN()}, {Rate: math.Inf(1)}, {Rate: 1, Burstiness: -1},
		{Rate: 1, Burstiness: math.Inf(1)}, {Rate: 1, Ramp: -1}, {Rate: 1, Ramp: 1}} {
		if a.Validate() == nil {
			t.Errorf("%+v is valid", a)
		}
	}
}

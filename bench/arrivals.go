package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Arrivals says when the requests of an open loop are due. With only a Rate
// they are a Poisson process: users that know nothing of each other.
type Arrivals struct {
	Rate float64 // requests per second, on average

	// Burstiness is the shape of the gamma distribution of the gaps between
	// requests, whose coefficient of variation is 1/√Burstiness: below 1 they come
	// in bursts, above 1 more evenly. 0 stands for 1, the Poisson process.
	Burstiness float64
	Fixed      bool // all gaps are 1/Rate

	// Ramp lets the rate go evenly from Rate to To within this time, and stay
	// there.
	To   float64
	Ramp time.Duration

	Seed uint64
}

// Validate reports what makes no sense.
func (a Arrivals) Validate() error {
	switch {
	case !(a.Rate > 0) || math.IsInf(a.Rate, 1):
		return fmt.Errorf("bench: rate %v: must be above 0", a.Rate)
	case !(a.Burstiness >= 0) || math.IsInf(a.Burstiness, 1):
		return fmt.Errorf("bench: burstiness %v: must be above 0", a.Burstiness)
	case a.Ramp < 0 || a.Ramp > 0 && (!(a.To > 0) || math.IsInf(a.To, 1)):
		return fmt.Errorf("bench: ramp to %v within %s: both must be above 0", a.To, a.Ramp)
	}
	return nil
}

// Times returns when n requests are due, the first at 0. It panics if Validate
// finds a fault.
func (a Arrivals) Times(n int) []time.Duration {
	if err := a.Validate(); err != nil {
		panic(err)
	}
	times := make([]time.Duration, n)
	gap := a.gap()
	passed := 0.0 // requests expected by now
	for i := 1; i < n; i++ {
		passed += gap()
		times[i] = a.when(passed)
	}
	return times
}

// gap returns a source of gaps whose mean is 1.
func (a Arrivals) gap() func() float64 {
	if a.Fixed {
		return func() float64 { return 1 }
	}
	shape := a.Burstiness
	if shape == 0 {
		shape = 1
	}
	g := distuv.Gamma{Alpha: shape, Beta: shape, Src: rand.NewPCG(a.Seed, 'a')}
	return g.Rand
}

// when returns the time by which a number of requests is expected: the inverse
// of the integral of the rate. Stretching the time of a process of rate 1 in
// this way gives it any rate (the time-rescaling theorem).
func (a Arrivals) when(passed float64) time.Duration {
	if a.Ramp == 0 {
		return seconds(passed / a.Rate)
	}
	ramp := a.Ramp.Seconds()
	slope := (a.To - a.Rate) / ramp
	if onRamp := (a.Rate + a.To) / 2 * ramp; passed >= onRamp {
		return seconds(ramp + (passed-onRamp)/a.To)
	}
	// passed = Rate*t + slope*t²/2, solved for t in the form that slope 0 does not break
	return seconds(2 * passed / (a.Rate + math.Sqrt(max(a.Rate*a.Rate+2*slope*passed, 0))))
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

package bench

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// TestSweep finds the capacity of a server that computes one request at a
// time, for 50 ms: 20 a second.
func TestSweep(t *testing.T) {
	for _, from := range []float64{1, 16, 300} {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				turn := make(chan struct{}, 1)
				server := target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
					turn <- struct{}{}
					time.Sleep(50 * ms)
					<-turn
					yield(Piece{Text: "a", Usage: &Usage{OutputTokens: 1}}, nil)
				})
				try := func(rate float64) Summary {
					n := int(rate * 20)
					traces := Run(t.Context(), server, Load{Requests: requests(n, 1), Starts: Arrivals{Rate: rate, Fixed: true}.Times(n)})
					return Summarize(traces, Limits{TTFT: 200 * ms})
				}
				points := Sweep{From: from, Precision: 0.05, Runs: 20}.Run(t.Context(), try)
				best, ok := Highest(points)
				if !ok || best.Rate < 19 || best.Rate > 21.5 {
					t.Errorf("highest rate %v of %d", best.Rate, len(points))
				}
				for i, p := range points {
					if i > 0 && p.Rate <= points[i-1].Rate {
						t.Error("points do not ascend")
					}
					if p.Held != (p.Rate <= best.Rate) {
						t.Errorf("rate %v held: %v", p.Rate, p.Held)
					}
				}
			})
		})
	}
}

func TestSweepEnds(t *testing.T) {
	for share, best := range map[float64]float64{0: 0, 1: 8} {
		points := Sweep{Runs: 4}.Run(t.Context(), func(rate float64) Summary { return Summary{GoodPart: share, MeanConcurrency: 2} })
		if p, ok := Highest(points); len(points) != 4 || p.Rate != best || ok != (best > 0) {
			t.Errorf("share %v: highest rate %v of %d", share, p.Rate, len(points))
		}
	}
	alone := Sweep{}.Run(t.Context(), func(rate float64) Summary { return Summary{MeanConcurrency: 0.01} })
	if len(alone) != 1 {
		t.Errorf("%d rates of a server that fails when nothing else goes on", len(alone))
	}
	ctx, cancel := context.WithCancel(t.Context())
	points := Sweep{}.Run(ctx, func(rate float64) Summary {
		if rate == 4 {
			cancel()
		}
		return Summary{GoodPart: 1}
	})
	if len(points) != 2 {
		t.Errorf("%d points before the interruption", len(points))
	}
}

func TestKnee(t *testing.T) {
	var points []Point
	for rate := 1.0; rate < 20; rate++ { // waiting time of an M/M/1 queue of capacity 20
		points = append(points, Point{Rate: rate, Summary: Summary{TTFT: Distribution{P90: 1 / (20 - rate)}}})
	}
	if p, ok := Knee(points); !ok || math.Abs(p.Rate-16) > 1 {
		t.Errorf("knee at %v", p.Rate)
	}
	if p, ok := Knee(points[:2]); ok {
		t.Errorf("knee of two points at %v", p.Rate)
	}
	flat := []Point{{Rate: 1}, {Rate: 2}, {Rate: 3}}
	if p, ok := Knee(flat); ok {
		t.Errorf("knee of a flat line at %v", p.Rate)
	}
}

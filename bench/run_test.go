package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// all reports a distribution of n samples that are all v.
func all(d Distribution, n int, v float64) bool {
	return d.N == n && d.Mean == v && d.StdDev == 0 && d.Min == v && d.P1 == v && d.P50 == v && d.P90 == v &&
		d.P95 == v && d.P99 == v && d.P999 == v && d.Max == v
}

func TestExactly(t *testing.T) {
	for name, load := range map[string]Load{
		"closed": {Requests: requests(12, 5), Clients: 3},
		"open":   {Requests: requests(12, 5), Starts: Arrivals{Rate: 7}.Times(12)},
		"fixed":  {Requests: requests(12, 5), Starts: Arrivals{Rate: 10, Fixed: true}.Times(12)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				traces := Run(t.Context(), &sleeper{ttft: 100 * ms, itl: 20 * ms, usage: true}, load)
				s := Summarize(traces, Limits{})
				if s.Answered != 12 || s.Failed != 0 || s.OutputTokens != 60 || s.InputTokens != 120 {
					t.Errorf("counts: %+v", s)
				}
				if !all(s.TTFT, 12, 100) || !all(s.ITL, 48, 20) || !all(s.TPOT, 12, 20) || !all(s.E2E, 12, 180) || !all(s.Wait, 12, 0) {
					t.Errorf("TTFT %+v\nITL %+v\nTPOT %+v\nE2E %+v\nwait %+v", s.TTFT, s.ITL, s.TPOT, s.E2E, s.Wait)
				}
				for i, trace := range traces {
					if trace.ID != i || load.Starts != nil && trace.Due != load.Starts[i] {
						t.Errorf("trace %d: %+v", i, trace)
					}
				}
			})
		})
	}
}

func TestThroughput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Summarize(Run(t.Context(), &sleeper{ttft: 100 * ms, itl: 20 * ms, usage: true},
			Load{Requests: requests(12, 6), Clients: 4}), Limits{})
		// three rounds of 200 ms
		if s.Seconds != 0.6 || s.RequestRate != 20 || s.OutputRate != 120 || s.InputRate != 200 || s.Concurrency != 4 || s.MeanConcurrency != 4 {
			t.Errorf("%v s, %v requests/s, %v and %v tokens/s, %d at once", s.Seconds, s.RequestRate, s.OutputRate, s.InputRate, s.Concurrency)
		}
		if s.Speed.P50 != 30 {
			t.Errorf("speed %v", s.Speed.P50)
		}
	})
}

// TestStall: a server that stops for a second from 1 s on delays every request
// that is due in that second, up to the whole of it. Measured from the moment a request
// could be sent, most of them would show nothing.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &sleeper{ttft: 50 * ms, itl: 10 * ms, usage: true, stall: time.Second, start: time.Now()}
		traces := Run(t.Context(), server, Load{Requests: requests(30, 3), Starts: Arrivals{Rate: 10, Fixed: true}.Times(30)})
		if len(traces) != 30 {
			t.Fatalf("%d traces", len(traces))
		}
		for i, trace := range traces {
			due := time.Duration(i) * 100 * ms
			want := 50 * ms
			if due >= time.Second && due < 2*time.Second {
				want += 2*time.Second - due
			}
			if got, ok := trace.TTFT(); !ok || got != want || trace.Due != due {
				t.Errorf("request due at %s: TTFT %s, want %s", due, got, want)
			}
		}
		if s := Summarize(traces, Limits{}); s.TTFT.P99 < 900 {
			t.Errorf("p99 of TTFT %v ms", s.TTFT.P99)
		}
	})
}

func TestStallInClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &sleeper{ttft: 50 * ms, itl: 10 * ms, usage: true, stall: time.Second, start: time.Now()}
		traces := Run(t.Context(), server, Load{Requests: requests(60, 6), Clients: 2})
		delayed := 0
		for _, trace := range traces {
			switch trace.E2E() {
			case 100 * ms:
			case 1100 * ms:
				delayed++
			default:
				t.Errorf("request %d took %s", trace.ID, trace.E2E())
			}
		}
		if delayed != 2 { // those under way, and nobody else waited
			t.Errorf("%d requests were delayed", delayed)
		}
	})
}

// TestFewClients: in an open loop with a bound, the wait for a client counts.
func TestFewClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces := Run(t.Context(), &sleeper{ttft: 100 * ms, usage: true},
			Load{Requests: requests(4, 1), Starts: Arrivals{Rate: 1000, Fixed: true}.Times(4), Clients: 1})
		s := Summarize(traces, Limits{})
		if s.Concurrency != 1 || s.TTFT.Min != 100 || s.TTFT.Max != 397 || s.Wait.Max != 297 {
			t.Errorf("%d at once, TTFT %+v, wait %+v", s.Concurrency, s.TTFT, s.Wait)
		}
	})
}

func TestConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen [][]Message
		server := target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			seen = append(seen, r.Messages)
			time.Sleep(10 * ms)
			_ = yield(Piece{Text: "yes "}, nil) && yield(Piece{Text: "no"}, nil)
		})
		load := Load{Requests: []Request{{
			Messages: []Message{{"user", "a"}}, MaxTokens: 5,
			Then: []Turn{{Content: "b", MaxTokens: 6, Think: time.Second}, {Content: "c", MaxTokens: 7}},
		}}}
		traces := Run(t.Context(), server, load)
		if len(traces) != 3 || traces[1].Due != 1010*ms || traces[1].Turn != 1 || traces[2].Due != 1020*ms || traces[2].Asked != 7 {
			t.Fatalf("%+v", traces)
		}
		want := []Message{{"user", "a"}, {"assistant", "yes no"}, {"user", "b"}, {"assistant", "yes no"}, {"user", "c"}}
		for i, messages := range seen {
			if !slices.Equal(messages, want[:2*i+1]) {
				t.Errorf("turn %d: %v", i, messages)
			}
		}
	})
}

func TestWarmUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		server := target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			if asked++; asked <= 2 {
				time.Sleep(time.Second)
			}
			time.Sleep(ms)
			yield(Piece{Text: "a"}, nil)
		})
		traces := Run(t.Context(), server, Load{Requests: requests(3, 1), WarmUp: requests(2, 1)})
		if s := Summarize(traces, Limits{}); asked != 5 || s.Requests != 3 || !all(s.TTFT, 3, 1) || s.Seconds != 0.003 {
			t.Errorf("%d asked; %+v", asked, s)
		}
	})
}

func TestMaxTime(t *testing.T) {
	for name, starts := range map[string][]time.Duration{"closed": nil, "open": Arrivals{Rate: 10, Fixed: true}.Times(100)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				traces := Run(t.Context(), &sleeper{ttft: 130 * ms, itl: 100 * ms, usage: true},
					Load{Requests: requests(100, 2), Starts: starts, MaxTime: time.Second})
				s := Summarize(traces, Limits{})
				if s.Seconds != 1 || s.Failed != 0 || s.Interrupted == 0 || s.Answered+s.Interrupted != s.Requests {
					t.Errorf("%+v", s)
				}
				if starts == nil && (s.Answered != 4 || s.Interrupted != 1) {
					t.Errorf("closed: %d answered, %d broken off", s.Answered, s.Interrupted)
				}
			})
		})
	}
}

// TestInterrupt: when its context ends, a run returns what it has.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 350*ms)
		defer cancel()
		s := Summarize(Run(ctx, &sleeper{ttft: 100 * ms, itl: 50 * ms}, Load{Requests: requests(10, 1), Clients: 2}), Limits{})
		if s.Answered != 6 || s.Interrupted != 2 || s.Failed != 0 || s.Seconds != 0.35 {
			t.Errorf("%+v", s)
		}
	})
}

func TestGuards(t *testing.T) {
	for _, test := range []struct {
		name   string
		server Target
		want   Kind
		after  time.Duration
		pieces int
	}{
		{"no text at all", &sleeper{ttft: time.Hour, pieces: 1}, Stalled, 30 * time.Second, 0},
		{"text stops", &sleeper{ttft: time.Second, itl: time.Hour, pieces: 2}, Stalled, 31 * time.Second, 1},
		{"too slow", &sleeper{itl: 13 * time.Second, pieces: 30}, Timeout, 300 * time.Second, 24},
		{"endless", &sleeper{itl: ms, pieces: 1 << 30}, Endless, 36 * ms, 37},
		{"empty pieces without end", target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			for yield(Piece{}, nil) && ctx.Err() == nil {
				select {
				case <-time.After(7 * ms):
				case <-ctx.Done():
				}
			}
		}), Stalled, 30 * time.Second, 0},
		{"a failing target", target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			yield(Piece{}, errors.New("out of paper"))
		}), Failed, 0, 0},
		{"a deadline of its own", target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			yield(Piece{}, context.DeadlineExceeded)
		}), Failed, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				load := Load{Requests: requests(1, 10), Timeout: 300 * time.Second, Stall: 30 * time.Second}
				trace := Run(t.Context(), test.server, load)[0]
				if trace.Err == nil || trace.Err.Kind != test.want || trace.End != test.after || len(trace.Pieces) != test.pieces {
					t.Errorf("%v after %s with %d pieces", trace.Err, trace.End, len(trace.Pieces))
				}
				s := Summarize([]Trace{trace}, Limits{})
				if s.Failed != 1 || s.Errors[test.want] != 1 || s.LostTokens != test.pieces || s.Answered != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last Progress
		calls := 0
		load := Load{Requests: requests(10, 5), Progress: func(p Progress) { last = p; calls++ }}
		Run(t.Context(), &sleeper{ttft: 100 * ms, itl: 25 * ms}, load)
		if last.Sent != 10 || last.Answered != 10 || last.Tokens != 50 || last.TTFT != 100*ms || last.Elapsed != 2*time.Second || last.TokensPerSecond() != 25 {
			t.Errorf("%+v", last)
		}
		if calls < 10 {
			t.Errorf("%d calls in 2 s", calls)
		}
	})
}

func TestStartsMustFit(t *testing.T) {
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "1 starts of 2 requests") {
			t.Errorf("panic %q", s)
		}
	}()
	Run(t.Context(), &sleeper{}, Load{Requests: requests(2, 1), Starts: make([]time.Duration, 1)})
}

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// bar shows on the terminal how much of something is done. It comes after a
// moment, so that what is quick shows nothing.
type bar struct {
	line  progressLine
	what  string
	start time.Time

	mu    sync.Mutex // guards what follows: progress may come from a goroutine that was left behind
	begun int64      // bytes that were there before; -1 until the first call
	next  time.Time  // when it is drawn again
	shown bool
	ended bool
}

func newBar(what string) *bar {
	now := time.Now()
	return &bar{line: newProgressLine(), what: what, start: now, begun: -1, next: now.Add(300 * time.Millisecond)}
}

// show is a callback for progress in bytes.
func (b *bar) show(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.begun < 0 {
		b.begun = done
	}
	if b.ended || now.Before(b.next) {
		return
	}
	b.shown, b.next = true, now.Add(100*time.Millisecond)
	fmt.Fprintf(b.line.w, "\r\x1b[K%s", barText(b.what, done, total, now.Sub(b.start), done-b.begun))
}

// end removes the bar.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown && !b.ended {
		b.line.end()
	}
	b.ended = true
}

// barText is one line: so much of the total is done, moved of it since start.
func barText(what string, done, total int64, elapsed time.Duration, moved int64) string {
	const width = 24
	share := 1.0
	if total > 0 {
		share = min(1, float64(done)/float64(total))
	}
	full := int(share * width)
	text := fmt.Sprintf("%s [%s%s] %.0f %% of %s", what, strings.Repeat("#", full), strings.Repeat(".", width-full), 100*share, size(total))
	if rate := float64(moved) / elapsed.Seconds(); rate > 0 && elapsed > 2*time.Second {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %s/s, %s left", size(int64(rate)), left.Round(time.Second))
	}
	return text
}

// size writes bytes as people read them.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}

// progressLine is a line on the terminal that is written over and over. Where
// standard error is no terminal it stays silent.
type progressLine struct{ w io.Writer }

func newProgressLine() progressLine {
	if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return progressLine{io.Discard}
	}
	return progressLine{os.Stderr}
}

// end removes the line.
func (l progressLine) end() { fmt.Fprint(l.w, "\r\x1b[K") }

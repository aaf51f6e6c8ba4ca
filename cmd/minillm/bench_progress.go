package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"example.com/minillm/bench"
)

// progressLine is a line on the terminal that is written over and over. Where
// standard error is no terminal it stays silent.
type progressLine struct{ w io.Writer }

func newProgressLine() progressLine {
	if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return progressLine{io.Discard}
	}
	return progressLine{os.Stderr}
}

func (l progressLine) show(p bench.Progress) {
	fmt.Fprintf(l.w, "\r\x1b[K%s", progressText(p))
}

func progressText(p bench.Progress) string {
	text := fmt.Sprintf("%s  %d of %d answered, %d under way, %.1f tokens/s", p.Elapsed.Round(time.Second),
		p.Answered, p.Requests, p.Sent-p.Answered-p.Failed, p.TokensPerSecond())
	if p.TTFT > 0 {
		text += fmt.Sprintf(", TTFT %.3g s", p.TTFT.Seconds())
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d FAILED", p.Failed)
	}
	return text
}

// end removes the line.
func (l progressLine) end() { fmt.Fprint(l.w, "\r\x1b[K") }

package main

import (
	"fmt"
	"time"

	"example.com/minillm/bench"
)

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

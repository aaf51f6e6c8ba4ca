package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBarText(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{barText("x", 0, 0, time.Second, 0), "x [########################] 100 % of 0 kB"},
		{barText("x", 0, 3e6, time.Second, 0), "x [........................] 0 % of 3 MB"},
		{barText("x", 15e5, 3e6, time.Second, 15e5), "x [############............] 50 % of 3 MB"},
		{barText("x", 3e9, 4e9, 10*time.Second, 1e9), "x [##################......] 75 % of 4.0 GB, 100 MB/s, 10s left"},
	} {
		if c.got != c.want {
			t.Errorf("got  %q\nwant %q", c.got, c.want)
		}
	}
}

// What is quick shows nothing; what is slow is drawn ten times a second and
// wiped off at the end.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		b := newBar("x")
		b.line.w = &screen
		for i := range int64(100) {
			b.show(i, 100)
			if i == 20 && screen.Len() != 0 {
				t.Errorf("after 200 ms: %q", screen.String())
			}
			time.Sleep(10 * time.Millisecond)
		}
		b.end()
		b.show(100, 100)
		if got := screen.String(); strings.Count(got, "[") != 2*7+1 || !strings.HasSuffix(got, "\r\x1b[K") {
			t.Errorf("%q", got)
		}
	})
}

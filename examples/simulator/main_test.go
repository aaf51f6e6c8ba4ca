package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/minillm/internal/sim"
)

func TestCompareAndDraw(t *testing.T) {
	trace := sim.Trace{
		Requests: 100, Rate: 4, Burst: 4, Systems: 2, System: 100, Max: 200, Seed: 1,
		Prompt: sim.Lengths{Median: 50, Sigma: 1, Most: 500}, Output: sim.Lengths{Median: 40, Sigma: 0.8, Most: 200},
	}
	var out bytes.Buffer
	reports, err := compare(&out, 100, trace, sim.Cost{Step: 5 * time.Millisecond, Token: time.Millisecond / 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range systems(1) {
		if !strings.Contains(out.String(), s.Name) || reports[i].Served != 100 {
			t.Errorf("%s: %d served\n%s", s.Name, reports[i].Served, out.String())
		}
	}
	file := filepath.Join(t.TempDir(), "ttft.svg")
	if err := draw(file, reports); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(svg, []byte("<svg")) || !bytes.Contains(svg, []byte("scheduled, whole prompts")) {
		t.Errorf("no picture: %v, %d bytes", err, len(svg))
	}
}

package scheduler

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
)

var update = flag.Bool("update", false, "rewrite the expected plans in testdata")

// TestScenarios plays testdata/*.txt: commands, a line of dashes, and what they
// print. After `go test -update` the difference is the change of behaviour.
//
//	cache positions=N block=N       begins anew with so much memory; sequences are as long as fits
//	config seqs=N tokens=N …        see Config; times are Go durations
//	add NAME prompt=N max=N …       see Spec; like=NAME:N begins as that prompt does
//	step [N]                        schedule and compute N times, a second each
//	run                             until nothing is left to do
//	cancel NAME
//	stats
//
// A step prints its number, the tokens it computes of each sequence in the
// order of the plan, who waits in order of arrival, and the free positions;
// then what became of whom. Steps that print the same share a line.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				err = os.WriteFile(file, []byte(got), 0o666)
			} else if got != string(text) {
				t.Errorf("%s: the plan is\n%s", file, got)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// play returns the script with what its commands print.
func play(t *testing.T, text string) string {
	var out bytes.Buffer
	st := &stage{t: t}
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		commands, _, found := strings.Cut(part, "\n----")
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString(commands + "\n")
		if !found {
			continue
		}
		out.WriteString("----\n")
		for line := range strings.Lines(commands) {
			st.do(&out, strings.Fields(line))
		}
		st.flush(&out)
	}
	return out.String()
}

// stage is a scheduler on which a script plays.
type stage struct {
	t      *testing.T
	now    time.Time
	cache  kvcache.Cache
	sched  *Scheduler
	runner *batch.Runner
	seqs   []*batch.Sequence
	names  map[*batch.Sequence]string
	steps  int

	line  string // of the steps from first on, not yet printed
	first int
}

func (st *stage) do(out *bytes.Buffer, words []string) {
	a := arguments{st.t, map[string]string{}}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		a.of[key] = value
	}
	switch words[0] {
	case "#":
	case "cache":
		*st = stage{t: st.t, now: time.Unix(0, 0), names: map[*batch.Sequence]string{}}
		st.cache = pages(st.t, a.number("positions"), a.number("block"))
	case "config":
		st.sched = New(st.cache, Config{
			MaxSeqs: a.number("seqs"), MaxTokens: a.number("tokens"), Watermark: a.number("watermark"),
			Aging: a.duration("aging"), QueueTimeout: a.duration("timeout"),
		})
		st.runner = batch.NewRunner(&fake.Model{})
	case "add":
		st.add(out, words[1], a)
	case "step":
		n := 1
		if len(words) > 1 {
			n, _ = strconv.Atoi(words[1])
		}
		for range n {
			st.step(out)
		}
	case "run":
		for st.step(out) {
		}
	case "cancel":
		st.sched.Remove(st.seq(words[1]))
	case "stats":
		st.flush(out)
		fmt.Fprintf(out, "%+v\n", st.sched.Stats())
	default:
		st.t.Fatalf("unknown command %q", words)
	}
}

func (st *stage) add(out *bytes.Buffer, name string, a arguments) {
	spec := batch.Spec{
		Prompt: letters(name, a.number("prompt")), Max: a.number("max"), Priority: a.number("priority"),
		Tenant: a.of["tenant"], Weight: float64(a.number("weight")), Salt: a.of["salt"], NoCache: a.of["nocache"] != "",
	}
	if like, n, ok := strings.Cut(a.of["like"], ":"); ok {
		shared, _ := strconv.Atoi(n)
		copy(spec.Prompt[:shared], st.seq(like).Tokens())
	}
	if d := a.duration("deadline"); d > 0 {
		spec.Deadline = st.now.Add(d)
	}
	s := batch.NewSequence(spec)
	if err := st.sched.Add(s); err != nil {
		fmt.Fprintf(out, "%s: %v\n", name, err)
		return
	}
	st.seqs = append(st.seqs, s)
	st.names[s] = name
}

// step computes one step, prints it, and reports whether there was anything to do.
func (st *stage) step(out *bytes.Buffer) bool {
	st.steps++
	ran := map[*batch.Sequence]bool{}
	for _, s := range st.seqs {
		ran[s] = s.Admitted()
	}
	work := st.sched.Schedule(st.now)
	st.print(out, st.plan(work))
	for _, s := range st.seqs {
		switch name := st.names[s]; {
		case s.Finish() != batch.Running:
		case ran[s] && !s.Admitted():
			st.note(out, "%s preempted after %d tokens", name, len(s.Output()))
		case !ran[s] && s.Computed() > 0:
			st.note(out, "%s finds %d", name, s.Computed())
		}
	}
	if err := st.runner.Step(work); err != nil {
		st.t.Fatal(err)
	}
	for _, s := range st.seqs {
		if s.Finish() != batch.Running {
			st.note(out, "%s ends: %v after %d tokens", st.names[s], s.Finish(), len(s.Output()))
		}
	}
	st.seqs = slices.DeleteFunc(st.seqs, func(s *batch.Sequence) bool { return s.Finish() != batch.Running })
	st.now = st.now.Add(time.Second)
	return len(work) > 0
}

// plan returns what a step computes, who waits, and what is free.
func (st *stage) plan(work []batch.Work) string {
	var line strings.Builder
	for _, w := range work {
		if w.N > 0 {
			fmt.Fprintf(&line, " %s+%d", st.names[w.Seq], w.N)
		}
	}
	sep := " | wait"
	for _, s := range st.seqs {
		if s.Finish() == batch.Running && !s.Admitted() {
			fmt.Fprintf(&line, "%s %s", sep, st.names[s])
			sep = ""
		}
	}
	fmt.Fprintf(&line, " | free %d", st.cache.Free())
	return line.String()
}

// print keeps the line of a step back: the next one may be the same.
func (st *stage) print(out *bytes.Buffer, line string) {
	if line != st.line {
		st.steps--
		st.flush(out)
		st.steps++
		st.line, st.first = line, st.steps
	}
}

func (st *stage) flush(out *bytes.Buffer) {
	switch {
	case st.line == "":
	case st.first == st.steps:
		fmt.Fprintf(out, "%d:%s\n", st.steps, st.line)
	default:
		fmt.Fprintf(out, "%d-%d:%s\n", st.first, st.steps, st.line)
	}
	st.line = ""
}

func (st *stage) note(out *bytes.Buffer, format string, args ...any) {
	st.flush(out)
	fmt.Fprintf(out, "    "+format+"\n", args...)
}

func (st *stage) seq(name string) *batch.Sequence {
	for s, n := range st.names {
		if n == name {
			return s
		}
	}
	st.t.Fatalf("no sequence %q", name)
	return nil
}

// letters returns a prompt of n tokens that begins as no other name's.
func letters(name string, n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(name[i%len(name)]) + int32(i/len(name)%3)
	}
	return p
}

// arguments are the words key=value of a command.
type arguments struct {
	t  *testing.T
	of map[string]string
}

func (a arguments) number(key string) int {
	if a.of[key] == "" {
		return 0
	}
	n, err := strconv.Atoi(a.of[key])
	if err != nil {
		a.t.Fatal(errors.Join(errors.New(key), err))
	}
	return n
}

func (a arguments) duration(key string) time.Duration {
	if a.of[key] == "" {
		return 0
	}
	d, err := time.ParseDuration(a.of[key])
	if err != nil {
		a.t.Fatal(errors.Join(errors.New(key), err))
	}
	return d
}

// pages returns the memory of a scenario.
func pages(t testing.TB, positions, block int) *paged.Cache {
	t.Helper()
	c, err := paged.New(fake.Shape, paged.Options{Positions: positions, Block: block})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

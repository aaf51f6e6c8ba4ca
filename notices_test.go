package minillm_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const notices = "THIRD-PARTY-NOTICES.txt"

var update = flag.Bool("update", false, "write "+notices+" anew")

// TestNotices wants the licences of all modules that the command is linked
// with, as they stand, in the file that goes with it.
func TestNotices(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/minillm").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var texts []string              // in the order of their first module
	owners := map[string][]string{} // licence text -> modules under it
	for _, line := range slices.Compact(lines) {
		module, dir, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		if module == "golang.org/x/sys" {
			module += ", and Go's own library and runtime"
		}
		text := licence(t, dir)
		if owners[text] == nil {
			texts = append(texts, text)
		}
		owners[text] = append(owners[text], module)
	}
	var want strings.Builder
	fmt.Fprintln(&want, "minillm's command is linked with the modules below, each under its own licence.")
	for _, text := range texts {
		fmt.Fprintf(&want, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	if *update {
		if err := os.WriteFile(notices, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(notices); err != nil || string(got) != want.String() {
		t.Errorf("%s is not what the modules say (%v); go test -run TestNotices . -update", notices, err)
	}
}

// licence is what a module says of its licences, and of whom it owes a notice.
func licence(t *testing.T, dir string) string {
	t.Helper()
	var texts []string
	for _, pattern := range []string{"LICEN*", "NOTICE*", "licenses/ftl*", "THIRD_PARTY_LICENSES/*"} {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, f := range files {
			if info, err := os.Stat(f); err == nil && info.IsDir() {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n")))
		}
	}
	if len(texts) == 0 {
		t.Errorf("%s has no licence", dir)
	}
	return strings.Join(texts, "\n\n")
}

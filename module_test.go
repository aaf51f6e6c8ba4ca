package minillm_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	modpkg "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"example.com/minillm/internal/tiny"
)

// embed is what a user writes in a module of his own: the example, with a file
// in place of the embedded model.
func embed(t *testing.T) string {
	t.Helper()
	example, err := os.ReadFile(filepath.Join("examples", "embed", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("minillm.OpenBytes(tinymodel.GGUF,", "minillm.Open(os.Args[1],", `"example.com/minillm/tinymodel"`, `"os"`).Replace(string(example))
}

// largest binary of a program that brings its own model, and largest module.
const (
	maxBinary = 12 << 20
	maxModule = 32 << 20
)

// TestAsDependency publishes the checkout as v0.1.0 and uses it as anybody
// would: go get, a build without cgo, a run.
func TestAsDependency(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program in a fresh module")
	}
	u := newUser(t)
	if out, err := u.run("go", "get", module+"@v0.1.0"); err != nil {
		if unreachable(out) {
			t.Skipf("modules cannot be reached: %s", out)
		}
		t.Fatalf("go get: %v\n%s", err, out)
	}
	u.must("go", "build", "-trimpath", "-o", "program", ".")
	info, err := os.Stat(filepath.Join(u.dir, "program"))
	if err != nil || info.Size() > maxBinary {
		t.Errorf("%v, %d bytes, want at most %d", err, info.Size(), maxBinary)
	}
	model := filepath.Join(u.dir, "m.gguf")
	if err := os.WriteFile(model, tiny.GGUF(tiny.Config{}), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := u.must(filepath.Join(u.dir, "program"), model); strings.TrimSpace(out) == "" {
		t.Error("the program prints nothing")
	}
	for _, f := range strings.Fields(u.must("go", "list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", ".")) {
		t.Errorf("%s uses cgo", f)
	}
	for dep := range strings.FieldsSeq(u.must("go", "list", "-deps", ".")) {
		for _, heavy := range []string{"gonum", "prometheus", "cobra", "openai-go", "opentelemetry", "x/tools", "x/mod", "tinymodel"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("the program carries %s", dep)
			}
		}
	}
	if mod := u.read("go.mod"); strings.Contains(mod, "replace") || strings.Count(mod, " v") != 3 {
		t.Errorf("the user's go.mod wants more than the library and two modules below it:\n%s", mod)
	}
}

// unreachable reports whether go get failed for want of a network.
func unreachable(out string) bool {
	for _, s := range []string{"dial tcp", "no such host", "module lookup disabled", "connection refused", "i/o timeout"} {
		if strings.Contains(out, s) {
			return true
		}
	}
	return false
}

// user is a fresh module in a folder of its own, with a module cache of its
// own: v0.1.0 must not stay in the real one.
type user struct {
	t   *testing.T
	dir string
	env []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	proxy, dir := t.TempDir(), t.TempDir()
	publish(t, proxy)
	for name, text := range map[string]string{"go.mod": "module example.org/user\n\ngo 1.26.0\n", "main.go": embed(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	return &user{t, dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOSUMDB=off", "GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE="+t.TempDir(),
		"GOPRIVATE=", "GONOPROXY=", fmt.Sprintf("GOPROXY=file://%s,file://%s,%s", proxy, filepath.Join(cache, "cache", "download"), others))}
}

// publish lays the checkout out as a module proxy serves it.
func publish(t *testing.T, proxy string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	gomod, err := os.ReadFile("go.mod")
	err = errors.Join(err, os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{"list": "v0.1.0\n", "v0.1.0.info": `{"Version":"v0.1.0"}`, "v0.1.0.mod": string(gomod)} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	f, e := os.Create(filepath.Join(dir, "v0.1.0.zip"))
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := zip.CreateFromDir(f, modpkg.Version{Path: module, Version: "v0.1.0"}, "."); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() > maxModule {
		t.Errorf("%v, the module takes %d bytes, want at most %d", err, info.Size(), maxModule)
	}
}

// run returns what a command prints, and what it complains of if it fails.
func (u *user) run(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(u.t.Context(), name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		out = append(out, failed.Stderr...)
	}
	return string(out), err
}

func (u *user) must(name string, args ...string) string {
	u.t.Helper()
	out, err := u.run(name, args...)
	if err != nil {
		u.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

func (u *user) read(name string) string {
	b, err := os.ReadFile(filepath.Join(u.dir, name))
	if err != nil {
		u.t.Fatal(err)
	}
	return string(b)
}

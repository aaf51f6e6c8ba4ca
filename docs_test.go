package minillm_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources returns the files below the module that end in ext, but those of
// other modules and of hidden folders.
func sources(t *testing.T, ext string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			if strings.HasSuffix(path, ext) {
				files = append(files, path)
			}
			return err
		}
		_, other := os.Stat(filepath.Join(path, "go.mod"))
		if path != "." && (strings.ContainsAny(d.Name()[:1], "._") || d.Name() == "testdata" || other == nil) {
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// known are packages of the standard library that snippets use.
var known = []string{"context", "encoding/json", "errors", "fmt", "io", "log", "net/http", "os", "slices", "strings", "sync", "testing", "time"}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// TestSnippetsCompile builds every block of Go in every document. One that is no
// whole file is the body of a function: what it names without declaring it is
// imported, or is one of ctx, prompt, messages and text, as a reader would guess.
func TestSnippetsCompile(t *testing.T) {
	imports := importable(t)
	overlay, dir, n := map[string]string{}, t.TempDir(), 0
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, file := range sources(t, ".md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range goBlock.FindAllSubmatchIndex(text, -1) {
			line := strings.Count(string(text[:at[2]]), "\n") + 1
			source := whole(t, string(text[at[2]:at[3]]), fmt.Sprintf("%s:%d", filepath.Join(root, file), line), imports)
			n++
			real := filepath.Join(dir, fmt.Sprintf("%d.go", n))
			if err := os.WriteFile(real, []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(root, "internal", fmt.Sprintf("snippet%d", n), "snippet.go")] = real
			packages = append(packages, fmt.Sprintf("./internal/snippet%d", n))
		}
	}
	if n == 0 {
		t.Fatal("no document has a snippet")
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), replace, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"build", "-o", os.DevNull, "-overlay", filepath.Join(dir, "overlay.json")}, packages...)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("%d snippets: %v\n%s", n, err, out)
	}
}

// importable returns the packages that a snippet may name, by name.
func importable(t *testing.T) map[string]string {
	t.Helper()
	byName := map[string]string{}
	for _, path := range known {
		byName[path[strings.LastIndex(path, "/")+1:]] = path
	}
	out, err := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "main" && !strings.Contains(path, "/internal/") {
			byName[name] = path
		}
	}
	return byName
}

// whole makes a file of a snippet. Mistakes in it are told with the place in
// the document.
func whole(t *testing.T, snippet, place string, imports map[string]string) string {
	t.Helper()
	if strings.HasPrefix(snippet, "package ") {
		return "//line " + place + "\n" + snippet
	}
	body := "func _() error {\n//line " + place + "\n" + snippet + "\nreturn nil\n}\n"
	if strings.HasPrefix(snippet, "func ") || strings.HasPrefix(snippet, "type ") {
		body = "//line " + place + "\n" + snippet
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package snippet\n"+body, 0)
	if err != nil {
		t.Errorf("%v", err)
		return "package snippet\n"
	}
	head := "package snippet\nimport \"context\"\n"
	var done []string
	for _, name := range file.Unresolved {
		path, ok := imports[name.Name]
		if !ok || slices.Contains(done, path) || path == "context" {
			continue
		}
		done = append(done, path)
		head += fmt.Sprintf("import %q\n", path)
	}
	head += "var (ctx = context.Background(); prompt, text string)\n"
	if !slices.Contains(done, module) {
		head += fmt.Sprintf("import %q\n", module)
	}
	return head + "var messages []minillm.Message\nvar (_, _, _, _ = ctx, prompt, text, messages)\n" + body
}

var link = regexp.MustCompile(`\]\(([^)#:]+)[^):]*\)`)

// TestLinks looks for what documents of the module refer to in it.
func TestLinks(t *testing.T) {
	for _, file := range sources(t, ".md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), string(m[1]))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestEverythingIsDocumented wants a comment at everything that is exported by
// a package which others may import, and at each package.
func TestEverythingIsDocumented(t *testing.T) {
	described := map[string]bool{} // folder -> has a package comment
	for _, file := range sources(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		described[dir] = described[dir] || f.Doc != nil
		if f.Name.Name == "main" || strings.Contains("/"+dir+"/", "/internal/") {
			continue
		}
		for _, d := range f.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", file, name)
			}
		}
	}
	for dir, ok := range described {
		if !ok {
			t.Errorf("package %s has no comment", dir)
		}
	}
}

// undocumented returns the exported names of a declaration without a comment of
// their own or of their group.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && ast.IsExported(receiver(d)) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Names[0].Name)
				}
			}
		}
	}
	return names
}

// receiver is the name of the type whose method d is; an exported one where d
// is a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return "Function"
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

package minillm_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/minillm"

// layers says what each package may import of this module, beside packages of
// the standard library. Arrows point down: whoever needs one more line here
// should ask first whether the idea lives on the wrong floor.
//
// "internal/*" allows every package below internal but the test helpers.
var layers = map[string]string{
	"sampling":            "internal/simd",
	"tokenizer":           "internal/checkpoint internal/gguf",
	"tokenizer/chat":      "tokenizer",
	"kvcache":             "internal/mmap internal/simd",
	"kvcache/kvcachetest": "kvcache",
	"paged":               "kvcache internal/simd",
	"transformer":         "kvcache internal/checkpoint internal/gguf internal/mmap internal/quant internal/simd internal/par",
	"batch":               "transformer kvcache sampling",
	"scheduler":           "batch kvcache",
	"serve":               "batch sampling tokenizer",
	"serve/openai":        "serve serve/internal/wire sampling tokenizer tokenizer/chat",
	"serve/native":        "serve serve/internal/wire sampling tokenizer tokenizer/chat",
	"serve/internal/wire": "batch serve sampling tokenizer/chat",
	"serve/metrics":       "serve serve/internal/wire",
	"serve/guard":         "serve serve/internal/wire",
	"serve/tracing":       "serve serve/internal/wire",
	"serve/remote":        "batch serve sampling tokenizer/chat",
	"serve/backendtest":   "batch serve sampling",
	"bench":               "",
	"bench/report":        "bench",

	"tinymodel":               "",
	"tinymodel/train/text":    "tokenizer",
	"tinymodel/train/corpus":  "tokenizer tinymodel/train/text",
	"tinymodel/train/pack":    "internal/gguf internal/quant internal/safetensors tokenizer tinymodel/train/text",
	"tinymodel/train/measure": "sampling tinymodel tinymodel/train/text",

	"internal/quant":       "",
	"internal/mmap":        "",
	"internal/gguf":        "internal/quant internal/mmap",
	"internal/checkpoint":  "internal/gguf internal/quant internal/safetensors",
	"internal/hub":         "",
	"internal/safetensors": "internal/quant internal/mmap",
	"internal/par":         "",
	"internal/memory":      "",
	"internal/simd":        "internal/quant",
	"internal/tiny":        "internal/gguf internal/quant",
	"internal/fake":        "transformer kvcache tokenizer",
	"internal/sim":         "batch paged kvcache transformer",
	"internal/testenv":     "",
}

func TestImportsPointDown(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		pkg := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if free(pkg) {
			continue
		}
		allowed, ok := layers[pkg]
		if !ok {
			t.Errorf("package %s has no line in the table of layers", pkg)
			continue
		}
		for imp := range strings.FieldsSeq(imports) {
			below, ours := strings.CutPrefix(imp, module+"/")
			if ours && !slices.Contains(strings.Fields(allowed), below) {
				t.Errorf("%s imports %s, which its floor may not", pkg, below)
			}
		}
	}
}

// free reports whether pkg stands on top, where everything may be composed.
func free(pkg string) bool {
	return pkg == "" || strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/")
}

// TestFrontDoorIsLight guards what a program that embeds the library carries:
// the front door pulls in nothing that only the command or the tests need.
func TestFrontDoorIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	allowed := []string{module, "golang.org/x/sys", "golang.org/x/exp", "github.com/ardanlabs/jinja"}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		host, _, _ := strings.Cut(dep, "/")
		ours := slices.ContainsFunc(allowed, func(p string) bool { return dep == p || strings.HasPrefix(dep, p+"/") })
		if strings.Contains(host, ".") && !ours {
			t.Errorf("the front door pulls in %s", dep)
		}
	}
}

package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGroupLeft has control groups as the kernel shows them.
func TestGroupLeft(t *testing.T) {
	for _, tt := range []struct {
		name, max, current, stat string
		left                     int64
		limited                  bool
	}{
		{"no limit", "max\n", "1000\n", "inactive_file 100\n", 0, false},
		{"no group", "", "", "", 0, false},
		{"half full", "1000\n", "500\n", "anon 500\ninactive_file 0\n", 500, true},
		{"full of files that were read", "1000\n", "1000\n", "anon 300\ninactive_file 600\nactive_file 100\n", 600, true},
		{"above its limit", "1000\n", "1200\n", "inactive_file 0\n", 0, true},
		{"files of more than all", "1000\n", "100\n", "inactive_file 200\n", 1000, true},
		{"an old kernel", "1000\n", "600\n", "", 400, true},
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{"memory.max": tt.max, "memory.current": tt.current, "memory.stat": tt.stat} {
			if content == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		left, limited := groupLeft(dir)
		if limited != tt.limited || limited && left != tt.left {
			t.Errorf("%s: %d left, limited %t; want %d, %t", tt.name, left, limited, tt.left, tt.limited)
		}
	}
}

package bench

import (
	"os"
	"runtime"
	"strings"
)

// Machine is where the load came from; the server may be elsewhere.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu,omitempty"` // its name, where the system tells
	Cores int    `json:"cores"`         // that this process may use
	Go    string `json:"go"`
}

// ThisMachine describes the machine that this process runs on.
func ThisMachine() Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: processor(), Cores: runtime.NumCPU(), Go: runtime.Version()}
}

// processor is its name as Linux has it.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

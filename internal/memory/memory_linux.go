package memory

import (
	"os"
	"strconv"
	"strings"
)

// available is what the kernel estimates, or what the control group leaves if
// that is less.
func available() (int64, bool) {
	n, ok := meminfo("MemAvailable:")
	if limit, limited := number("/sys/fs/cgroup/memory.max"); limited {
		if used, known := number("/sys/fs/cgroup/memory.current"); known {
			left := max(limit-used, 0)
			if !ok || left < n {
				return left, true
			}
		}
	}
	return n, ok
}

func meminfo(field string) (int64, bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == field {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

// number reads a file that holds one number. "max", a group without a limit, is none.
func number(path string) (int64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}

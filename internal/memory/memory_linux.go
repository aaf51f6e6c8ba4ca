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
	if left, limited := groupLeft("/sys/fs/cgroup"); limited && (!ok || left < n) {
		return left, true
	}
	return n, ok
}

func meminfo(field string) (int64, bool) {
	kib, ok := entry("/proc/meminfo", field)
	return kib << 10, ok
}

// groupLeft is what the control group at dir has left of its limit. A group
// counts the files that its programs have read, up to the limit; those that
// nobody has in use make room when it is wanted.
func groupLeft(dir string) (left int64, limited bool) {
	limit, limited := number(dir + "/memory.max")
	used, known := number(dir + "/memory.current")
	files, _ := entry(dir+"/memory.stat", "inactive_file")
	return max(limit-max(used-files, 0), 0), limited && known
}

// entry reads the number behind a name at the beginning of a line.
func entry(path, name string) (int64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == name {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil
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

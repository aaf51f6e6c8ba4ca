package main

import (
	"strconv"
	"strings"
)

// units of sizes; the longer of two that end alike comes first.
var units = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// parsePool reads the size of a pool: bytes where it has a unit, else positions.
func parsePool(s string) (bytes int64, positions int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.suffix); ok {
			x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			if err != nil || !(x > 0) || x*float64(u.bytes) > 1<<62 {
				return 0, 0, usagef("--kv %q: not a size such as 2GiB", s)
			}
			return int64(x * float64(u.bytes)), 0, nil
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, 0, usagef("--kv %q: want positions such as 16384, or a size such as 2GiB", s)
	}
	return 0, n, nil
}

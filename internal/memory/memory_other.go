//go:build !linux

package memory

func available() (int64, bool) { return 0, false }

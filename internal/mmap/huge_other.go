//go:build unix && !linux

package mmap

func inHugePages([]byte) {}

//go:build linux || darwin

package agent

import (
	"math"
	"syscall"
)

// freeDisk returns the free bytes of a directory's file system; MaxUint64 if they are unknown.
func freeDisk(dir string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return math.MaxUint64
	}
	return s.Bavail * uint64(s.Bsize)
}

//go:build linux || darwin

package agent

import (
	"math"
	"syscall"
)

// freeDisk is how many bytes a directory's file system has room for; where that is not known, very many.
func freeDisk(dir string) uint64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return math.MaxUint64
	}
	return s.Bavail * uint64(s.Bsize) //nolint:gosec // a size of blocks
}

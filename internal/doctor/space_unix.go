//go:build linux || darwin

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// SpaceOf returns the space on the disk of a directory, or of its closest existing parent.
func SpaceOf(dir string) (Space, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Space{}, fmt.Errorf("find %s: %w", dir, err)
	}
	for ; ; whole = filepath.Dir(whole) {
		var s unix.Statfs_t
		err := unix.Statfs(whole, &s)
		if errors.Is(err, fs.ErrNotExist) && whole != filepath.Dir(whole) {
			continue
		}
		if err != nil {
			return Space{}, fmt.Errorf("read the free space of %s: %w", whole, err)
		}
		size := uint64(s.Bsize) //nolint:gosec,nolintlint,unconvert // int64 here, uint32 elsewhere
		return Space{Free: s.Bavail * size, Total: s.Blocks * size, Refused: unix.Access(whole, unix.W_OK|unix.X_OK)}, nil
	}
}

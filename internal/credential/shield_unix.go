//go:build unix && !linux

package credential

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Shield keeps the memory of this process out of core dumps.
func Shield() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("disable core dumps: %w", err)
	}
	return nil
}

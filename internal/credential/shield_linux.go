package credential

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Shield keeps the memory of this process out of core dumps, and other processes of its user from reading it.
func Shield() error {
	// A unit of systemd may forbid to change limits; what follows suffices then.
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("disable core dumps: %w", err)
	}
	// The limit does not count where dumps go to a program, as those of systemd-coredump do.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("disable core dumps: %w", err)
	}
	return nil
}

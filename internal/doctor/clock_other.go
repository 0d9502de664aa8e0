//go:build !linux

package doctor

import "errors"

// kernelClock is not available on this system.
func kernelClock() (ClockStatus, error) {
	return ClockStatus{}, errors.New("not available on this system")
}

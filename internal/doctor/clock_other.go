//go:build !linux

package doctor

import "errors"

// kernelClock is not known here.
func kernelClock() (ClockStatus, error) {
	return ClockStatus{}, errors.New("this system does not say it")
}

//go:build !linux

package doctor

import "errors"

// kernelClock cannot be told here.
func kernelClock() (ClockStatus, error) {
	return ClockStatus{}, errors.New("this system does not say it")
}

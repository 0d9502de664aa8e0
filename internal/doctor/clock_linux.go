package doctor

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// kernelClock reads the state of the kernel's clock. It changes nothing and needs no privilege.
func kernelClock() (ClockStatus, error) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return ClockStatus{}, fmt.Errorf("read the state of the kernel's clock: %w", err)
	}
	return ClockStatus{
		Synchronized: state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0,
		MaxError:     time.Duration(t.Maxerror) * time.Microsecond,
	}, nil
}

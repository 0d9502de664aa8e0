//go:build unix

package agent

import "syscall"

// ownSeconds is the processor time of this process, to the microsecond.
func ownSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

package agent

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// allowed returns the processors that this process may use, on a host with that many: taskset and containers restrict them.
// The host's idle time on the others is of no use to it.
func allowed(cores int) cpuSet {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &mask); err != nil {
		return nil
	}
	if n := mask.Count(); n == 0 || n >= cores {
		return nil
	}
	set := make(cpuSet)
	for n := range len(mask) * 64 {
		if mask.IsSet(n) {
			set["cpu"+strconv.Itoa(n)] = true
		}
	}
	return set
}

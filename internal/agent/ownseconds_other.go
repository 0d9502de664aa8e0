//go:build !unix

package agent

import (
	"os"

	"github.com/shirou/gopsutil/v4/process"
)

// ownSeconds is the processor time of this process.
func ownSeconds() float64 {
	p, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return 0
	}
	t, err := p.Times()
	if err != nil {
		return 0
	}
	return t.User + t.System
}

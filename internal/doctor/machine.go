package doctor

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// Machine is what a machine is read by. This gives the one that the program runs on.
type Machine struct {
	FS    fs.FS // the root of the file system, of which /proc and /sys are read
	Clock func() (ClockStatus, error)
	Space func(dir string) (Space, error)
	Pause func(ctx context.Context, d time.Duration) error // between two readings of counters
}

// This is the machine that the program runs on.
func This() Machine {
	return Machine{FS: os.DirFS("/"), Clock: kernelClock, Space: SpaceOf, Pause: pause}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Use is what the machine is to be used for.
type Use struct {
	Folders []Folder
	Ports   []Port
}

// Folder is a directory that is to be written to.
type Folder struct {
	Flag string // that names it, for the cure
	Dir  string
}

// Examine looks at a machine: some ten findings in a bit more than a second, for which it watches the processors.
func (m Machine) Examine(ctx context.Context, use Use) []Finding {
	findings := []Finding{
		look("clock_sync", m.Clock, judgeClock, "find out on the host whether its clock is synchronized, such as with chronyc tracking"),
		look("file_limit", m.fileLimit, judgeFileLimit, "find out with ulimit -n how many files the program may have open"),
		look(nameIdle, func() (float64, error) { return m.idle(ctx) }, judgeIdle, "find out with top how idle the machine is"),
		look("cpu_governor", m.governors, judgeGovernors, "where it is a virtual machine, ask who runs its host for the governor performance"),
		look("cpu_idle_states", m.idleStates, judgeIdleStates, "where it is a virtual machine, its host decides how deeply idle processors sleep"),
		look("cpu_quota", m.quota, judgeQuota, "find out whether a container limits the program's processors"),
		look("memory", m.memory, judgeMemory, "find out with free -m how much memory is left"),
	}
	findings = append(findings, m.interfaces()...)
	for _, f := range use.Folders {
		findings = append(findings, look("disk", func() (Space, error) { return m.Space(f.Dir) },
			func(s Space) Finding { return judgeSpace(s, f) }, "give a directory that can be written with "+f.Flag).at(f.Flag+" "+f.Dir))
	}
	for _, p := range use.Ports {
		findings = append(findings, p.examine(ctx))
	}
	return findings
}

// look reads something and checks it.
func look[T any](name string, read func() (T, error), judge func(T) Finding, cure string) Finding {
	v, err := read()
	if err != nil {
		return unknown(name, err, cure)
	}
	f := judge(v)
	f.Name = name
	return f
}

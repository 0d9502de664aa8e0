package doctor

import (
	"context"
	"io/fs"
	"os"
	"time"

	"github.com/benchd/benchd/internal/certs"
)

// Machine has the functions that read a machine. This returns those of the program's own machine.
type Machine struct {
	FS    fs.FS // the root of the file system, of which /proc and /sys are read
	Clock func() (ClockStatus, error)
	Space func(dir string) (Space, error)
	Pause func(ctx context.Context, d time.Duration) error // between two readings of counters
}

// This returns the machine that the program runs on.
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
	// Certificates reads the state of the certificates; nil without some.
	Certificates func() certs.State
}

// Folder is a directory that must be writable.
type Folder struct {
	Flag string // that sets it, for the cure
	Dir  string
	// Check returns why the program would refuse the folder, for another reason than its space; nil for no such check.
	Check func() error
}

// Examine checks a machine: about ten findings in a little over a second, the time for which it observes the processors.
func (m Machine) Examine(ctx context.Context, use Use) []Finding {
	findings := []Finding{
		look("clock_sync", m.Clock, checkClock, "check on the host that its clock is synchronized, for example with chronyc tracking"),
		look("file_limit", m.fileLimit, checkFileLimit, "check with ulimit -n how many files the program may open"),
		look(nameIdle, func() (float64, error) { return m.idle(ctx) }, checkIdle, "check with top how idle the machine is"),
		look("cpu_governor", m.governors, checkGovernors, "on a virtual machine, ask the operator of its host for the governor performance"),
		look("cpu_idle_states", m.idleStates, checkIdleStates, "on a virtual machine, the host decides how deeply idle processors sleep"),
		look("cpu_quota", m.quota, checkQuota, "check whether a container limits the program's processors"),
		look("memory", m.memory, checkMemory, "check with free -m how much memory is left"),
	}
	findings = append(findings, m.interfaces()...)
	for _, f := range use.Folders {
		findings = append(findings, look("disk", func() (Space, error) { return m.Space(f.Dir) },
			func(s Space) Finding { return checkSpace(s, f) }, "set a writable directory with "+f.Flag).at(f.Flag+" "+f.Dir))
		findings = append(findings, f.examine()...)
	}
	if use.Certificates != nil {
		findings = append(findings, ExamineCertificates(use.Certificates(), today())...)
	}
	for _, p := range use.Ports {
		findings = append(findings, p.examine(ctx))
	}
	return findings
}

// examine checks whether the program would refuse the folder.
func (f Folder) examine() []Finding {
	if f.Check == nil {
		return nil
	}
	if err := f.Check(); err != nil {
		return []Finding{found("folder", "refused: %v", err).but(Bad, "let it and the folders above it belong to benchd's user alone (chmod go-w), or set another directory with "+f.Flag).at(f.Flag + " " + f.Dir)}
	}
	return []Finding{found("folder", "of this user alone").at(f.Flag + " " + f.Dir)}
}

// look reads a value and checks it.
func look[T any](name string, read func() (T, error), check func(T) Finding, cure string) Finding {
	v, err := read()
	if err != nil {
		return unknown(name, err, cure)
	}
	f := check(v)
	f.Name = name
	return f
}

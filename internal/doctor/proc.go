package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"
)

// mostRead bounds how much of a file of /proc or /sys is read.
const mostRead = 1 << 20

// text reads a file of /proc or /sys.
func (m Machine) text(name string) (string, error) {
	b, err := fs.ReadFile(m.FS, name)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err
		}
		return "", fmt.Errorf("read /%s: %w", name, err)
	}
	return string(bytes.TrimSpace(b[:min(len(b), mostRead)])), nil
}

// number reads a file that contains a number.
func (m Machine) number(name string) (int64, error) {
	s, err := m.text(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read /%s: invalid number %q", name, s)
	}
	return n, nil
}

func (m Machine) fileLimit() (uint64, error) {
	s, err := m.text("proc/self/limits")
	if err != nil {
		return 0, err
	}
	return parseFileLimit(s)
}

// parseFileLimit finds the limit of open files in /proc/PID/limits: the soft limit, which Go's runtime raises to the hard
// one.
func parseFileLimit(limits string) (uint64, error) {
	for line := range strings.Lines(limits) {
		rest, is := strings.CutPrefix(line, "Max open files")
		if !is {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			break
		}
		if fields[0] == "unlimited" {
			return math.MaxUint64, nil
		}
		n, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read /proc/self/limits: invalid number %q", fields[0])
		}
		return n, nil
	}
	return 0, errors.New("/proc/self/limits has no limit of open files")
}

// idleFor is how long processors are observed.
const idleFor = time.Second

// idle observes the processors, and returns their idle share.
func (m Machine) idle(ctx context.Context) (float64, error) {
	read := func() (idle, all uint64, err error) {
		s, err := m.text("proc/stat")
		if err != nil {
			return 0, 0, err
		}
		return parseTicks(s)
	}
	idle, all, err := read()
	if err != nil {
		return 0, err
	}
	if err := m.Pause(ctx, idleFor); err != nil {
		return 0, fmt.Errorf("observe the processors: %w", err)
	}
	idleAfter, allAfter, err := read()
	if err != nil {
		return 0, err
	}
	if allAfter <= all || idleAfter < idle {
		return 0, errors.New("the kernel's counters in /proc/stat do not advance")
	}
	return min(float64(idleAfter-idle)/float64(allAfter-all), 1), nil
}

// parseTicks adds up the time of all processors in /proc/stat, idle and total.
func parseTicks(stat string) (idle, all uint64, err error) {
	first, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(first)
	// user nice system idle iowait irq softirq steal; guest time is part of user time.
	const idleAt, waitAt, last = 4, 5, 8
	if len(fields) <= idleAt || fields[0] != "cpu" {
		return 0, 0, errors.New("/proc/stat does not begin with cpu and its counters")
	}
	for i, f := range fields[1:min(len(fields), last+1)] {
		n, err := strconv.ParseUint(f, 10, 63)
		if err != nil {
			return 0, 0, fmt.Errorf("read /proc/stat: invalid number %q", f)
		}
		if all += n; i+1 == idleAt || i+1 == waitAt {
			idle += n
		}
	}
	return idle, all, nil
}

// Memory is the memory of a machine, in bytes.
type Memory struct{ Total, Available uint64 }

func (m Machine) memory() (Memory, error) {
	s, err := m.text("proc/meminfo")
	if err != nil {
		return Memory{}, err
	}
	return parseMemory(s)
}

// parseMemory parses /proc/meminfo.
func parseMemory(meminfo string) (Memory, error) {
	var mem Memory
	for line := range strings.Lines(meminfo) {
		name, rest, _ := strings.Cut(line, ":")
		to := map[string]*uint64{"MemTotal": &mem.Total, "MemAvailable": &mem.Available}[name]
		fields := strings.Fields(rest)
		if to == nil || len(fields) == 0 {
			continue
		}
		kib, err := strconv.ParseUint(fields[0], 10, 53)
		if err != nil {
			return Memory{}, fmt.Errorf("read %s of /proc/meminfo: invalid number %q", name, fields[0])
		}
		*to = kib << 10
	}
	if mem.Total == 0 {
		return Memory{}, errors.New("/proc/meminfo has no MemTotal")
	}
	return mem, nil
}

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

const cpus = "sys/devices/system/cpu"

// governors counts the processors' frequency policies by their governor.
func (m Machine) governors() (map[string]int, error) {
	files, err := fs.Glob(m.FS, cpus+"/cpufreq/policy*/scaling_governor")
	if err != nil {
		return nil, fmt.Errorf("find governors: %w", err)
	}
	counts := make(map[string]int)
	for _, f := range files {
		name, err := m.text(f)
		if err != nil {
			return nil, err
		}
		counts[name]++
	}
	if len(counts) == 0 {
		return nil, errors.New("the kernel does not control frequencies, as in most virtual machines")
	}
	return counts, nil
}

// IdleState is a sleep state of a processor.
type IdleState struct {
	Name string
	Wake time.Duration // how long the processor takes to wake up
}

// idleStates finds the deepest enabled state of all processors.
func (m Machine) idleStates() (IdleState, error) {
	states, err := fs.Glob(m.FS, cpus+"/cpu*/cpuidle/state*/latency")
	if err != nil {
		return IdleState{}, fmt.Errorf("find idle states: %w", err)
	}
	if len(states) == 0 {
		return IdleState{}, errors.New("the kernel shows no idle states, as in most virtual machines")
	}
	var deepest IdleState
	for _, f := range states {
		dir := path.Dir(f)
		if off, err := m.number(dir + "/disable"); err == nil && off != 0 {
			continue
		}
		us, err := m.number(f)
		if err != nil {
			return IdleState{}, err
		}
		if wake := time.Duration(us) * time.Microsecond; deepest.Name == "" || wake > deepest.Wake {
			deepest.Wake = wake
			if deepest.Name, err = m.text(dir + "/name"); err != nil {
				deepest.Name = path.Base(dir)
			}
		}
	}
	return deepest, nil
}

// quota is how many processors the program's control group allows; 0 for all.
func (m Machine) quota() (float64, error) {
	s, err := m.text("sys/fs/cgroup/cpu.max")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return parseQuota(s)
}

// parseQuota parses a control group's cpu.max: the quota and the period, in microseconds.
func parseQuota(s string) (float64, error) {
	fields := strings.Fields(s)
	if len(fields) != 2 {
		return 0, fmt.Errorf("read /sys/fs/cgroup/cpu.max: invalid quota %q", s)
	}
	if fields[0] == "max" {
		return 0, nil
	}
	used, err := strconv.ParseUint(fields[0], 10, 53)
	period, err2 := strconv.ParseUint(fields[1], 10, 53)
	if err != nil || err2 != nil || used == 0 || period == 0 {
		return 0, fmt.Errorf("read /sys/fs/cgroup/cpu.max: invalid quota %q", s)
	}
	return float64(used) / float64(period), nil
}

// Interface is a network interface.
type Interface struct {
	Mbit   int64
	Duplex string // full or half; empty if it is not reported
}

// interfaces checks the network interfaces that are up and are devices, including virtual ones.
func (m Machine) interfaces() []Finding {
	const name, cure = "nic_speed", "check with ethtool, or ask the operator of the network, how fast the interface is"
	dirs, err := fs.Glob(m.FS, "sys/class/net/*")
	if err != nil || len(dirs) == 0 {
		return []Finding{unknown(name, errors.New("/sys/class/net shows no interfaces"), cure)}
	}
	var findings []Finding
	for _, dir := range dirs {
		if _, err := fs.Stat(m.FS, dir+"/device"); err != nil {
			continue // loopback, a bridge, a tunnel
		}
		if state, err := m.text(dir + "/operstate"); err == nil && state != "up" && state != "unknown" {
			continue
		}
		findings = append(findings, look(name, func() (Interface, error) { return m.network(dir) }, checkInterface, cure).at(path.Base(dir)))
	}
	if len(findings) == 0 {
		return []Finding{unknown(name, errors.New("no interface is a device that is up, as in a container"), cure)}
	}
	return findings
}

func (m Machine) network(dir string) (Interface, error) {
	mbit, err := m.number(dir + "/speed")
	if err != nil || mbit <= 0 {
		return Interface{}, errors.New("the interface does not report its speed, as in most virtual machines")
	}
	i := Interface{Mbit: mbit}
	if duplex, err := m.text(dir + "/duplex"); err == nil {
		i.Duplex = duplex
	}
	return i, nil
}

package doctor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// These checks are pure: values in, a finding out.

// ClockStatus is the state of a kernel's clock.
type ClockStatus struct {
	Synchronized bool
	MaxError     time.Duration // the kernel's estimate
}

func checkClock(s ClockStatus) Finding {
	if !s.Synchronized {
		return found("", "not synchronized").
			but(Warn, "start chronyd or systemd-timesyncd here: benchd corrects for wrong clocks, but times in logs and in the target are not comparable")
	}
	return found("", "synchronized, at most %s off", round(s.MaxError))
}

const (
	fewFiles    = 1024 // an agent with some hundred workers and connections comes close to it
	enoughFiles = 8192 // a coordinator with a thousand agents, and its archive
)

func checkFileLimit(limit uint64) Finding {
	const cure = "raise it with ulimit -n 65536, or with LimitNOFILE=65536 in the systemd unit"
	f := found("", "at most %d open files", limit)
	switch {
	case limit == math.MaxUint64:
		f.Found = "no limit"
	case limit < fewFiles:
		return f.but(Bad, cure)
	case limit < enoughFiles:
		return f.but(Warn, cure)
	}
	return f
}

const (
	// leastIdle is the share below which a run's result is marked client-bound.
	leastIdle = 0.2
	// restIdle is the idle share of a machine without other work.
	restIdle = 0.9
)

func checkIdle(share float64) Finding {
	const cure = "stop the other programs on this machine (top lists them), or use another machine"
	f := found("", "%.0f %% of the processors idle over %s", share*100, idleFor)
	switch {
	case share < leastIdle:
		return f.but(Bad, cure)
	case share < restIdle:
		return f.but(Warn, cure)
	}
	return f
}

func checkGovernors(counts map[string]int) Finding {
	names := slices.Sorted(maps.Keys(counts))
	f := found("", "%s", strings.Join(names, ", "))
	if len(names) == 1 && names[0] == "performance" {
		return f
	}
	return f.but(Warn, "set it with cpupower frequency-set -g performance: with changing frequencies, latencies depend on the load")
}

// longWake is the longest acceptable wake-up time of a processor: more is visible in the latency of an HBase read.
const longWake = 50 * time.Microsecond

func checkIdleStates(deepest IdleState) Finding {
	if deepest.Name == "" {
		return found("", "all disabled")
	}
	f := found("", "the deepest is %s, which takes %s to wake up", deepest.Name, deepest.Wake)
	if deepest.Wake > longWake {
		return f.but(Warn, "disable the deep states with cpupower idle-set -D 50: at a low rate each operation waits for a processor to wake up")
	}
	return f
}

func checkQuota(processors float64) Finding {
	if processors == 0 {
		return found("", "no limit")
	}
	return found("", "limited to %.3g processors", processors).
		but(Warn, "remove the limit (of a pod: resources.limits.cpu): a program that reaches it is stopped for the rest of the period, which looks like latency of the target")
}

const (
	littleMemory = 512 << 20 // an agent keeps up to 256 MiB of windows while its disk is full
	enoughMemory = 2 << 30
)

func checkMemory(m Memory) Finding {
	const cure = "stop the other programs on this machine, or use one with more memory"
	f := found("", "%s of %s available", bytesOf(m.Available), bytesOf(m.Total))
	switch {
	case m.Available < littleMemory:
		return f.but(Bad, cure)
	case m.Available < enoughMemory:
		return f.but(Warn, cure)
	}
	return f
}

const (
	slowMbit   = 100 // rows of 1 KB: 12 000 a second fill it
	enoughMbit = 10_000
)

func checkInterface(i Interface) Finding {
	f := found("", "%d Mbit/s", i.Mbit)
	if i.Duplex != "" && i.Duplex != "unknown" {
		f.Found += ", " + i.Duplex + " duplex"
	}
	switch {
	case i.Duplex == "half":
		return f.but(Bad, "let the interface and its switch negotiate full duplex: half duplex loses packets under load")
	case i.Mbit <= slowMbit:
		return f.but(Bad, "check why it is so slow (cable, switch port), or use a faster interface: 12 000 rows of 1 KB a second saturate it")
	case i.Mbit < enoughMbit:
		return f.but(Warn, fmt.Sprintf("stay below its limit of about %d rows of 1 KB a second, or use an interface of 10 Gbit/s", i.Mbit*1e6/8/1100/1000*1000))
	}
	return f
}

// Space is the size and the free space of a disk, in bytes.
type Space struct {
	Free, Total uint64
	Refused     error // why it cannot be written; nil if it can
}

const (
	littleSpace = 256 << 20 // spools and archives leave 64 MiB to others
	enoughSpace = 5 << 30   // a spool is bounded at 4 GiB for a shard
)

func checkSpace(s Space, folder Folder) Finding {
	cure := "free some space, or set another directory with " + folder.Flag
	f := found("", "%s of %s free", bytesOf(s.Free), bytesOf(s.Total))
	switch {
	case s.Refused != nil:
		f.Found = fmt.Sprintf("not writable: %v", s.Refused)
		return f.but(Bad, "let benchd's user write there, or set another directory with "+folder.Flag)
	case s.Free < littleSpace:
		return f.but(Bad, cure)
	case s.Free < enoughSpace:
		return f.but(Warn, cure)
	}
	return f
}

func bytesOf(n uint64) string {
	const mib, gib = 1 << 20, 1 << 30
	switch {
	case n < mib:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	case n < gib:
		return fmt.Sprintf("%.0f MiB", float64(n)/mib)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/gib)
}

// round leaves about three digits.
func round(d time.Duration) time.Duration {
	switch {
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(10 * time.Nanosecond)
}

package load

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// Config is what a Runner needs. Target, Shard, Settings, Clock and Emit are required.
type Config struct {
	Target   Target // closed by its owner, after the Runner
	Shard    plan.Shard
	Settings plan.Settings
	Clock    Clock

	// The functions below are called by one goroutine at a time, in the order in which things happened. While
	// one of them runs no window is cut.

	// Emit takes a window.
	Emit func(*latency.Window)
	// Started reports when the first operation of a phase was sent, by the agent's clock.
	Started func(phase plan.PhaseName, at int64)
	// Ended reports a phase's end, after its last window.
	Ended func(PhaseEnd)
	// Health reads how the agent's machine fared since it was last asked. The runner adds late sends and
	// backlog.
	Health func() latency.Health

	// Tap, where it is set, is called at the start of a segment, which is a phase with those that join it, and
	// returns what takes each of its samples; see [latency.Recorder.Tap]. RunTime maps done to the run's time.
	Tap func(phase plan.PhaseName, keys []latency.Key, runTime func(done int64) int64) latency.Tap

	Logger *slog.Logger

	// Gate is shared by the runners of a process. Default: one of the runner's own.
	Gate *Gate

	// LateAfter is how late an operation may be sent, although a worker was free, before it counts as a late
	// send. Default 1 ms: longer than the machine needs to wake a goroutine, shorter than what a database
	// takes.
	LateAfter time.Duration
	// FinishWithin bounds how long operations in flight at a phase's planned end may take. Default 1 min.
	FinishWithin time.Duration
	// PlainTimers has workers wait by alarm.NewPlain.
	PlainTimers bool
	// KnownIO has workers wait by alarm.NewKnown. Without it the heart of package rawio beats while a segment runs.
	KnownIO bool

	// StopWithin bounds it after a Stop or Leave. Default 2.5 s.
	StopWithin time.Duration
}

// Clock is the agent's own clock, in nanoseconds. It only goes forward.
type Clock interface{ Now() int64 }

// Defaults of a Config.
const (
	defaultLateAfter    = time.Millisecond
	defaultFinishWithin = time.Minute
	defaultStopWithin   = 2500 * time.Millisecond
	defaultInterval     = time.Second
)

func (c *Config) ensureDefaults() {
	if c.LateAfter <= 0 {
		c.LateAfter = defaultLateAfter
	}
	if c.FinishWithin <= 0 {
		c.FinishWithin = defaultFinishWithin
	}
	if c.StopWithin <= 0 {
		c.StopWithin = defaultStopWithin
	}
	if c.Settings.Interval <= 0 {
		c.Settings.Interval = defaultInterval
	}
	if c.Gate == nil {
		c.Gate = new(Gate)
	}
	if c.Started == nil {
		c.Started = func(plan.PhaseName, int64) {}
	}
	if c.Ended == nil {
		c.Ended = func(PhaseEnd) {}
	}
	if c.Health == nil {
		c.Health = func() latency.Health { return latency.Health{} }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

func (c *Config) validate() error {
	switch {
	case c.Target == nil || c.Clock == nil || c.Emit == nil:
		return errors.New("make runner: a target, a clock and a place for windows are needed")
	case c.Shard.Workers < 1:
		return fmt.Errorf("make runner: shard %d of run %s has no worker", c.Shard.Index, c.Shard.Run)
	case len(c.Shard.Phases) == 0:
		return fmt.Errorf("make runner: run %s has no phase", c.Shard.Run)
	case c.Shard.Phases[0].Joined:
		return fmt.Errorf("make runner: phase %s joins none", c.Shard.Phases[0].Name)
	}
	return nil
}

// PhaseEnd reports the end of a shard's part in a phase.
type PhaseEnd struct {
	Phase plan.PhaseName
	// At is when the last operation was done, from the phase's start; in a phase that goes over into the next
	// it is where that one begins.
	At time.Duration
	// Issued and Recorded are the phase's operations. One that was in flight when the phase went over into the
	// next was issued in the one and recorded in the other, so that only the sums over phases are the same.
	Issued, Recorded uint64
	// Windows is how many there are; their numbers are 0 to Windows-1.
	Windows int
	// Final says that the workers have joined: no phase that joins this one follows.
	Final bool
	// InsertedBelow is the key number from which on this shard has inserted nothing in a run; of a Final end alone.
	InsertedBelow int64
	// InsertedRows counts the rows that this shard has inserted in a run and that are there for certain; of a Final end alone.
	InsertedRows int64
	// Left is why the agent ended the phase of its own accord; empty when it ended as planned or was stopped.
	Left string
	// Err is why the phase is worth nothing; nil when it ended as planned, as asked, or by leaving.
	Err error
}

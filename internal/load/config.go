package load

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/trace"
)

// Config configures a Runner. Target, Shard, Settings, Clock and Emit are required.
type Config struct {
	Target   Target            // closed by its owner, after the Runner
	Targets  map[string]Target // the same, for groups of workers with one of their own
	Shard    plan.Shard
	Settings plan.Settings
	Trace    *trace.File // of Settings.Trace; closed by its owner, after the Runner
	Clock    Clock

	// The functions below are called by one goroutine at a time, in the order of the events. While one of them runs no
	// window is cut.

	// Emit receives a window.
	Emit func(*latency.Window)
	// Started reports when the first operation of a phase was sent, by the agent's clock.
	Started func(phase plan.PhaseName, at int64)
	// Ended reports a phase's end, after its last window.
	Ended func(PhaseEnd)
	// Health returns the load of the agent's machine since the last call. The runner adds late sends and backlog.
	Health func() latency.Health

	// Tap, if set, is called at the start of a segment, which is a phase with those that join it, and returns the
	// receiver of its samples; see [latency.Recorder.Tap]. RunTime maps done to the run's time.
	Tap func(phase plan.PhaseName, keys []latency.Key, runTime func(done int64) int64) latency.Tap

	Logger *slog.Logger

	// Gate is shared by the runners of a process. Default: one of the runner's own.
	Gate *Gate

	// LateAfter is how late an operation may be sent, although a worker was free, before it counts as a late send.
	// Default 1 ms: longer than the machine takes to wake a goroutine, shorter than the response time of a database.
	LateAfter time.Duration
	// FinishWithin bounds how long operations in flight at a phase's planned end may take. Default 1 min.
	FinishWithin time.Duration
	// PlainTimers has workers wait by alarm.NewPlain.
	PlainTimers bool
	// KnownIO has workers wait by alarm.NewKnown. Without it the heart of package rawio beats while a segment runs.
	KnownIO bool

	// StopWithin is that bound after a Stop or Leave. Default 2.5 s.
	StopWithin time.Duration
}

// Clock is the agent's clock, in nanoseconds. It is monotonic.
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
		return errors.New("make runner: Target, Clock and Emit are required")
	case (c.Settings.Trace != nil) != (c.Trace != nil):
		return fmt.Errorf("make runner: run %s repeats a trace, whose file is missing, or has a file without a trace", c.Shard.Run)
	case c.Shard.Workers < 1:
		return fmt.Errorf("make runner: shard %d of run %s has no worker", c.Shard.Index, c.Shard.Run)
	case len(c.Shard.Phases) == 0:
		return fmt.Errorf("make runner: run %s has no phase", c.Shard.Run)
	case c.Shard.Phases[0].Joined:
		return fmt.Errorf("make runner: the first phase, %s, joins none before it", c.Shard.Phases[0].Name)
	}
	return nil
}

// PhaseEnd reports the end of a shard's work in a phase.
type PhaseEnd struct {
	Phase plan.PhaseName
	// At is when the last operation was done, from the phase's start; in a phase that changes over to the next, it is the
	// start of the next.
	At time.Duration
	// Issued and Recorded count the phase's operations. An operation in flight at a change-over was issued in one phase
	// and recorded in the next, so that only the sums over all phases are equal.
	Issued, Recorded uint64
	// Windows is the number of windows; their numbers are 0 to Windows-1.
	Windows int
	// Final is set when the workers have joined: no phase that joins this one follows.
	Final bool
	// InsertedBelow is the key number above the last one that this shard may have inserted in a run; set in a Final end
	// only.
	InsertedBelow int64
	// InsertedRows counts the rows that this shard has certainly inserted in a run; set in a Final end only.
	InsertedRows int64
	// Left is why the agent itself ended the phase early; empty when it ended as planned or was stopped.
	Left string
	// Err is why the phase has failed; nil when it ended as planned, by a stop, or by leaving.
	Err error
}

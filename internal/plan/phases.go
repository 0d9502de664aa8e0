package plan

import (
	"time"

	"github.com/benchd/benchd/internal/pacing"
)

// Phases returns the phases of a run with these settings, in order. Duration, warm-up and pacing belong to the measure
// phase, and to the load phase only if there is no other: "load,run" at 1000 operations per second loads the table at
// full speed and then measures at that rate.
func Phases(s Settings) []Phase {
	var phases []Phase
	if s.Load {
		load := Phase{Name: Load, Loop: loop(s.PacingOf(Load)), Ops: loadOps(s), After: s.AfterLoad}
		if !s.Run {
			load.Duration = s.Duration
		}
		phases = append(phases, load)
	}
	if !s.Run {
		return phases
	}
	warmup := Phase{Name: Warmup, Loop: s.loopOf(Warmup), Duration: s.Warmup, Ops: s.WarmupOps, Until: s.WarmupUntil}
	warm := warmup.Duration > 0 || warmup.Announced()
	if warm {
		phases = append(phases, warmup)
	}
	measure := Phase{
		Name:     Measure,
		Loop:     s.loopOf(Measure),
		Duration: s.Duration,
		Ops:      s.Workload.OperationCount,
		Joined:   warm,
	}
	if warm {
		phases[len(phases)-1].Before = s.BeforeRun
	} else {
		measure.Before = s.BeforeRun
	}
	return append(phases, measure)
}

// Announced reports whether the coordinator ends the phase, because that depends on all shards together: the phase that
// joins it starts at an instant that is announced during this one. Otherwise that phase starts by itself after this one's
// Duration.
func (p Phase) Announced() bool { return p.Ops > 0 || p.Until != "" }

// PacingOf returns the pacing of a phase: a load phase that is followed by others is not paced, and neither is one that writes the
// rows of a trace.
func (s Settings) PacingOf(phase PhaseName) pacing.Config {
	if phase == Load && (s.Run || s.Pacing.Arrival == pacing.Replay) {
		return pacing.Config{Arrival: pacing.ClosedLoop}
	}
	return s.Pacing
}

func loop(c pacing.Config) Loop {
	switch c.Arrival {
	case pacing.FixedRate, pacing.Poisson, pacing.Replay:
		return Open
	case pacing.ClosedLoop:
	}
	return Closed
}

// loadOps counts the inserts of the load phase. With batches it is the minimum: each worker's last batch may be a short
// one.
func loadOps(s Settings) int64 {
	batch := max(int64(s.Workload.BatchSize), 1)
	rows := s.Workload.LoadCount()
	ops := rows / batch
	if rows%batch > 0 {
		ops++
	}
	return ops
}

// Done returns the share of the phase that is done after the given time and operations, 0 to 1, and the remaining time,
// -1 if it is unknown. Where both a time and a number of operations bound the phase, the one that is reached first
// counts. ok is false for a phase without an end.
func (p Phase) Done(elapsed time.Duration, ops uint64) (share float64, left time.Duration, ok bool) {
	left = -1
	if p.Duration > 0 {
		share = min(1, float64(elapsed)/float64(p.Duration))
		left, ok = max(0, p.Duration-elapsed), true
	}
	if p.Ops > 0 && elapsed > 0 {
		share, ok = max(share, min(1, float64(ops)/float64(p.Ops))), true
		if ops > 0 {
			byOps := time.Duration(float64(max(p.Ops-int64(ops), 0)) / float64(ops) * float64(elapsed))
			if left < 0 || byOps < left {
				left = byOps
			}
		}
	}
	return share, left, ok
}

// Endless reports whether one of the phases ends only by a cancel or a limit.
func Endless(phases []Phase) bool {
	for _, p := range phases {
		if p.Duration == 0 && p.Ops == 0 {
			return true
		}
	}
	return false
}

// Length returns the maximum length of the phases by their durations; ok is false when one of them has none.
func Length(phases []Phase) (d time.Duration, ok bool) {
	for _, p := range phases {
		if p.Duration == 0 {
			return 0, false
		}
		d += p.Duration
	}
	return d, true
}

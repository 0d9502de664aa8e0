package clock

import "time"

// Source is the clock of a process. Now only goes forward: wall time at its start, advanced by the monotonic clock.
// Wall is the wall clock, which can be set.
type Source struct {
	base  time.Time // with its monotonic reading
	start int64     // the clock at base, in Unix nanoseconds
	skew  Skew
}

// Skew distorts a Source, for tests of clocks that differ or are set. The zero Skew is the machine's clock.
type Skew struct {
	Offset time.Duration // added from the start
	Drift  float64       // relative speed: 200e-6 is 200 ppm faster
	Jumps  []Jump        // of the wall clock
}

// Jump sets the wall clock, forward or back, when its Source is After old. It affects only Wall.
type Jump struct{ After, By time.Duration }

// NewSource starts a clock.
func NewSource(skew Skew) *Source {
	base := time.Now()
	return &Source{base: base, start: base.Add(skew.Offset).UnixNano(), skew: skew}
}

// Now reads the clock in nanoseconds.
func (s *Source) Now() int64 { return s.start + s.drifted(time.Since(s.base)) }

func (s *Source) drifted(elapsed time.Duration) int64 {
	if s.skew.Drift != 0 {
		elapsed += time.Duration(float64(elapsed) * s.skew.Drift)
	}
	return int64(elapsed)
}

// Wall returns the date and time of the machine's wall clock. It changes when the clock is set, so do not compute durations
// from it.
func (s *Source) Wall() time.Time {
	now := time.Now()
	elapsed := now.Sub(s.base)
	wall := now.Round(0).Add(s.skew.Offset + time.Duration(s.drifted(elapsed)) - elapsed)
	for _, j := range s.skew.Jumps {
		if elapsed >= j.After {
			wall = wall.Add(j.By)
		}
	}
	return wall
}

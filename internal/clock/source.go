package clock

import "time"

// Source is the clock of a process. Now only goes forward: wall time at its start, advanced by the monotonic clock.
// Wall is the wall clock, which somebody may set.
type Source struct {
	base  time.Time // with its monotonic reading
	start int64     // what the clock said at base, in Unix nanoseconds
	skew  Skew
}

// Skew shifts what a Source believes, for tests of clocks that disagree or are set. The zero Skew is the machine's clock.
type Skew struct {
	Offset time.Duration // added from the start
	Drift  float64       // how much faster it goes, as a ratio: 200e-6 is 200 ppm
	Jumps  []Jump        // of the wall clock
}

// Jump is a wall clock that is set, forward or back, when its Source is After old. It moves Wall and nothing else.
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

// Wall is the date and time by the machine's wall clock. It moves when that is set, so no duration may be made of it.
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

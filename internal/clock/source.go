package clock

import "time"

// Source is a clock that only goes forward: wall time at its start, advanced by the monotonic clock.
type Source struct {
	base  time.Time // with its monotonic reading
	start int64     // what the clock said at base, in Unix nanoseconds
	skew  Skew
}

// Skew shifts what a Source believes, for tests of clocks that disagree. The zero Skew is the machine's clock.
type Skew struct {
	Offset time.Duration // added from the start
	Drift  float64       // how much faster it goes, as a ratio: 200e-6 is 200 ppm
	// Jump is added to the wall clock when the source is JumpAt old, as if somebody had set it. It moves
	// Wall and, because a Source goes by the monotonic clock, nothing else.
	Jump   time.Duration
	JumpAt time.Duration
}

// NewSource starts a clock.
func NewSource(skew Skew) *Source {
	base := time.Now()
	return &Source{base: base, start: base.Add(skew.Offset).UnixNano(), skew: skew}
}

// Now reads the clock in nanoseconds.
func (s *Source) Now() int64 {
	elapsed := int64(time.Since(s.base))
	if s.skew.Drift != 0 {
		elapsed += int64(float64(elapsed) * s.skew.Drift)
	}
	return s.start + elapsed
}

// Wall reads what a program on this machine takes for the time of day: unlike Now it jumps when the clock is
// set. Only people should read it.
func (s *Source) Wall() time.Time {
	now := s.Now()
	if s.skew.Jump != 0 && time.Since(s.base) >= s.skew.JumpAt {
		now += int64(s.skew.Jump)
	}
	return time.Unix(0, now)
}

// Until tells how long the machine must wait until the clock reads at.
func (s *Source) Until(at int64) time.Duration {
	left := at - s.Now()
	if s.skew.Drift != 0 {
		left = int64(float64(left) / (1 + s.skew.Drift))
	}
	return time.Duration(left)
}

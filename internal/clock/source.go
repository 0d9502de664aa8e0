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

// Until tells how long the machine must wait until the clock reads at.
func (s *Source) Until(at int64) time.Duration {
	left := at - s.Now()
	if s.skew.Drift != 0 {
		left = int64(float64(left) / (1 + s.skew.Drift))
	}
	return time.Duration(left)
}

package clock

import "time"

// Instant is a reading of the monotonic clock of this process. It has no date, so it can be neither stored nor shown:
// only differences between two Instants have a meaning. The zero Instant is before all others.
type Instant struct{ at time.Time }

// Mono reads the monotonic clock.
func Mono() Instant { return Instant{time.Now()} }

// Elapsed returns the time since the instant.
func (i Instant) Elapsed() time.Duration { return time.Since(i.at) }

// Sub returns the time from j to i.
func (i Instant) Sub(j Instant) time.Duration { return i.at.Sub(j.at) }

// Add returns the instant after d.
func (i Instant) Add(d time.Duration) Instant { return Instant{i.at.Add(d)} }

// Before reports whether i is before j.
func (i Instant) Before(j Instant) bool { return i.at.Before(j.at) }

// After reports whether i is after j.
func (i Instant) After(j Instant) bool { return i.at.After(j.at) }

// Compare returns a negative number if i is before j, and a positive one if it is after j.
func (i Instant) Compare(j Instant) int { return i.at.Compare(j.at) }

// IsZero reports whether i is the zero Instant.
func (i Instant) IsZero() bool { return i.at.IsZero() }

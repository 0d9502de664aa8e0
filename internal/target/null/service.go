package null

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/benchd/benchd/internal/target/null/nullspec"
)

// draw draws the service time of an operation that arrives at a time since the first one.
func draw(s *nullspec.Service, at time.Duration, rng *rand.Rand) time.Duration {
	switch s.Shape {
	case nullspec.ServiceConstant, nullspec.ServiceStall:
		return s.Time
	case nullspec.ServiceLognormal:
		return time.Duration(float64(s.Time) * math.Exp(s.Sigma*rng.NormFloat64()))
	case nullspec.ServiceBimodal:
		if rng.Float64() < s.SlowShare {
			return s.Slow
		}
		return s.Time
	case nullspec.ServiceWarming:
		cold := 1 - min(1, float64(at)/float64(s.Period))
		return s.Time + time.Duration(cold*float64(s.Slow-s.Time))
	case nullspec.ServiceNone:
	}
	return 0
}

// thaw returns when an operation that begins at from and needs service is done, if a stall in the middle of each period stops
// all operations: those being served and those that arrive. All times count from the target's first operation.
//
// The stall is in the middle, so that a measurement over whole periods contains each stall and its queue completely.
func thaw(s *nullspec.Service, from, service time.Duration) time.Duration {
	if s.Stall <= 0 || s.Period <= s.Stall {
		return from + service
	}
	left := service
	for at := from; ; {
		freeze := at.Truncate(s.Period) + (s.Period-s.Stall)/2
		switch thawed := freeze + s.Stall; {
		case at < freeze:
			if at+left <= freeze {
				return at + left
			}
			left -= freeze - at
			at = thawed
		case at < thawed:
			at = thawed
		default:
			next := freeze + s.Period
			if at+left <= next {
				return at + left
			}
			left -= next - at
			at = next + s.Stall
		}
	}
}

package pacing

import (
	"errors"
	"fmt"
	"math"
)

// PropertyError is a setting that is invalid, by itself or in combination with others.
type PropertyError struct {
	Property string // the name of the property
	Value    string
	Problem  string // the mistake
	Cure     string // the correction
}

// Error returns the property, its value, the problem and the cure.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("%s=%s %s; %s", e.Property, e.Value, e.Problem, e.Cure)
}

func wrong(property string, value any, problem, cure string) error {
	return &PropertyError{Property: property, Value: fmt.Sprint(value), Problem: problem, Cure: cure}
}

// maxRate is the rate above which intended instants would be less than a nanosecond apart.
const maxRate = 1e9

// Validate checks the configuration. It returns a joined *PropertyError for each mistake.
func (c *Config) Validate() error {
	var errs []error
	if !(c.CatchUp >= 0 && c.CatchUp <= maxRate) {
		errs = append(errs, wrong("target", c.CatchUp, "is out of range", "write operations per second, or 0 for no throttle"))
	}
	switch c.Arrival {
	case ClosedLoop, "":
		if len(c.Rate) > 0 {
			errs = append(errs, wrong("arrival", ClosedLoop, "cannot have a rate: its operations wait for each other",
				"write arrival=fixed or arrival=poisson, or remove the rate"))
		}
	case Replay:
		if c.CatchUp > 0 || len(c.Rate) > 0 {
			errs = append(errs, wrong("arrival", Replay, "has the instants of the trace, and needs neither rate nor target",
				"remove them; replay.speed changes the speed of a replay"))
		}
	case FixedRate, Poisson:
		if c.CatchUp > 0 {
			errs = append(errs, wrong("target", c.CatchUp, fmt.Sprintf("throttles a closed loop, and arrival=%s is an open one", c.Arrival),
				"remove one of them"))
		}
		errs = append(errs, c.Rate.validate())
	default:
		errs = append(errs, wrong("arrival", c.Arrival, "is unknown", "write closed, fixed or poisson"))
	}
	return errors.Join(errs...)
}

func (r Rate) validate() error {
	if len(r) == 0 {
		return wrong("rate", "", "is missing, and an open loop needs one", "write operations per second, such as rate=1000")
	}
	var area float64
	for i, p := range r {
		for _, v := range []float64{p.From, p.To} {
			if !(v >= 0 && v <= maxRate) { // NaN compares with nothing
				return wrong("rate", v, fmt.Sprintf("in piece %d is out of range", i+1), fmt.Sprintf("write 0 to %g operations per second", float64(maxRate)))
			}
		}
		if !(p.Seconds >= 0) || math.IsInf(p.Seconds, 0) || p.Seconds == 0 && i < len(r)-1 {
			return wrong("rate", p.Seconds, fmt.Sprintf("is not a valid duration in seconds for piece %d", i+1), "write a duration above 0")
		}
		if p.Seconds == 0 && p.From != p.To {
			return wrong("rate", fmt.Sprintf("%g→%g", p.From, p.To), "is a ramp without a duration", "add the duration")
		}
		area += (p.From + p.To) / 2 * p.Seconds
	}
	if r[len(r)-1].To == 0 && area == 0 {
		return wrong("rate", 0, "offers no operation at all", "write a rate above 0")
	}
	return nil
}

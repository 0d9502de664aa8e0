package pacing

import (
	"errors"
	"fmt"
	"math"
)

// PropertyError is a setting that cannot be, by itself or with the others.
type PropertyError struct {
	Property string // by the name that users know
	Value    string
	Problem  string // why not
	Cure     string // what to write instead
}

// Error names the property, its value, what is wrong with it and the cure.
func (e *PropertyError) Error() string {
	return fmt.Sprintf("%s=%s %s; %s", e.Property, e.Value, e.Problem, e.Cure)
}

func wrong(property string, value any, problem, cure string) error {
	return &PropertyError{Property: property, Value: fmt.Sprint(value), Problem: problem, Cure: cure}
}

// maxRate is where intended instants would no longer differ in their nanoseconds.
const maxRate = 1e9

// Validate checks the configuration. What is wrong is a *PropertyError each, joined.
func (c *Config) Validate() error {
	var errs []error
	if !(c.CatchUp >= 0 && c.CatchUp <= maxRate) {
		errs = append(errs, wrong("target", c.CatchUp, "is no rate", "write operations per second, or 0 for none"))
	}
	switch c.Arrival {
	case ClosedLoop, "":
		if len(c.Rate) > 0 {
			errs = append(errs, wrong("arrival", ClosedLoop, "takes no rate: its operations wait for each other",
				"write arrival=fixed or arrival=poisson, or leave out the rate"))
		}
	case FixedRate, Poisson:
		if c.CatchUp > 0 {
			errs = append(errs, wrong("target", c.CatchUp, fmt.Sprintf("throttles a closed loop, and arrival=%s is an open one", c.Arrival),
				"leave out one of them"))
		}
		errs = append(errs, c.Rate.validate())
	default:
		errs = append(errs, wrong("arrival", c.Arrival, "is not known", "write closed, fixed or poisson"))
	}
	return errors.Join(errs...)
}

func (r Rate) validate() error {
	if len(r) == 0 {
		return wrong("rate", "", "is not given, and an open loop needs one", "write operations per second, such as rate=1000")
	}
	var area float64
	for i, p := range r {
		for _, v := range []float64{p.From, p.To} {
			if !(v >= 0 && v <= maxRate) { // NaN compares with nothing
				return wrong("rate", v, fmt.Sprintf("in piece %d is no rate", i+1), fmt.Sprintf("write 0 to %g operations per second", float64(maxRate)))
			}
		}
		if !(p.Seconds >= 0) || math.IsInf(p.Seconds, 0) || p.Seconds == 0 && i < len(r)-1 {
			return wrong("rate", p.Seconds, fmt.Sprintf("is not how many seconds piece %d can last", i+1), "write a length above 0")
		}
		if p.Seconds == 0 && p.From != p.To {
			return wrong("rate", fmt.Sprintf("%g→%g", p.From, p.To), "is a ramp without a length", "write over how long it goes")
		}
		area += (p.From + p.To) / 2 * p.Seconds
	}
	if r[len(r)-1].To == 0 && area == 0 {
		return wrong("rate", 0, "offers no operation at all", "write a rate above 0")
	}
	return nil
}

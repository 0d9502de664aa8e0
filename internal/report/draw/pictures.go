package draw

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Pictures are the charts of a run. Course, Telemetry and Details share one axis of time and belong below each other.
type Pictures struct {
	Course       []book.Chart // throughput, response times, failures
	Telemetry    []book.Chart // what the servers and machines reported: the figures that explain a throughput
	Details      []book.Chart // all other figures that they reported, if they changed
	Distribution []book.Chart // percentile curve, heat maps
	Agents       []book.Chart // agent by agent
}

// keep returns the charts that have values.
func keep(charts ...book.Chart) []book.Chart {
	return slices.DeleteFunc(charts, func(c book.Chart) bool { return c.Heat == nil && !hasValues(c.Series) })
}

func hasValues(all []book.Series) bool {
	return slices.ContainsFunc(all, func(s book.Series) bool {
		return slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) })
	})
}

// number is a figure that may be missing, as a value of a series.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// mainPhase returns the phase that the figures of a run are about: the measured one, or else the last; nil if there is none.
func mainPhase(r result.Run) *result.Phase {
	for i := range r.Phases {
		if r.Phases[i].Name == string(plan.Measure) {
			return &r.Phases[i]
		}
	}
	if len(r.Phases) == 0 {
		return nil
	}
	return &r.Phases[len(r.Phases)-1]
}

// The axes that many charts have.
func rateAxis() book.Axis { return book.Axis{Title: "Throughput", Unit: "ops/s"} }

func responseAxis() book.Axis { return book.Axis{Title: "Response time", Unit: "µs", Scale: book.Log} }

func secondsAxis() book.Axis { return book.Axis{Title: "Time", Unit: "s"} }

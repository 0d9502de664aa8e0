package result

import (
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Thinner makes points of a series from the merged histograms of longer intervals: a percentile of a point is that of all its operations,
// and no mean of percentiles.
type Thinner struct{ scale scale }

// NewThinner returns a Thinner.
func NewThinner() Thinner { return Thinner{newScale(nil)} }

// Point returns the point of an interval, whose start and end are counted from the start of its phase.
func (t Thinner) Point(start, end time.Duration, tail bool, series []latency.Series) Point {
	p := Point{T: start.Seconds(), Seconds: (end - start).Seconds(), Tail: tail, Operations: make([]PointOperation, 0, len(series))}
	for i := range series {
		s := &series[i]
		n := s.Response.Count()
		if s.Key.PartOf == "" {
			p.Ops += n
		}
		o := PointOperation{
			Op: s.Key.Op, Outcome: s.Key.Outcome, PartOf: partOf(s.Key), Count: n, Mean: meanUS(s.Response), Max: microseconds(s.Response.Max()),
			P50: t.scale.p50.of(s.Response), P99: t.scale.p99.of(s.Response),
		}
		if s.Service != nil {
			o.ServiceMean = meanUS(s.Service)
		}
		p.Operations = append(p.Operations, o)
	}
	return p
}

package result

import "time"

// FirstSend is when an agent sent its first operation, by the coordinator's clock.
type FirstSend struct {
	Name        string
	At          time.Time     // as mapped to the coordinator's clock
	Uncertainty time.Duration // the truth lies within it of At
	Offset      time.Duration // of the agent's clock to the coordinator's; only told, not computed with
}

// NewStart tells how well the agents began together. The skew is the time between the first and the last
// send as measured; its uncertainty is the smallest bound that holds wherever within its own uncertainty each
// send really was: an agent that looks neither first nor last may yet have been, if its clock is known badly.
func NewStart(planned time.Time, sends []FirstSend) *Start {
	s := &Start{Planned: planned, Agents: make([]AgentStart, 0, len(sends))}
	var skew, high, low time.Duration
	for i, a := range sends {
		s.Agents = append(s.Agents, AgentStart{
			Name:          a.Name,
			LateMS:        milliseconds(a.At.Sub(planned)),
			OffsetMS:      milliseconds(a.Offset),
			UncertaintyMS: milliseconds(a.Uncertainty),
		})
		for j, b := range sends {
			if i == j {
				continue
			}
			gap, doubt := a.At.Sub(b.At), a.Uncertainty+b.Uncertainty
			skew = max(skew, gap)
			high = max(high, gap+doubt)
			low = max(low, gap-doubt)
		}
	}
	s.SkewMS = milliseconds(skew)
	s.UncertaintyMS = milliseconds(max(high-skew, skew-low))
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func microseconds(ns int64) float64 { return float64(ns) / float64(time.Microsecond) }

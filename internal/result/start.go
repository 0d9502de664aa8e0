package result

import "time"

// FirstSend is when an agent sent its first operation, by the coordinator's clock.
type FirstSend struct {
	Name        string
	At          time.Time     // as mapped to the coordinator's clock
	Uncertainty time.Duration // the true instant is within it of At
	Offset      time.Duration // of the agent's clock to the coordinator's; only reported, not used
}

// NewStart computes how closely together the agents began. The skew is the time between the first and the last send as
// measured. Its uncertainty is the smallest bound that holds for every position of each send within its own
// uncertainty: an agent with a poorly known clock may have been first or last even if it does not look so.
func NewStart(planned time.Time, sends []FirstSend) *Start {
	s := &Start{Planned: planned, Agents: make([]AgentStart, 0, len(sends))}
	var first, last, firstAtMost, lastAtLeast time.Duration // since the planned instant
	var latest, earliest two                                // that each may have been
	for i, a := range sends {
		s.Agents = append(s.Agents, AgentStart{
			Name:          a.Name,
			LateMS:        milliseconds(a.At.Sub(planned)),
			OffsetMS:      milliseconds(a.Offset),
			UncertaintyMS: milliseconds(a.Uncertainty),
		})
		at, most, least := a.At.Sub(planned), a.At.Sub(planned)+a.Uncertainty, a.At.Sub(planned)-a.Uncertainty
		if i == 0 {
			first, last, firstAtMost, lastAtLeast = at, at, most, least
		}
		first, last = min(first, at), max(last, at)
		firstAtMost, lastAtLeast = min(firstAtMost, most), max(lastAtLeast, least)
		latest.add(i, most)
		earliest.add(i, -least)
	}
	skew := last - first
	high, low := max(latest.apart(earliest), 0), max(lastAtLeast-firstAtMost, 0)
	s.SkewMS = milliseconds(skew)
	s.UncertaintyMS = milliseconds(max(high-skew, skew-low))
	return s
}

// two are the two largest of some values, and their owners.
type two struct {
	values [2]time.Duration
	whose  [2]int
	count  int
}

func (t *two) add(whose int, value time.Duration) {
	switch {
	case t.count == 0 || value > t.values[0]:
		t.values[1], t.whose[1] = t.values[0], t.whose[0]
		t.values[0], t.whose[0] = value, whose
	case t.count == 1 || value > t.values[1]:
		t.values[1], t.whose[1] = value, whose
	}
	t.count++
}

// apart is the largest sum of a value of t and a value of o with another owner; 0 if there is none.
func (t *two) apart(o two) time.Duration {
	switch {
	case t.count < 2:
		return 0
	case t.whose[0] != o.whose[0]:
		return t.values[0] + o.values[0]
	}
	return max(t.values[0]+o.values[1], t.values[1]+o.values[0])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func microseconds(ns int64) float64 { return float64(ns) / float64(time.Microsecond) }

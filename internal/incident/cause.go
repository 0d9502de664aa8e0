package incident

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/result"
)

// cause is an action, or an event that can change the throughput.
type cause struct {
	result.Event
	until   float64 // the end of an action; of an event its instant
	outcome string  // of an action
	minor   bool    // never the first cause of an incident, and does not prolong one: a flush, or the end of a compaction
}

func (c *cause) action() bool { return c.Kind == result.ByAction }

// causes are the causes of a phase by time. An action comes before events at the same instant.
func causes(p *result.Phase) []cause {
	var out []cause
	for _, a := range p.Actions {
		c := cause{Event: result.Event{T: a.T, Kind: result.ByAction, Text: a.Do}, until: a.T + a.Seconds, outcome: a.Outcome}
		if a.Outcome == "" {
			c.until = max(p.Seconds, a.T) // it had not ended
		}
		out = append(out, c)
	}
	for _, e := range p.Events {
		switch e.Kind {
		case result.HappenedServer, result.HappenedSplit, result.AgentEvent:
			out = append(out, cause{Event: e, until: e.T})
		case result.HappenedFlush: // so frequent that some coincide with any dip
			out = append(out, cause{Event: e, until: e.T, minor: true})
		case result.HappenedCompaction:
			out = append(out, cause{Event: e, until: e.T, minor: result.CompactionEnded(e)})
		}
	}
	slices.SortStableFunc(out, func(a, b cause) int { return cmp.Compare(a.T, b.T) })
	// A compaction lasts until it is reported to have ended.
	for i := range out {
		if out[i].Kind != result.HappenedCompaction || out[i].minor {
			continue
		}
		for k := i + 1; k < len(out); k++ {
			if out[k].Kind == result.HappenedCompaction {
				out[i].until = out[k].T
				break
			}
		}
	}
	return out
}

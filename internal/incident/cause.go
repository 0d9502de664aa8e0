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
	ends    bool    // it is the end of something: never the first cause of an incident
}

func (c *cause) action() bool { return c.Kind == result.ByAction }

// minor reports whether a cause is so frequent under a usual load that it is an incident only with a dip.
func (c *cause) minor() bool { return c.Kind == result.HappenedFlush }

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
		case result.HappenedServer, result.HappenedSplit, result.HappenedFlush, result.AgentEvent:
			out = append(out, cause{Event: e, until: e.T})
		case result.HappenedCompaction:
			out = append(out, cause{Event: e, until: e.T, ends: result.CompactionEnded(e)})
		}
	}
	slices.SortStableFunc(out, func(a, b cause) int { return cmp.Compare(a.T, b.T) })
	// A compaction lasts until it is reported to have ended.
	for i := range out {
		if out[i].Kind != result.HappenedCompaction || out[i].ends {
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

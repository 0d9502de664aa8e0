package capacity

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// Decide returns the next step of a search from the runs of its case, in their order. Runs that have not ended do not
// count.
func Decide(space search.Space, runs []result.Run) search.Step {
	return space.Decide(probes(space, ended(runs)))
}

// ended are the ended runs, in the order of their repeats. A cancelled run never began, or was ended by a person: it is
// not evidence, and its value is asked for again.
func ended(runs []result.Run) []result.Run {
	var out []result.Run
	for _, r := range runs {
		if r.Status.Ended() && r.Status != result.Cancelled {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b result.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	return out
}

func probes(space search.Space, runs []result.Run) []search.Probe {
	out := make([]search.Probe, len(runs))
	for i, r := range runs {
		out[i] = Probe(space, r)
	}
	return out
}

// Of makes the document of a search from the runs of its case. It may be called while the search is in progress.
func Of(space search.Space, runs []result.Run) result.Capacity {
	space = space.WithDefaults()
	runs = ended(runs)
	made := probes(space, runs)
	step := space.Decide(made)
	c := result.Capacity{Search: space, Answer: step.Answer, Probes: make([]result.CapacityProbe, len(runs)), Seconds: elapsed(runs)}
	for i, r := range runs {
		c.Probes[i] = result.CapacityProbe{Run: r.ID, Probe: made[i], Purpose: step.Purposes[i], Seconds: seconds(r)}
		addLatency(&c.Probes[i], space.Keep, r)
	}
	if len(c.Confirmations) > 0 {
		values := make([]float64, len(c.Confirmations))
		for i, at := range c.Confirmations {
			values[i] = made[at].Throughput
		}
		spread := stats.Repeats(values)
		c.Throughput = &spread
	}
	c.Text = sentence(c)
	return c
}

// Confirming are the runs of a search whose figures are those of the case: the confirmation runs that were kept.
func Confirming(c result.Capacity) []string {
	var ids []string
	for _, i := range c.Confirmations {
		if c.Probes[i].Outcome == search.Kept {
			ids = append(ids, c.Probes[i].Run)
		}
	}
	return ids
}

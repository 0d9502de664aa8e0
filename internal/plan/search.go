package plan

import (
	"maps"
	"math"
	"strconv"

	"github.com/benchd/benchd/internal/search"
)

// Searches reports whether a case of the suite is a search.
func (s Suite) Searches() bool {
	for _, c := range s.Cases {
		if c.Search != nil {
			return true
		}
	}
	return false
}

// ProbeProperties returns the properties of a probe: those of its case, with one value of the setting that the search varies.
func ProbeProperties(properties map[string]string, vary search.Vary, value float64) map[string]string {
	probe := maps.Clone(properties)
	name := "rate"
	if vary == search.Threads {
		name = "threads.total"
	}
	probe[name] = strconv.FormatFloat(value, 'f', -1, 64)
	return probe
}

// imagined is how many systems ExpectedProbes imagines.
const imagined = 9

// ExpectedProbes returns how many probes a search makes on average over systems without noise, whose limits are spread
// evenly, on a logarithmic scale, between the bounds of the search.
func ExpectedProbes(s search.Space) int {
	sum := 0
	for i := range imagined {
		limit := s.From * math.Pow(s.To/s.From, (float64(i)+0.5)/imagined)
		var probes []search.Probe
		for step := s.Decide(probes); !step.Done; step = s.Decide(probes) {
			p := search.Probe{Value: step.Next, Outcome: search.Kept, Throughput: min(step.Next, limit)}
			if s.Vary == search.Rate && step.Next > limit {
				p.Outcome = search.Missed
			}
			probes = append(probes, p)
		}
		sum += len(probes)
	}
	return int(math.Round(float64(sum) / imagined))
}

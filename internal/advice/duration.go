package advice

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/stats"
)

// Duration is how long a run of a case takes, including its setup.
type Duration struct {
	Seconds float64 `json:"seconds"`
	Basis   string  `json:"basis"`
	Runs    int     `json:"runs"` // that it rests on; 0 for a plan
}

// Bases of a Duration.
const (
	ByRuns       = "earlier runs" // of the same length
	ByThroughput = "throughput"   // of earlier runs of another length
	ByPlan       = "plan"         // the duration of its phases, or a rate
)

// durationOf is the median length of earlier runs of a case, or follows from their throughput, or from its plan; nil if
// all are unknown. gap is the time between two runs.
func durationOf(c Case, same []Earlier, gap float64) *Duration {
	var took, besides []float64
	for _, e := range same {
		seconds := e.Ended.Sub(e.Started).Seconds()
		if e.Identity.Length == c.Identity.Length {
			took = append(took, seconds+gap)
		}
		besides = append(besides, max(seconds-inPhases(e), 0)+gap)
	}
	if len(took) > 0 {
		return &Duration{Seconds: rounded(stats.Median(took)), Basis: ByRuns, Runs: len(took)}
	}
	if len(same) > 0 {
		if seconds, ok := byThroughput(c, same); ok {
			return &Duration{Seconds: rounded(seconds + stats.Median(besides)), Basis: ByThroughput, Runs: len(same)}
		}
	}
	if c.Seconds > 0 {
		return &Duration{Seconds: c.Seconds, Basis: ByPlan}
	}
	return nil
}

// inPhases is how long the phases of a run took together.
func inPhases(e Earlier) (seconds float64) {
	for _, p := range e.Result.Phases {
		seconds += p.Seconds
	}
	return seconds
}

// byThroughput is the length of the phases of a case at the throughput of earlier ones, which their duration bounds.
func byThroughput(c Case, same []Earlier) (float64, bool) {
	total := 0.0
	for _, p := range plan.Phases(c.Settings) {
		seconds := math.Inf(1)
		if p.Duration > 0 {
			seconds = p.Duration.Seconds()
		}
		if rate := throughputOf(string(p.Name), same); p.Ops > 0 && rate > 0 {
			seconds = min(seconds, float64(p.Ops)/rate)
		}
		total += seconds
	}
	return total, !math.IsInf(total, 1)
}

// throughputOf is the median throughput of a phase in earlier runs; 0 if none has it.
func throughputOf(phase string, same []Earlier) float64 {
	var rates []float64
	for _, e := range same {
		for _, p := range e.Result.Phases {
			if p.Name == phase && p.Throughput > 0 {
				rates = append(rates, p.Throughput)
			}
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return stats.Median(rates)
}

// gaps is the median time between the end of a run and the start of the next one of its suite: its setup.
func gaps(earlier []Earlier) float64 {
	bySuite := make(map[string][]Earlier)
	for _, e := range earlier {
		bySuite[e.Suite] = append(bySuite[e.Suite], e)
	}
	var between []float64
	for _, runs := range bySuite {
		slices.SortFunc(runs, func(a, b Earlier) int { return a.Started.Compare(b.Started) })
		for i := 1; i < len(runs); i++ {
			if gap := runs[i].Started.Sub(runs[i-1].Ended).Seconds(); gap >= 0 {
				between = append(between, gap)
			}
		}
	}
	if len(between) == 0 {
		return 0
	}
	return stats.Median(between)
}

func rounded(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

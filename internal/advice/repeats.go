package advice

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/stats"
)

// Repeats is how many repeats of each side show an effect in a figure.
type Repeats struct {
	Figure    string  `json:"figure"`
	Deviation float64 `json:"deviation"` // between repeats of a suite, as a share
	// N is how many repeats each side needs at this deviation; 0: more than MostRepeats. Low and High are those at the ends of
	// the 80 % interval of the deviation, which few runs leave wide.
	N    int `json:"repeats"`
	Low  int `json:"repeats_low"`
	High int `json:"repeats_high"`
}

// LeastRuns is how many repeats a deviation needs.
const LeastRuns = 4

// MostRepeats is the greatest number of repeats that is recommended.
const MostRepeats = 100

// repeatsOf returns the repeats that each usual figure of a case needs, and how many runs that rests on.
func repeatsOf(c Case, same []Earlier) (out []Repeats, runs int) {
	out = []Repeats{}
	bySuite := make(map[string][]Earlier)
	for _, e := range same {
		if e.Identity.Length == c.Identity.Length {
			key := e.Suite + "\n" + e.Result.Case
			bySuite[key] = append(bySuite[key], e)
		}
	}
	names := make(map[string]bool)
	for key, repeats := range bySuite {
		if len(repeats) < 2 {
			delete(bySuite, key)
			continue
		}
		runs += len(repeats)
		for _, e := range repeats {
			for name := range e.Figures {
				names[name] = names[name] || usual(name)
			}
		}
	}
	if runs < LeastRuns {
		return out, runs
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !names[name] {
			continue
		}
		var samples [][]float64
		for _, key := range slices.Sorted(maps.Keys(bySuite)) {
			var values []float64
			for _, e := range bySuite[key] {
				if v := e.Figures[name]; v > 0 {
					values = append(values, math.Log(v))
				}
			}
			samples = append(samples, values)
		}
		if d, ok := stats.PooledDeviation(samples); ok && d.N >= LeastRuns {
			out = append(out, Repeats{Figure: name, Deviation: math.Expm1(d.Value), N: needed(d.Value), Low: needed(d.Low), High: needed(d.High)})
		}
	}
	return out, runs
}

// needed is how many repeats of each side a deviation needs; 0 for more than MostRepeats.
func needed(deviation float64) int {
	if n := stats.RepeatsFor(Effect, deviation); n <= MostRepeats {
		return n
	}
	return 0
}

// usual reports whether a figure is one that compare compares by default and people plan for: throughput, p50 and p99.
func usual(name string) bool {
	return name == "throughput_ops" || !strings.Contains(name, "_service_") && (strings.HasSuffix(name, "_p50_us") || strings.HasSuffix(name, "_p99_us"))
}

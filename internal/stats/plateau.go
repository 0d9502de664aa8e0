package stats

import (
	"fmt"
	"slices"
)

// leastRise is the relative difference of two levels' throughput that is worth naming.
const leastRise = 0.05

// MostNoise is the largest noise with which a plateau can be found: above it, nearly everything would be level.
const MostNoise = 0.25

// Plateau is the part of a throughput over the concurrency in which more concurrency gains nothing.
type Plateau struct {
	// From is the lowest level that no higher one exceeds by more than Rise, and To the highest level whose throughput is
	// not lower than the highest by more than Rise.
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Low and High are the lowest and the highest mean throughput of the levels from From to To.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Falls is set if the levels above To have a throughput that is lower than High by more than Rise.
	Falls bool    `json:"falls"`
	Rise  float64 `json:"rise"` // the relative difference that counts: 0.05, or the noise if that is larger
	// Noise is the median, over the levels with several runs, of the relative distance between the highest and the lowest
	// run; null if no level has several.
	Noise *float64 `json:"noise"`
	Test  string   `json:"test"`
}

// FindPlateau finds the plateau of levels. It reports false if there are fewer than LeastLevels different ones, and if
// the throughput still rises at the highest level: there is then no level from which on more concurrency gains nothing.
// Neither is there one if the noise, which is then in the answer, is above MostNoise.
func FindPlateau(levels []Level) (Plateau, bool) {
	levels = ordered(levels)
	if len(levels) < LeastLevels || slices.ContainsFunc(levels, func(l Level) bool { return l.mean() <= 0 }) {
		return Plateau{}, false
	}
	p := Plateau{Rise: leastRise, Noise: noise(levels)}
	if p.Noise != nil {
		p.Rise = max(p.Rise, *p.Noise)
		if *p.Noise > MostNoise {
			return p, false
		}
	}
	p.Test = fmt.Sprintf("the lowest of %d levels that no higher one exceeds by more than %.1f %%: the larger of %.0f %% and the median range of a level's runs",
		len(levels), 100*p.Rise, 100*leastRise)
	from := slices.IndexFunc(levels, func(l Level) bool {
		return !slices.ContainsFunc(levels, func(higher Level) bool { return higher.N > l.N && higher.mean() > l.mean()*(1+p.Rise) })
	})
	if from == len(levels)-1 {
		return Plateau{}, false
	}
	highest := 0.0
	for _, l := range levels[from:] {
		highest = max(highest, l.mean())
	}
	p.From, p.To, p.Low, p.High = levels[from].N, levels[from].N, levels[from].mean(), highest
	for _, l := range levels[from:] {
		if l.mean() >= highest*(1-p.Rise) {
			p.To = l.N
		}
	}
	for _, l := range levels[from:] {
		if l.N <= p.To {
			p.Low = min(p.Low, l.mean())
		} else {
			p.Falls = true
		}
	}
	return p, true
}

// noise is the median range of the runs of a level, relative to their mean; nil if no level has several runs.
func noise(levels []Level) *float64 {
	var ranges []float64
	for _, l := range levels {
		if len(l.Throughput) > 1 {
			ranges = append(ranges, (slices.Max(l.Throughput)-slices.Min(l.Throughput))/l.mean())
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	middle := Median(ranges)
	return &middle
}

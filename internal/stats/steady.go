package stats

import (
	"fmt"
	"math"
	"slices"
)

// SteadyOver is how many of the latest intervals Steady examines.
const SteadyOver = 20

const (
	trendAlpha  = 0.05 // p-values below it count as a trend
	levelShift  = 0.05 // the largest difference of the halves' medians that still counts as steady
	steadyRules = "Mann-Kendall over the last %d intervals finds no trend (p ≥ %.2f, two-sided), and the medians of their halves differ by at most %.0f %%"
)

// SteadyTest describes the test that Steady makes.
func SteadyTest() string { return fmt.Sprintf(steadyRules, SteadyOver, trendAlpha, 100*levelShift) }

// Steady tests whether a series, such as the throughput of consecutive intervals, is steady at its end, and returns the
// reason. A series with too few intervals is not steady.
func Steady(series []float64) (steady bool, because string) {
	if len(series) < SteadyOver {
		return false, fmt.Sprintf("%d of %d intervals", len(series), SteadyOver)
	}
	last := series[len(series)-SteadyOver:]
	early, late := Median(last[:SteadyOver/2]), Median(last[SteadyOver/2:])
	shift := 0.0
	if base := math.Max(math.Abs(early), math.Abs(late)); base > 0 {
		shift = math.Abs(late-early) / base
	}
	p := trend(last)
	because = fmt.Sprintf("trend p = %.3f, medians of the halves %.1f %% apart", p, 100*shift)
	return p >= trendAlpha && shift <= levelShift, because
}

// trend is the two-sided p-value of the Mann-Kendall test for a trend, by the normal approximation with its correction
// for ties, which is accurate enough from ten values on.
func trend(x []float64) float64 {
	n := len(x)
	score := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			switch {
			case x[j] > x[i]:
				score++
			case x[j] < x[i]:
				score--
			}
		}
	}
	variance := spread(n)
	for _, t := range ties(x) {
		variance -= spread(t)
	}
	if variance <= 0 {
		return 1 // all values are equal
	}
	z := 0.0
	switch {
	case score > 0:
		z = float64(score-1) / math.Sqrt(variance)
	case score < 0:
		z = float64(score+1) / math.Sqrt(variance)
	}
	return math.Erfc(math.Abs(z) / math.Sqrt2)
}

// spread is the variance of the score of n values without a trend.
func spread(n int) float64 { return float64(n*(n-1)*(2*n+5)) / 18 }

// ties counts the occurrences of each value that occurs more than once.
func ties(x []float64) []int {
	sorted := slices.Sorted(slices.Values(x))
	var out []int
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		if j-i > 1 {
			out = append(out, j-i)
		}
		i = j
	}
	return out
}

// Median is the middle value, or the mean of the two middle values.
func Median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

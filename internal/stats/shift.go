package stats

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
)

// Shift is by which factor a figure differs between two samples of independent runs.
type Shift struct {
	// Ratio estimates the factor: the median of the ratios of all pairs of a value of the second and one of the first sample
	// (Hodges and Lehmann).
	Ratio float64 `json:"ratio"`
	// Low and High bound it. They are the values for which a two-sided Mann-Whitney test does not reject, so they assume no
	// distribution.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	P    float64 `json:"p"` // of that test, for no difference
}

// LeastRepeats is how many values each sample needs: with fewer, no difference whatsoever reaches 95 %.
const LeastRepeats = 4

// RatioOf estimates by which factor the values of b exceed those of a, with a confidence such as 0.95. It reports false
// where a sample has fewer than LeastRepeats values, where that confidence cannot be had from so few, or where a value is
// not positive.
func RatioOf(a, b []float64, confidence float64) (Shift, bool) {
	if min(len(a), len(b)) < LeastRepeats || slices.Min(a) <= 0 || slices.Min(b) <= 0 {
		return Shift{}, false
	}
	above := 0.0 // pairs in which b is greater; a tie counts half
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				above++
			case y == x:
				above += 0.5
			}
		}
	}
	ratios := sortedRatios(a, b)
	low, high, ok := rankBounds(ratios, len(a), len(b), confidence)
	if !ok {
		return Shift{}, false
	}
	u := stats.UDist{N1: len(a), N2: len(b)}
	return Shift{
		Ratio: Median(ratios),
		Low:   low,
		High:  high,
		P:     min(1, 2*u.CDF(math.Floor(min(above, float64(len(ratios))-above)))),
	}, true
}

// sortedRatios are the ratios of all pairs of a value of b and one of a.
func sortedRatios(a, b []float64) []float64 {
	ratios := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			ratios = append(ratios, y/x)
		}
	}
	slices.Sort(ratios)
	return ratios
}

// rankBounds are those of the sorted ratios of two samples that bound the factor between these with a confidence. It reports false
// where the samples are too small for it.
func rankBounds(ratios []float64, a, b int, confidence float64) (low, high float64, ok bool) {
	u := stats.UDist{N1: a, N2: b}
	tooMany := sort.Search(len(ratios)/2, func(outside int) bool { return 2*u.CDF(float64(outside)) > 1-confidence })
	if tooMany == 0 {
		return 0, 0, false
	}
	outside := tooMany - 1 // so many ratios are left out at each end
	return ratios[outside], ratios[len(ratios)-1-outside], true
}

package keyspace

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// surprise is the maximum deviation of a sample in standard deviations. Seeds are fixed, so that the results of the tests
// are reproducible.
const surprise = 3.5

// requireChiSquare requires that the counts fit the probabilities, by Pearson's statistic with the normal approximation of
// Wilson and Hilferty. Neighbouring classes are joined until each expects at least ten.
func requireChiSquare(t *testing.T, counts []int64, probability []float64) {
	t.Helper()
	require.Len(t, probability, len(counts))
	var total, sum float64
	for _, n := range counts {
		total += float64(n)
	}
	for _, p := range probability {
		sum += p
	}
	require.InDelta(t, 1, sum, 1e-6, "the probabilities of the test's own mathematics")

	var chi, observed, expected float64
	freedom := -1.0
	for i, n := range counts {
		observed += float64(n)
		expected += probability[i] * total
		if expected >= 10 || i == len(counts)-1 && expected > 0 {
			chi += (observed - expected) * (observed - expected) / expected
			freedom++
			observed, expected = 0, 0
		}
	}
	require.Zero(t, observed, "draws where none can be")
	require.Positive(t, freedom)
	part := 2 / (9 * freedom)
	z := (math.Cbrt(chi/freedom) - (1 - part)) / math.Sqrt(part)
	require.Less(t, math.Abs(z), surprise, "χ² %.1f with %v degrees of freedom", chi, freedom)
}

// requireKolmogorovSmirnov requires that the sample fits the distribution function.
func requireKolmogorovSmirnov(t *testing.T, sample []float64, below func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	var distance float64
	for i, x := range sample {
		p := below(x)
		distance = max(distance, math.Abs(p-float64(i)/n), math.Abs(float64(i+1)/n-p))
	}
	const critical = 1.95 // of 0.1 %
	require.Less(t, distance*math.Sqrt(n), critical)
}

// count draws numbers and counts each of them, from 0 on.
func count(t *testing.T, size int64, draw func() int64) []int64 {
	t.Helper()
	counts := make([]int64, size)
	for range draws {
		n := draw()
		if n < 0 || n >= size {
			require.Failf(t, "out of range", "drew %d of 0 … %d", n, size-1)
		}
		counts[n]++
	}
	return counts
}

// zipfianProbability returns the probability of each of n items by the method of Gray et al.: the part of [0, 1) that its
// formula, solved for u, maps to the item.
func zipfianProbability(n int64, zetan float64) []float64 {
	const skew = 0.99
	zeta2 := 1 + math.Pow(0.5, skew)
	eta := (1 - math.Pow(2/float64(n), 1-skew)) / (1 - zeta2/zetan)
	begin := func(k int64) float64 { // of the formula's part for item k
		u := (math.Pow(float64(k)/float64(n), 1-skew) - 1 + eta) / eta
		return max(u, zeta2/zetan)
	}
	p := make([]float64, n)
	p[0] = 1 / zetan
	if n > 1 {
		p[1] = (zeta2 - 1) / zetan
	}
	for k := range n {
		if end := begin(k + 1); end > begin(k) {
			p[k] += end - begin(k)
		}
	}
	return p
}

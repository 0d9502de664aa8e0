package compare

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/benchd/benchd/internal/result"
)

// Repeats is how the values of a figure over the repeats of a case lie. There is at least one.
func Repeats(values []float64) result.Spread {
	n := float64(len(values))
	var sum float64
	for _, v := range values {
		sum += v
	}
	mean := sum / n
	s := result.Spread{N: len(values), Mean: &mean, Min: slices.Min(values), Max: slices.Max(values)}
	if len(values) < 2 {
		return s
	}
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	deviation := math.Sqrt(squares / (n - 1))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * deviation / math.Sqrt(n)
	low, high := mean-half, mean+half
	s.StdDev, s.Low, s.High = &deviation, &low, &high
	return s
}

// Percentiles is how a percentile of several runs lies: their median, least and greatest. Percentiles have no mean (law
// 1), and with few repeats nothing honest can be said of how far the median may be off.
func Percentiles(values []float64) result.Spread {
	middle := median(values)
	return result.Spread{N: len(values), Median: &middle, Min: slices.Min(values), Max: slices.Max(values)}
}

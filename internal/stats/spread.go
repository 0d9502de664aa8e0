package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Spread summarizes values: the mean or, for percentiles, the median, and their dispersion.
type Spread struct {
	N      int      `json:"n"`
	Mean   *float64 `json:"mean,omitempty"`
	Median *float64 `json:"median,omitempty"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
	StdDev *float64 `json:"stddev,omitempty"` // of the sample; from two values on
	// Low and High bound the mean with 95 % confidence by Student's t; from two values on. They assume that the values
	// are drawn independently from one normal distribution.
	Low  *float64 `json:"ci95_low,omitempty"`
	High *float64 `json:"ci95_high,omitempty"`
	// Interval bounds the median with at least 95 % confidence, and assumes no distribution; from LeastForMedian values on.
	Interval *MedianInterval `json:"median_interval,omitempty"`
}

const repeatsConfidence = 0.95

// Repeats summarizes the values of a figure over the repeats of a case. There must be at least one.
func Repeats(values []float64) Spread {
	n := float64(len(values))
	var sum float64
	for _, v := range values {
		sum += v
	}
	mean := sum / n
	s := Spread{N: len(values), Mean: &mean, Min: slices.Min(values), Max: slices.Max(values), Interval: MedianOf(values, repeatsConfidence)}
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

// Percentiles summarizes a percentile of several runs: their median, minimum and maximum. Percentiles have no mean (law
// 1).
func Percentiles(values []float64) Spread {
	middle := Median(values)
	return Spread{
		N: len(values), Median: &middle, Min: slices.Min(values), Max: slices.Max(values), Interval: MedianOf(values, repeatsConfidence),
	}
}

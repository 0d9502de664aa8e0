package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// RepeatsPower is the probability with which RepeatsFor's number shows an effect.
const RepeatsPower = 0.80

// RepeatsFor returns how many values each of two samples needs so that RatioOf's interval of 95 % leaves out 1 with the
// probability RepeatsPower, if their true factor is 1 + effect and the values' logarithms are normal with a standard
// deviation. It is LeastRepeats at least.
//
// Small samples use shifts found by simulation, in units of the standard deviation (see shiftsFound). Larger ones use the
// normal approximation of the Mann-Whitney test, whose efficiency against Student's t is 3/π for normal values.
func RepeatsFor(effect, deviation float64) int {
	shift := math.Log1p(effect)
	for n, found := range shiftsFound() {
		if deviation*found <= shift {
			return LeastRepeats + n
		}
	}
	z := distuv.UnitNormal.Quantile(0.975) + distuv.UnitNormal.Quantile(RepeatsPower)
	ratio := z * deviation / shift
	const discrete = 1.3 // the intervals of a rank test are somewhat wider
	return max(int(math.Ceil(2*ratio*ratio*math.Pi/3+discrete)), LeastRepeats+len(shiftsFound()))
}

// shiftsFound are the least shifts, in standard deviations, that the test finds with the probability RepeatsPower in two samples of
// LeastRepeats values, of one more, and so on: quantiles over 100 000 and more simulated comparisons each, rounded up.
func shiftsFound() []float64 {
	return []float64{
		2.885, 2.320, 1.935, 1.775, 1.560, 1.510, 1.405, 1.310, 1.260,
		1.210, 1.135, 1.110, 1.070, 1.025, 1.005, 0.965, 0.940, 0.915,
		0.895, 0.875, 0.855, 0.835, 0.820, 0.810, 0.790, 0.775, 0.760,
	}
}

// Deviation is the standard deviation of values around the means of their samples.
type Deviation struct {
	Value     float64
	Low, High float64 // its interval of 80 % by the χ² distribution, for normal values
	N         int     // values
}

// PooledDeviation returns the common standard deviation of several samples, whose means may differ. It reports false if no
// sample has two values.
func PooledDeviation(samples [][]float64) (d Deviation, ok bool) {
	var squares float64
	freedom := 0
	for _, values := range samples {
		if len(values) < 2 {
			continue
		}
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		freedom += len(values) - 1
		d.N += len(values)
	}
	if freedom == 0 {
		return d, false
	}
	chi := distuv.ChiSquared{K: float64(freedom)}
	d.Value = math.Sqrt(squares / float64(freedom))
	d.Low, d.High = math.Sqrt(squares/chi.Quantile(0.9)), math.Sqrt(squares/chi.Quantile(0.1))
	return d, true
}

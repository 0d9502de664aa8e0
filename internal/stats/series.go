package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// SeriesMethod names how the intervals of MeanOfSeries and DriftOfSeries are computed.
const SeriesMethod = "Student's t with the long-run variance of an autoregressive model (Burg, order by AICc)"

// What the interval of a series needs. With less, the model misses the slow changes of the series, and the interval is
// too narrow.
const (
	LeastWindows   = 100 // in a series
	LeastEffective = 14  // independent windows with as precise a mean
)

// Mean is the mean of the series of one run, such as the throughput of its windows.
type Mean struct {
	Value float64
	// Low and High bound the mean that an endless run would have. Consecutive windows are not independent, which the
	// interval allows for.
	Low, High float64
	N         int     // windows
	Effective float64 // the number of independent windows whose mean is as precise
}

// Half is half of the interval's length as a share of the mean.
func (m Mean) Half() float64 { return (m.High - m.Low) / 2 / math.Abs(m.Value) }

// Drift is the change of a series along a straight line from its first to its last window.
type Drift struct {
	Change    float64 // from the beginning to the end, in the unit of the series
	Low, High float64 // bound it
	Start     float64 // where the line begins
	N         int
	Effective float64
}

// TooShortError reports that a series does not support an interval.
type TooShortError struct {
	N         int
	Effective float64 // 0 where N alone is too small, or the series has no stable level
}

func (e *TooShortError) Error() string {
	switch {
	case e.N < LeastWindows:
		return fmt.Sprintf("series too short: %d windows, %d needed", e.N, LeastWindows)
	case e.Effective == 0:
		return fmt.Sprintf("series too short: %d windows do not vary around one level", e.N)
	}
	return fmt.Sprintf("series too short: its %d windows depend on each other and are worth %.1f independent ones, %d needed",
		e.N, e.Effective, LeastEffective)
}

// MeanOfSeries estimates the mean of a stationary series with a confidence such as 0.95. The error is a *TooShortError.
func MeanOfSeries(values []float64, confidence float64) (Mean, error) {
	if len(values) < LeastWindows {
		return Mean{}, &TooShortError{N: len(values)}
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	m := Mean{Value: sum / float64(len(values)), N: len(values)}
	residuals := make([]float64, len(values))
	for i, v := range values {
		residuals[i] = v - m.Value
	}
	e, err := deviationOf(residuals, 1, m.Value)
	if err != nil {
		return Mean{}, err
	}
	half := e.half(confidence, 1/float64(m.N))
	m.Low, m.High, m.Effective = m.Value-half, m.Value+half, e.effective
	return m, nil
}

// DriftOfSeries estimates by how much a series changes from its beginning to its end, on a straight line of least
// squares, with a confidence such as 0.95. The error is a *TooShortError.
func DriftOfSeries(values []float64, confidence float64) (Drift, error) {
	n := len(values)
	if n < LeastWindows {
		return Drift{}, &TooShortError{N: n}
	}
	middle := float64(n-1) / 2
	var sum, product, squares float64
	for i, v := range values {
		t := float64(i) - middle
		sum += v
		product += t * v
		squares += t * t
	}
	mean, slope := sum/float64(n), product/squares
	residuals := make([]float64, n)
	for i, v := range values {
		residuals[i] = v - mean - slope*(float64(i)-middle)
	}
	e, err := deviationOf(residuals, 2, mean)
	if err != nil {
		return Drift{}, err
	}
	length := float64(n - 1)
	d := Drift{Change: slope * length, Start: mean - slope*middle, N: n, Effective: e.effective}
	half := e.half(confidence, length*length/squares)
	d.Low, d.High = d.Change-half, d.Change+half
	return d, nil
}

// deviation is how much a coefficient of a regression on a series can differ by chance.
type deviation struct {
	longRun
	effective float64
}

// half is half of the interval of a coefficient, whose variance is scale times that of independent values.
func (d deviation) half(confidence, scale float64) float64 {
	if d.variance == 0 {
		return 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: d.freedom}
	return t.Quantile((1+confidence)/2) * math.Sqrt(d.variance/d.bias*scale)
}

// deviationOf is that of a regression with so many coefficients, from its residuals.
func deviationOf(residuals []float64, coefficients int, level float64) (deviation, error) {
	n := float64(len(residuals))
	power := meanSquare(residuals)
	if math.Sqrt(power) <= leastNoise*math.Abs(level) {
		return deviation{effective: n}, nil // all values are on the line
	}
	run, ok := autoregress(residuals, coefficients).longRun()
	if !ok {
		return deviation{}, &TooShortError{N: len(residuals)}
	}
	effective := n * power / run.variance
	if effective < LeastEffective {
		return deviation{}, &TooShortError{N: len(residuals), Effective: effective}
	}
	return deviation{longRun: run, effective: effective}, nil
}

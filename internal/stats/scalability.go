package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Level is the throughput at one level of concurrency, such as a number of threads, over the runs there.
type Level struct {
	N          float64
	Throughput []float64 // of each run; at least one
}

// mean is the mean throughput.
func (l Level) mean() float64 { return *Repeats(l.Throughput).Mean }

// The rules of Scalability.
const (
	LeastLevels  = 5    // levels that a fit or a plateau needs
	mostResidual = 0.05 // relative RMS of a curve that fits
	mostOff      = 0.10 // the largest relative distance of a level from a curve that fits
)

// Scalability is the Universal Scalability Law fitted to a throughput over the concurrency:
//
//	X(N) = λN / (1 + σ(N−1) + κN(N−1))
//
// σ is the share of the work that does not run in parallel, κ the cost of keeping each pair of workers consistent.
type Scalability struct {
	Lambda float64 `json:"lambda"` // throughput of one worker
	Sigma  float64 `json:"sigma"`
	Kappa  float64 `json:"kappa"`
	// Residual is the root mean square of the relative distances of the levels from the curve, Worst the largest of them at
	// the level WorstAt.
	Residual float64 `json:"residual"`
	Worst    float64 `json:"worst"`
	WorstAt  float64 `json:"worst_at"`
	R2       float64 `json:"r2"` // share of the variance of throughput that the curve explains
	Fits     bool    `json:"fits"`
	Because  string  `json:"because"` // why it fits or does not
	// Peak is the concurrency with the highest throughput of the curve, √((1−σ)/κ), and Highest its throughput. Both are
	// null if the curve does not fit, or if its peak is beyond the measured levels.
	Peak    *float64 `json:"peak"`
	Highest *float64 `json:"highest"`
}

// At is the throughput of the curve at a concurrency.
func (s Scalability) At(n float64) float64 {
	return s.Lambda * n / (1 + s.Sigma*(n-1) + s.Kappa*n*(n-1))
}

// ScalabilityTest describes the rule by which a curve fits.
func ScalabilityTest() string {
	return fmt.Sprintf("least squares of relative errors over at least %d levels; it fits if their root mean square is at most %.0f %% and none is above %.0f %%",
		LeastLevels, 100*mostResidual, 100*mostOff)
}

// FitScalability fits the Universal Scalability Law to levels by least squares of the relative errors. It reports false
// for fewer than LeastLevels different levels, or if one has no throughput.
func FitScalability(levels []Level) (Scalability, bool) {
	levels = ordered(levels)
	if len(levels) < LeastLevels || slices.ContainsFunc(levels, func(l Level) bool { return l.N <= 0 || l.mean() <= 0 }) {
		return Scalability{}, false
	}
	best := Scalability{Residual: math.Inf(1)}
	// N/X = a + b(N−1) + cN(N−1) is linear. Negative b and c have no meaning: the best of the curves with one or both at 0 is
	// then the answer. A term that improves nothing is rounding.
	for _, with := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		if s, ok := fitTerms(levels, with); ok && s.Residual < best.Residual-1e-9 {
			best = s
		}
	}
	if math.IsInf(best.Residual, 0) {
		return Scalability{}, false
	}
	return best.concluded(levels), true
}

// fitTerms fits the curve with or without its σ and its κ; false if a coefficient would be negative.
func fitTerms(levels []Level, with [2]bool) (Scalability, bool) {
	columns := 1
	for _, w := range with {
		if w {
			columns++
		}
	}
	x, y := mat.NewDense(len(levels), columns, nil), mat.NewVecDense(len(levels), nil)
	for i, l := range levels {
		weight := l.mean() / l.N // makes the error of each equation the relative error of its throughput
		row := []float64{weight}
		if with[0] {
			row = append(row, weight*(l.N-1))
		}
		if with[1] {
			row = append(row, weight*l.N*(l.N-1))
		}
		x.SetRow(i, row)
		y.SetVec(i, 1)
	}
	var solution mat.VecDense
	if err := solution.SolveVec(x, y); err != nil {
		return Scalability{}, false
	}
	coefficients, next := [3]float64{solution.AtVec(0)}, 1
	for i, w := range with {
		if w {
			coefficients[i+1] = solution.AtVec(next)
			next++
		}
	}
	if coefficients[0] <= 0 || coefficients[1] < 0 || coefficients[2] < 0 {
		return Scalability{}, false
	}
	s := Scalability{Lambda: 1 / coefficients[0], Sigma: coefficients[1] / coefficients[0], Kappa: coefficients[2] / coefficients[0]}
	return s.measured(levels), true
}

// measured is the curve with its distances from the levels.
func (s Scalability) measured(levels []Level) Scalability {
	var all, squares, residual, variance float64
	s.WorstAt = levels[0].N
	for _, l := range levels {
		all += l.mean()
	}
	for _, l := range levels {
		off := l.mean()/s.At(l.N) - 1
		squares += off * off
		residual += (l.mean() - s.At(l.N)) * (l.mean() - s.At(l.N))
		variance += (l.mean() - all/float64(len(levels))) * (l.mean() - all/float64(len(levels)))
		if math.Abs(off) > s.Worst {
			s.Worst, s.WorstAt = math.Abs(off), l.N
		}
	}
	s.Residual = math.Sqrt(squares / float64(len(levels)))
	if variance > 0 {
		s.R2 = 1 - residual/variance
	}
	return s
}

// concluded is the curve with the decision whether it fits, and its peak.
func (s Scalability) concluded(levels []Level) Scalability {
	s.Fits = s.Residual <= mostResidual && s.Worst <= mostOff
	s.Because = fmt.Sprintf("relative residual %.1f %% over %d levels, at most %.1f %% at %g", 100*s.Residual, len(levels), 100*s.Worst, s.WorstAt)
	if !s.Fits || s.Kappa <= 0 || s.Sigma >= 1 {
		return s
	}
	if peak := math.Sqrt((1 - s.Sigma) / s.Kappa); peak >= levels[0].N && peak <= levels[len(levels)-1].N {
		highest := s.At(peak)
		s.Peak, s.Highest = &peak, &highest
	}
	return s
}

// ordered returns the levels by concurrency, with those of equal concurrency as one.
func ordered(levels []Level) []Level {
	var out []Level
	for _, l := range levels {
		if len(l.Throughput) == 0 {
			continue
		}
		if i := slices.IndexFunc(out, func(o Level) bool { return o.N == l.N }); i >= 0 {
			out[i].Throughput = slices.Concat(out[i].Throughput, l.Throughput)
		} else {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Level) int {
		if a.N < b.N {
			return -1
		}
		return 1
	})
	return out
}

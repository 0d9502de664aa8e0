package stats

import (
	"math"
	"slices"
)

// autoregression is a model of a series around its mean or its line: each value is a weighted sum of those before it,
// plus independent noise.
type autoregression struct {
	weights []float64 // of the value before, the one before that …
	noise   float64   // its variance
	n       int       // the values that it was fitted to
}

// leastNoise is the share of a series' power below which noise is only rounding.
const leastNoise = 1e-12

// autoregress fits a model to the residuals of a regression with so many coefficients: 1 is a mean, 2 a line. Burg's
// method fits each order, and Akaike's criterion, corrected for short series, chooses one of them.
func autoregress(residuals []float64, coefficients int) autoregression {
	n := len(residuals)
	power := meanSquare(residuals)
	forward, backward := append([]float64{}, residuals...), append([]float64{}, residuals...)
	weights := make([]float64, 0, mostOrder(n))
	best := autoregression{n: n, weights: make([]float64, 0, mostOrder(n))}
	for left, least := power, math.Inf(1); ; {
		order := len(weights)
		if score := akaike(n, left, order+coefficients+1); score < least {
			least = score
			best.weights = append(best.weights[:0], weights...)
			best.noise = left * float64(n) / float64(n-coefficients-order)
		}
		if order == min(mostOrder(n), len(best.weights)+moreOrders) {
			break
		}
		reflection, ok := reflect(forward, backward, order, leastNoise*power)
		if !ok {
			break
		}
		weights = extend(weights, reflection)
		left = max(left*(1-reflection*reflection), leastNoise*power)
	}
	return best.unbiased(coefficients)
}

func meanSquare(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(len(x))
}

// moreOrders is how many orders beyond the best one are tried.
const moreOrders = 12

// mostOrder is the greatest order that a series of n values supports.
func mostOrder(n int) int { return min(int(10*math.Log10(float64(n))), n/10) }

// akaike is the criterion of a model with so many parameters that leaves so much noise.
func akaike(n int, left float64, parameters int) float64 {
	of, k := float64(n), float64(parameters)
	return of*math.Log(left) + 2*k*of/(of-k-1)
}

// reflect is the next reflection coefficient of the errors of prediction in both directions, which it updates. It
// reports false where the errors are all but zero.
//
// It takes most of the time of a fit, and uses only its own slices: the race detector would make simulations 20 times slower.
//
//go:norace
func reflect(forward, backward []float64, order int, zero float64) (float64, bool) {
	var product, squares float64
	for i := order + 1; i < len(forward); i++ {
		product += forward[i] * backward[i-1]
		squares += forward[i]*forward[i] + backward[i-1]*backward[i-1]
	}
	if squares <= zero*float64(len(forward)) {
		return 0, false
	}
	reflection := 2 * product / squares
	for i := len(forward) - 1; i > order; i-- {
		f, b := forward[i], backward[i-1]
		forward[i], backward[i] = f-reflection*b, b-reflection*f
	}
	return reflection, true
}

// extend makes the weights of the next order (Levinson and Durbin), in place.
func extend(weights []float64, reflection float64) []float64 {
	for i, j := 0, len(weights)-1; i <= j; i, j = i+1, j-1 {
		first, last := weights[i], weights[j]
		weights[i], weights[j] = first-reflection*last, last-reflection*first
	}
	return append(weights, reflection)
}

// sum is the sum of the weights. It is below 1 in a stationary series.
func (m autoregression) sum() float64 {
	var sum float64
	for _, w := range m.weights {
		sum += w
	}
	return sum
}

// unbiased returns the model without the bias of weights that are fitted to a short series, to the order 1/n: A. Pope,
// Biases of estimators in multivariate non-Gaussian autoregressions, 1990, for the companion form of the model. A model
// whose response does not end is returned as it is; longRun refuses it.
func (m autoregression) unbiased(coefficients int) autoregression {
	p := len(m.weights)
	response, ok := m.response()
	if p == 0 || !ok {
		return m
	}
	traces := m.traces(len(response))
	column := make([]float64, p)
	for k := range response {
		factor := float64(coefficients) + traces[k+1]
		if k%2 == 1 {
			factor++
		}
		for i := range min(p, k+1) {
			column[i] += factor * response[k-i]
		}
	}
	m.weights = slices.Clone(m.weights)
	for i, bias := range solveToeplitz(covariances(response, p), column) {
		m.weights[i] += bias / float64(m.n)
	}
	return m
}

// response is the response of the model to one unit of noise, until it is negligible; false if it does not end.
func (m autoregression) response() ([]float64, bool) {
	const negligible = 1e-6
	out := []float64{1}
	for quiet := 0; quiet <= len(m.weights); {
		if len(out) > 20*m.n {
			return nil, false
		}
		var next float64
		for j, w := range m.weights[:min(len(m.weights), len(out))] {
			next += w * out[len(out)-1-j]
		}
		out = append(out, next)
		quiet++
		if math.Abs(next) >= negligible {
			quiet = 0
		}
	}
	return out, true
}

// traces are the traces of the powers 0 to n of the model's companion matrix, by Newton's identities; that of the power
// 0 is not needed, and 0.
func (m autoregression) traces(n int) []float64 {
	out := make([]float64, n+1)
	for k := 1; k <= n; k++ {
		for j, w := range m.weights[:min(len(m.weights), k)] {
			if j+1 == k {
				out[k] += float64(k) * w
			} else {
				out[k] += w * out[k-1-j]
			}
		}
	}
	return out
}

// covariances are those of a series with such a response to noise of variance 1, at the lags 0 to p−1.
func covariances(response []float64, p int) []float64 {
	out := make([]float64, p)
	for lag := range min(p, len(response)) {
		for j, r := range response[lag:] {
			out[lag] += r * response[j]
		}
	}
	return out
}

// solveToeplitz returns the vector whose product with the symmetric Toeplitz matrix of a first row is y (Levinson).
func solveToeplitz(row, y []float64) []float64 {
	weights := make([]float64, 0, len(row))
	out := make([]float64, 0, len(row))
	left := row[0]
	for k := range row {
		if k > 0 {
			next := row[k]
			for j, w := range weights {
				next -= w * row[k-1-j]
			}
			reflection := next / left
			weights = extend(weights, reflection)
			left *= 1 - reflection*reflection
		}
		missing := y[k]
		for j, x := range out {
			missing -= x * row[k-j]
		}
		missing /= left
		for j := range out {
			out[j] -= missing * weights[k-1-j]
		}
		out = append(out, missing)
	}
	return out
}

// longRun is how much the mean of a series varies: like one of independent values with this variance.
type longRun struct {
	variance float64
	freedom  float64 // degrees of freedom of its estimate
	bias     float64 // by which the estimate exceeds the variance on average; a factor
}

// longRun returns false if the model is not of a stationary series.
func (m autoregression) longRun() (longRun, bool) {
	rest := 1 - m.sum()
	response, ok := m.response()
	if rest <= 0 || !ok {
		return longRun{}, false
	}
	// The relative variance of the estimated rest.
	var uncertain float64
	if p := len(m.weights); p > 0 {
		ones := make([]float64, p)
		for i := range ones {
			ones[i] = 1
		}
		for _, x := range solveToeplitz(covariances(response, p), ones) {
			uncertain += x / float64(m.n) / (rest * rest)
		}
	}
	return longRun{
		variance: m.noise / (rest * rest),
		freedom:  2 / (2/float64(m.n) + 4*uncertain),
		bias:     math.Exp(3 * uncertain), // because the rest is in the denominator, and squared
	}, true
}

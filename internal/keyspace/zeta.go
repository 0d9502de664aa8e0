package keyspace

import "math"

// zetaExact is how many terms of zeta are summed one by one. The tail is Euler–Maclaurin's formula, whose error
// beyond so many terms lies far below float64's own.
const zetaExact = 4096

// zeta is the sum of 1/i^theta for i = 1 … n. YCSB adds up all terms, which takes minutes for billions of rows; the
// two agree to the rounding of such a sum.
func zeta(n int64) float64 {
	if n <= zetaExact {
		return zetaSum(n)
	}
	return zetaSum(zetaExact) + zetaTail(float64(n)) - zetaTail(zetaExact)
}

func zetaSum(n int64) float64 {
	t, sum := theta, 0.0
	for i := n; i >= 1; i-- { // the smallest first, which loses the least
		sum += math.Pow(float64(i), -t)
	}
	return sum
}

// zetaTail is the integral of x^-theta up to x with the corrections of Euler and Maclaurin; the difference of
// two of them is the sum of the terms between.
func zetaTail(x float64) float64 {
	t := theta
	p := math.Pow(x, -t)
	return p*x/(1-t) + p/2 - t*p/(12*x) + t*(t+1)*(t+2)*p/(720*x*x*x)
}

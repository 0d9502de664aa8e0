package keyspace

import "math"

// zetaExact is the number of terms of zeta that are added one by one. Euler–Maclaurin's formula gives the rest; after this
// number of terms its error is far below that of float64.
const zetaExact = 4096

// zeta is the sum of 1/i^theta for i = 1 … n. YCSB adds all terms, which takes minutes for billions of rows; the
// results agree up to the rounding of such a sum.
func zeta(n int64) float64 {
	if n <= zetaExact {
		return zetaSum(0, n, 0)
	}
	return zetaOffset() + zetaTail(float64(n))
}

// zetaOffset is zeta(n) minus zetaTail(n).
func zetaOffset() float64 {
	return zetaSum(0, zetaExact, 0) - zetaTail(zetaExact)
}

// zetaSum adds the terms from+1 … n to sum, in YCSB's order.
func zetaSum(from, n int64, sum float64) float64 {
	t := theta
	for i := from + 1; i <= n; i++ {
		sum += 1 / math.Pow(float64(i), t)
	}
	return sum
}

// zetaTail is the integral of x^-theta with the Euler–Maclaurin corrections; the difference of two of its values is the sum
// of the terms between them.
func zetaTail(x float64) float64 {
	t := theta
	p := math.Pow(x, -t)
	return p*x/(1-t) + p/2 - t*p/(12*x) + t*(t+1)*(t+2)*p/(720*x*x*x)
}

package stats

import "math"

// BinomialTail is the probability that at least k of n independent trials succeed, each with probability p.
func BinomialTail(k, n uint64, p float64) float64 {
	switch {
	case k == 0 || p >= 1:
		return 1
	case k > n || p <= 0:
		return 0
	case float64(k) <= float64(n)*p:
		// Below the mean the terms first grow: add up the other side, which shrinks from k−1 down.
		return 1 - BinomialTail(n-k+1, n, 1-p)
	}
	// Above the mean each term is smaller than the previous one: stop when they no longer matter.
	term := math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum := term
	for i := k; i < n && term > sum*1e-16; i++ {
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
		sum += term
	}
	return min(sum, 1)
}

func logChoose(n, k uint64) float64 {
	all, _ := math.Lgamma(float64(n) + 1)
	chosen, _ := math.Lgamma(float64(k) + 1)
	rest, _ := math.Lgamma(float64(n-k) + 1)
	return all - chosen - rest
}

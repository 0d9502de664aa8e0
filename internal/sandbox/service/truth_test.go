package service

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/randdur"
)

// waits is Erlang's C formula: the probability that a request finds all c servers of M/M/c busy, for an offered load
// of a = λ/μ.
func waits(c int, a float64) float64 {
	b := 1.0 // Erlang's B, by its recursion
	for n := 1; n <= c; n++ {
		b = a * b / (float64(n) + a*b)
	}
	rho := a / float64(c)
	return b / (1 - rho*(1-b))
}

// longer is the probability that a response of M/M/c takes longer than t, with t in mean service times: the wait is 0
// with probability 1 − C and else exponential of rate c − a, the service is exponential of rate 1, and they are
// independent.
func longer(c int, a, t float64) float64 {
	d := float64(c) - 1 - a
	ratio := t // the limit for d = 0
	if math.Abs(d) > 1e-9 {
		ratio = -math.Expm1(-d*t) / d
	}
	return math.Exp(-t) * (1 + waits(c, a)*ratio)
}

// quantile is the response time that a share q of the responses does not exceed, in mean service times.
func quantile(c int, a, q float64) float64 {
	low, high := 0.0, 1e6
	for range 200 {
		if mid := (low + high) / 2; longer(c, a, mid) > 1-q {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// The formula matches a known case: M/M/1's response is exponential with rate μ − λ.
func TestTheFormulaMatchesOneServer(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.8, 0.95} {
		require.InDelta(t, rho, waits(1, rho), 1e-12)
		for _, q := range []float64{0.5, 0.9, 0.99} {
			require.InEpsilon(t, -math.Log(1-q)/(1-rho), quantile(1, rho, q), 1e-9)
		}
	}
}

// Requests arrive as a Poisson process in model time; the test does not depend on a clock or a machine.
func TestTheModelMatchesTheFormula(t *testing.T) {
	for _, tt := range []struct {
		handlers int
		load     float64
	}{{4, 0.8}, {8, 0.5}, {16, 0.8}} {
		m, err := New(Config{Time: randdur.Duration{Shape: randdur.Exponential, Time: 10 * time.Millisecond}, Handlers: tt.handlers, Seed: 5}, 1)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(3, 9))
		offered := tt.load * float64(tt.handlers)
		between := float64(10*time.Millisecond) / offered
		const n = 200_000
		responses := make([]float64, n)
		at := 0.0
		for i := range responses {
			at += rng.ExpFloat64() * between
			come := time.Duration(at)
			_, done := m.enter(come)
			responses[i] = float64(done-come) / float64(10*time.Millisecond)
		}
		slices.Sort(responses)
		for _, q := range []float64{0.5, 0.9, 0.99} {
			// Responses of queued requests are correlated; with four handlers at 80 % load, p99 deviates by 3 % by chance.
			require.InEpsilon(t, quantile(tt.handlers, offered, q), responses[int(q*n)], 0.05, "%d handlers at %v, quantile %v", tt.handlers, tt.load, q)
		}
		require.NoError(t, m.Close())
	}
}

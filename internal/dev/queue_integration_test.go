//go:build integration

package dev_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/service"
)

// The queue: one region server of 16 handlers with a mean service time of 16 ms, and 800 requests per second: a load of
// 80 %. A minute has 48 000 requests. In 200 simulations of as many, p50, p90 and p99 deviate from the truth by 1.6 %,
// 1.1 % and 1.1 % (one standard deviation; requests in the same queue are correlated, so it is more than for independent
// samples), so 5 % is more than three deviations, with some room for the machine.
const (
	handlers    = 16
	serviceTime = 16 * time.Millisecond
	perSecond   = 800
	lasting     = time.Minute
	// quietTries is the number of tries on a quiet machine while the verdicts of a run blame the machine.
	quietTries = 3
)

// responseLonger is the probability that a response of M/M/c takes longer than t mean service times, for a load of a
// requests in service. Erlang's C is the probability that a request waits; its wait is exponential of rate c − a, and
// independent of its service, which is exponential of rate 1. The response is the sum of both.
func responseLonger(c int, a, t float64) float64 {
	term, sum := 1.0, 0.0 // a^n/n!, and its sum over n < c
	for n := range c {
		sum += term
		term *= a / float64(n+1)
	}
	term /= 1 - a/float64(c)
	erlangC := term / (sum + term)
	rate := float64(c) - a
	// rate is not 1 here, so the sum's density is a difference of two exponentials.
	waited := (rate*math.Exp(-t) - math.Exp(-rate*t)) / (rate - 1)
	return (1-erlangC)*math.Exp(-t) + erlangC*waited
}

func responseQuantile(c int, a, q float64) float64 {
	low, high := 0.0, 1000.0
	for range 100 {
		if middle := (low + high) / 2; responseLonger(c, a, middle) > 1-q {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// An open Poisson run on a queue with a known formula must measure what the formula predicts: this tests the pacing, the
// clocks, the histograms and the quantiles together. A stall of the machine makes responses longer, never shorter, so a
// quantile that is too short is always an error. One that is too long is an error unless the result itself reports that
// its generator was disturbed. On a quiet machine (`make nightly` sets BENCHD_TEST_QUIET) such a run is repeated, and one
// of the repeats must agree with the formula. Elsewhere a repeat could prove nothing more.
func TestResponseTimesOfAKnownQueueAgreeWithTheFormula(t *testing.T) {
	quiet := os.Getenv("BENCHD_TEST_QUIET") != ""
	tries := 1
	if quiet {
		tries = quietTries
	}
	for try := 1; try <= tries; try++ {
		r := queue(t, uint64(try))
		require.Equal(t, result.Complete, r.Status, r.Reason)
		short, long := deviations(t, r)
		require.Empty(t, short, "shorter than the formula")
		if len(long) == 0 {
			return
		}
		why := disturbed(r)
		require.NotEmpty(t, why, "longer than the formula, and the result names no disturbance: %v", long)
		t.Logf("try %d: the result names a disturbance: %s", try, why)
	}
	require.False(t, quiet, "no run agrees with the formula, on a machine that is quiet")
}

// deviations returns the quantiles that are shorter or longer than the formula predicts.
func deviations(t *testing.T, r result.Run) (short, long []string) {
	t.Helper()
	var reads *result.Operation
	for _, o := range measured(r) {
		if o.Op == "READ" {
			require.Nil(t, reads, "not all reads ended alike")
			require.Equal(t, "OK", o.Outcome)
			reads = &o
		}
	}
	require.NotNil(t, reads)
	require.InEpsilon(t, perSecond*lasting.Seconds(), reads.Count, 0.03)
	load := perSecond * serviceTime.Seconds()
	for _, q := range []struct {
		share float64
		got   *float64
	}{{0.5, reads.P50}, {0.9, reads.P90}, {0.99, reads.P99}} {
		require.NotNil(t, q.got)
		want := responseQuantile(handlers, load, q.share) * float64(serviceTime.Microseconds())
		off := *q.got/want - 1
		text := fmt.Sprintf("p%v of %d is %.0f µs, by the formula %.0f µs: %+.1f %%", 100*q.share, reads.Count, *q.got, want, 100*off)
		t.Log(text)
		switch {
		case off < -0.05:
			short = append(short, text)
		case off > 0.05:
			long = append(long, text)
		}
	}
	return short, long
}

func queue(t *testing.T, seed uint64) result.Run {
	t.Helper()
	return onSandbox(t, sandbox.Options{
		Servers: 1,
		Service: service.Config{Time: randdur.Duration{Shape: randdur.Exponential, Time: serviceTime}, Handlers: handlers, Seed: seed},
	}, 1, map[string]string{
		"db": "sandbox", "phase": "load,run", "recordcount": "500", "fieldcount": "1", "threadcount": "250",
		"arrival": "poisson", "rate": strconv.Itoa(perSecond), "warmup": "3s", "duration": lasting.String(), "seed": strconv.FormatUint(seed, 10),
		"readproportion": "1", "updateproportion": "0",
	})
}

// disturbed returns the disturbance of the generator in the verdicts of the run; or "".
func disturbed(r result.Run) string {
	for _, v := range r.Verdicts {
		if v.Name == "client_bound" && v.Value {
			return v.Because
		}
	}
	return ""
}

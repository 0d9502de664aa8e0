//go:build !race

package trend_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trend"
)

// nightly makes the suites of consecutive nights, whose only case has a throughput and a 99th percentile.
func nightly(throughputs []float64, change func(night int, run *result.Run)) []trend.Suite {
	var suites []trend.Suite
	for i, throughput := range throughputs {
		id := fmt.Sprintf("night-%02d", i+1)
		p99 := 1e9 / throughput
		run := result.Run{
			ID: id + ".1", Case: "reads", Status: result.Complete, Reconcile: result.Reconcile{OK: true},
			Phases: []result.Phase{{
				Name: "measure", Loop: "closed", Seconds: 10, Ops: uint64(10 * throughput), Throughput: throughput,
				Operations: []result.Operation{{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: uint64(10 * throughput), P99: &p99}}},
			}},
		}
		if change != nil {
			change(i, &run)
		}
		suites = append(suites, trend.Suite{
			Suite:     result.Suite{ID: id, Status: run.Status, Runs: []result.Run{run}},
			Submitted: time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, i),
		})
	}
	return suites
}

func nights(random *rand.Rand, n, step int, factor float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 10_000 * (1 + 0.03*random.NormFloat64())
		if i >= step {
			values[i] *= factor
		}
	}
	return values
}

var throughput = trend.Settings{Figures: []string{"throughput_ops"}, Quiet: trend.Quiet, Smallest: trend.Smallest}

// In an archive of 60 nightly results with a step of 7 % and a standard deviation of 3 %, the change is found within five nights in
// at least 90 % of 200 trials, and names the night and the loss.
func TestAChangeIsFoundWithinFiveNights(t *testing.T) {
	const trials, step = 200, 40
	random := rand.New(rand.NewPCG(21, 1))
	found, exact := 0, 0
	for range trials {
		got := trend.Of("nightly", nightly(nights(random, 60, step, 0.93), nil), throughput, nil)
		require.Len(t, got.Suites, 60)
		for night := step; night < step+5; night++ {
			alerts := got.FoundIn(got.Suites[night].ID)
			if len(alerts) == 0 {
				continue
			}
			found++
			require.Equal(t, compare.Worse, alerts[0].Verdict)
			if alerts[0].Suite == got.Suites[step].ID {
				exact++
			}
			break
		}
	}
	t.Logf("found within five nights in %d of %d trials, at the very night in %d", found, trials, exact)
	require.GreaterOrEqual(t, found, trials*90/100)
}

// A change names what else differs between the suites before and after it.
func TestAChangeNamesWhatElseDiffers(t *testing.T) {
	values := make([]float64, 40)
	for i := range values {
		values[i] = 10_000 + float64(i*37%11)*20
		if i >= 25 {
			values[i] *= 0.9
		}
	}
	got := trend.Of("nightly", nightly(values, func(night int, run *result.Run) {
		run.Provenance.Target = map[string]string{"version": "2.5.4"}
		if night >= 25 {
			run.Provenance.Target["version"] = "2.5.5"
		}
	}), trend.Settings{Quiet: trend.Quiet, Smallest: trend.Smallest}, nil)
	require.Len(t, got.Cases, 1)
	require.Len(t, got.Cases[0].Figures, 2, "throughput and p99")
	for _, f := range got.Cases[0].Figures {
		require.Len(t, f.Changes, 1, f.Name)
		require.Equal(t, "night-26", f.Changes[0].Suite)
		require.Equal(t, compare.Worse, f.Changes[0].Verdict)
		require.Contains(t, f.Changes[0].Differences, compare.Difference{What: "target version", A: "2.5.4", B: "2.5.5", Cases: []string{}})
	}
	require.Contains(t, got.Test, "one false alarm in 400 values", "two series share the rate of one")
}

// Runs that are not complete have no point, and loops are apart.
func TestOnlyCompleteRunsOfOneLoopAreASeries(t *testing.T) {
	values := nights(rand.New(rand.NewPCG(22, 1)), 20, 20, 1)
	got := trend.Of("nightly", nightly(values, func(night int, run *result.Run) {
		switch {
		case night == 3:
			run.Status = result.Failed
		case night >= 15:
			run.Phases[0].Loop = "open"
		}
	}), throughput, nil)
	require.Len(t, got.Suites, 20)
	require.Len(t, got.Cases, 2)
	require.Equal(t, "closed", got.Cases[0].Loop)
	require.Len(t, got.Cases[0].Figures[0].Points, 14)
	require.Len(t, got.Cases[1].Figures[0].Points, 5)
}

// A change below the smallest effect has no name, however sure it is.
func TestASmallChangeIsNotNamed(t *testing.T) {
	values := make([]float64, 40)
	for i := range values {
		values[i] = 10_000 + float64(i%3)
		if i >= 25 {
			values[i] *= 1.02
		}
	}
	settings := throughput
	require.Empty(t, trend.Of("nightly", nightly(values, nil), settings, nil).Cases[0].Figures[0].Changes)
	settings.Smallest = 0.01
	changes := trend.Of("nightly", nightly(values, nil), settings, nil).Cases[0].Figures[0].Changes
	require.Len(t, changes, 1)
	require.Equal(t, compare.Better, changes[0].Verdict)
}

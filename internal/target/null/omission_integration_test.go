//go:build integration

package null_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/workload"
)

// stalling is a target that serves in 1 ms but stands still for a tenth of each period, and what a measurement of
// whole periods must find by its own clock and by hand.
type stalling struct {
	period  time.Duration
	periods int
	rate    float64
	workers int
}

func (s stalling) stall() time.Duration { return s.period / 10 }

func (s stalling) run(t *testing.T, arrival pacing.Arrival) *latency.Histogram {
	t.Helper()
	target, err := null.New(spec.NullSettings{
		Service: spec.Service{Shape: spec.ServiceStall, Time: time.Millisecond, Stall: s.stall(), Period: s.period},
	}, load.Settings{})
	require.NoError(t, err)
	windows, _ := measure(t, plan.Settings{
		Workload: core(workload.Proportions{Read: 1}), Run: true, Threads: s.workers, Interval: time.Second,
		Duration: time.Duration(s.periods) * s.period,
		Pacing:   pacing.Config{Arrival: arrival, Rate: pacing.Rate{{From: s.rate, To: s.rate}}},
	}, target)
	var all latency.Merged
	for _, w := range windows {
		require.NoError(t, all.Add(w.Series))
	}
	for _, series := range all.Series() {
		if series.Key == (latency.Key{Op: "READ", Outcome: "OK"}) {
			return series.Response
		}
	}
	require.Fail(t, "nothing was read")
	return nil
}

// byHand is the response time that a share of the operations of an open loop exceeds. Of the operations that are
// intended in a stall of L the one at u waits for the rest of it and then for those before it, which leave at
// workers per millisecond: 1 ms + L − u + u·rate/leaving. What exceeds a time is therefore a share of the period
// that grows evenly.
func (s stalling) byHand(share float64) time.Duration {
	leaving := float64(s.workers) * 1000
	u := share * float64(s.period)
	return time.Millisecond + s.stall() - time.Duration(u*(1-s.rate/leaving))
}

// breaches are what an open loop's response times have against the values by hand.
func (s stalling) breaches(open *latency.Histogram) []string {
	var out []string
	see := func(what string, got int64, want, within time.Duration) {
		if off := time.Duration(got) - want; off.Abs() > within {
			out = append(out, fmt.Sprintf("%s is %s instead of %s", what, time.Duration(got), want))
		}
	}
	see("p50", open.Quantile(0.5), time.Millisecond, 300*time.Microsecond)
	see("p95", open.Quantile(0.95), s.byHand(0.05), s.byHand(0.05)/50)
	see("p99", open.Quantile(0.99), s.byHand(0.01), s.byHand(0.01)/50)
	see("max", open.Max(), s.byHand(0), s.byHand(0)/50)
	return out
}

// tries is how often a machine may be too busy to keep a law of real time.
const tries = 3

// The same law is tested in a bubble, exactly and in a fraction of the time, in package load. This test asks whether
// a real machine keeps it; it needs one with a processor to spare, so a try that something else has disturbed is
// made again.
func TestNoCoordinatedOmissionInRealTime(t *testing.T) {
	s := stalling{period: 10 * time.Second, periods: 6, rate: 1000, workers: 16}
	var breaches []string
	for try := range tries {
		open := s.run(t, pacing.FixedRate)
		require.InEpsilon(t, s.rate*float64(s.periods)*s.period.Seconds(), open.Count(), 0.001, "nothing is omitted")
		t.Logf("try %d: p50 %s, p95 %s, p99 %s, max %s; by hand 1ms, %s, %s, %s", try+1,
			time.Duration(open.Quantile(0.5)), time.Duration(open.Quantile(0.95)), time.Duration(open.Quantile(0.99)), time.Duration(open.Max()),
			s.byHand(0.05), s.byHand(0.01), s.byHand(0))
		if breaches = s.breaches(open); len(breaches) == 0 {
			break
		}
	}
	require.Empty(t, breaches)

	s.periods = 2
	closed := s.run(t, pacing.ClosedLoop)
	require.Less(t, closed.Quantile(0.99), int64(s.byHand(0.05)), "a closed loop sends nothing while it waits, and sees next to nothing of the stall")
	require.GreaterOrEqual(t, closed.Max(), int64(s.stall()))
}

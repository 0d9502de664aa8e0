//go:build integration

package null_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

// stalling is a target that serves in 1 ms but stalls for a tenth of each period, with the response times that a measurement of
// whole periods must find.
type stalling struct {
	period  time.Duration
	periods int
	rate    float64
	workers int
}

func (s stalling) stall() time.Duration { return s.period / 10 }

func (s stalling) run(t *testing.T, arrival pacing.Arrival) *latency.Histogram {
	t.Helper()
	target, err := null.New(nullspec.Settings{
		Service: nullspec.Service{Shape: nullspec.ServiceStall, Time: time.Millisecond, Stall: s.stall(), Period: s.period},
	}, load.Settings{})
	require.NoError(t, err)
	pace := pacing.Config{Arrival: arrival}
	if arrival != pacing.ClosedLoop {
		pace.Rate = pacing.Rate{{From: s.rate, To: s.rate}}
	}
	windows, _ := measure(t, plan.Settings{
		Workload: core(workload.Proportions{Read: 1}), Run: true, Threads: s.workers, Interval: time.Second,
		Duration: time.Duration(s.periods) * s.period,
		Pacing:   pace,
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

// byHand returns the response time that a share of an open loop's operations exceeds. An operation that is intended at u within
// a stall of L waits for the rest of the stall and then for the operations before it, which leave at workers per millisecond:
// 1 ms + L − u + u·rate/leaving. So the share of operations that exceed a time is linear in that time.
func (s stalling) byHand(share float64) time.Duration {
	leaving := float64(s.workers) * 1000
	u := share * float64(s.period)
	return time.Millisecond + s.stall() - time.Duration(u*(1-s.rate/leaving))
}

// breaches returns the quantiles of an open loop's response times that are shorter and longer than byHand's.
func (s stalling) breaches(open *latency.Histogram) (short, long []string) {
	see := func(what string, got int64, want, within time.Duration) {
		text := fmt.Sprintf("%s is %s instead of %s", what, time.Duration(got), want)
		switch off := time.Duration(got) - want; {
		case off < -within:
			short = append(short, text)
		case off > within:
			long = append(long, text)
		}
	}
	see("p50", open.Quantile(0.5), time.Millisecond, 300*time.Microsecond)
	see("p95", open.Quantile(0.95), s.byHand(0.05), seen)
	see("p99", open.Quantile(0.99), s.byHand(0.01), seen)
	see("max", open.Max(), s.byHand(0), seen)
	return short, long
}

// seen is how far off a quantile may be, and how long a machine may pause before it counts as disturbed.
const seen = 10 * time.Millisecond

// stillness records how a machine delayed a goroutine that only waits for a millisecond at a time.
type stillness struct {
	naps, long int           // all naps, and those that lasted 2 ms too long
	most       time.Duration // by which a nap was too long
}

// watch starts the measurement; the function that it returns stops it and returns the result.
func watch() (stop func() stillness) {
	const nap = time.Millisecond
	ended, found := make(chan struct{}), make(chan stillness)
	go func() {
		var s stillness
		for {
			began := time.Now()
			select {
			case <-ended:
				found <- s
				return
			case <-time.After(nap):
			}
			over := time.Since(began) - nap
			s.naps++
			if over > 2*time.Millisecond {
				s.long++
			}
			s.most = max(s.most, over)
		}
	}()
	return func() stillness {
		close(ended)
		return <-found
	}
}

// disturbed reports whether the machine paused for long enough to affect a quantile.
func (s stillness) disturbed() bool {
	return s.most > seen || s.long > s.naps/50
}

func (s stillness) String() string {
	return fmt.Sprintf("%d of %d naps 2 ms too long, the worst by %s", s.long, s.naps, s.most)
}

// tries is how often a machine may be disturbed.
const tries = 3

// Package load tests the same law in a bubble, exactly and in a fraction of the time. This test checks it on a real machine. A
// machine that pauses makes responses longer, never shorter: a quantile that is too short, the effect of coordinated omission,
// is always an error. A quantile that is too long is an error unless the machine paused meanwhile; then the try is repeated. On
// a machine that is known to be quiet (`make nightly` sets BENCHD_TEST_QUIET), one of the tries must agree.
func TestNoCoordinatedOmissionInRealTime(t *testing.T) {
	s := stalling{period: 5 * time.Second, periods: 3, rate: 1000, workers: 16}
	agreed := false
	for try := 1; try <= tries && !agreed; try++ {
		stop := watch()
		open := s.run(t, pacing.FixedRate)
		machine := stop()
		t.Logf("try %d: p50 %s, p95 %s, p99 %s, max %s; by hand 1ms, %s, %s, %s; %s", try,
			time.Duration(open.Quantile(0.5)), time.Duration(open.Quantile(0.95)), time.Duration(open.Quantile(0.99)), time.Duration(open.Max()),
			s.byHand(0.05), s.byHand(0.01), s.byHand(0), machine)
		// Operations that are intended while the machine pauses at the end of the phase are not sent.
		intended := s.rate * float64(s.periods) * s.period.Seconds()
		require.InDelta(t, intended, open.Count(), 0.001*intended+2*s.rate*machine.most.Seconds(), "nothing is omitted; %s", machine)
		short, long := s.breaches(open)
		require.Empty(t, short, "shorter than by hand")
		agreed = len(long) == 0
		require.True(t, agreed || machine.disturbed(), "longer than by hand, on a machine that did not stand still: %v; %s", long, machine)
	}
	require.True(t, agreed || os.Getenv("BENCHD_TEST_QUIET") == "", "no try agrees, on a machine that is quiet")

	s.periods = 2
	closed := s.run(t, pacing.ClosedLoop)
	require.Less(t, closed.Quantile(0.99), int64(s.byHand(0.05)), "a closed loop sends nothing while it waits, and sees next to nothing of the stall")
	require.GreaterOrEqual(t, closed.Max(), int64(s.stall()))
}

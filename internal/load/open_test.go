package load_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

// rank is the q-quantile of samples: the one of rank ⌈qN⌉.
func rank(samples []time.Duration, permille int) time.Duration {
	slices.Sort(samples)
	return samples[(len(samples)*permille+999)/1000-1]
}

// Law 2: an open loop omits nothing. A target that serves in 1 ms but stalls for 1 s of every 10 s delays the operations
// intended meanwhile; all of them are in the result with their whole response time.
func TestNoCoordinatedOmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 16), 1000)
		s.Duration, s.Interval = 60*time.Second, time.Second
		r := newRig(t, s, nullTarget(t, "stall 1ms 1s/10s"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)

		// Computed by hand: an operation is intended at each millisecond. The stall lasts from 4.5 s to 5.5 s of each
		// period; after it 16 workers do 16 operations in each millisecond, in the order in which they were intended,
		// until they have caught up.
		var want []time.Duration
		for range 6 {
			for at := range 10_000 {
				response := 1
				if j := at - 4500; j >= 0 {
					response = max(1, 1000-j+j/16+1)
				}
				want = append(want, time.Duration(response)*time.Millisecond)
			}
		}
		all, ops, length := merged(t, r.windows)
		require.Len(t, all.Series(), 1)
		response, service := all.Series()[0].Response, all.Series()[0].Service
		require.EqualValues(t, len(want), response.Count())
		require.Equal(t, 60*time.Second, length)
		require.GreaterOrEqual(t, ops, uint64(59_999))
		for _, permille := range []int{500, 900, 950, 990, 999, 1000} {
			require.InEpsilon(t, float64(rank(want, permille)), float64(response.Quantile(float64(permille)/1000)), 0.001, "p%v", float64(permille)/10)
		}
		require.EqualValues(t, 1001*time.Millisecond, response.Max())
		require.InEpsilon(t, time.Millisecond, service.Quantile(0.99), 0.001, "the target itself was slow for 16 operations of a stall only")
		require.Zero(t, lates(r.windows), "an operation that waited for a busy worker is no late send")
		var backlog uint64
		for _, w := range r.windows {
			backlog = max(backlog, w.Health.Backlog)
		}
		require.InDelta(t, 484, float64(backlog), 1, "windows end at whole seconds, in the middle of a stall")
	})
}

func TestTheClosedLoopShowsLowerTimesForTheSameStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 16)
		s.Duration = 2 * time.Second
		r := newRig(t, s, nullTarget(t, "stall 1ms 100ms/1s"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		all, _, _ := merged(t, r.windows)
		series := all.Series()[0]
		response := series.Response
		require.InEpsilon(t, time.Millisecond, response.Quantile(0.99), 0.001)
		require.EqualValues(t, 101*time.Millisecond, response.Max())
		require.Same(t, response, series.Service, "a closed loop has only one time")
	})
}

func lates(windows []*latency.Window) (n uint64) {
	for _, w := range windows {
		n += w.Health.LateSends
	}
	return n
}

func TestAnOpenLoopOffersItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 8), 2000)
		s.Duration = 3 * time.Second
		r := newRig(t, s, nullTarget(t, "1ms"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		require.EqualValues(t, 6000, r.end(t, plan.Measure).Recorded)
		for _, w := range r.windows[:30] {
			require.InDelta(t, 200, float64(latency.Ops(w.Series)), 2)
			require.Zero(t, w.Health.Backlog)
		}
	})
}

func TestAPhaseThatEndsByTimeLastsUntilThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 4), 1.5)
		s.Duration = 1900 * time.Millisecond // the third operation is intended at 1333 ms, the next at 2 s
		r := newRig(t, s, nullTarget(t, "1ms"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		_, ops, length := merged(t, r.windows)
		require.EqualValues(t, 3, ops)
		require.Equal(t, 1900*time.Millisecond, length, "nothing more to send does not make it shorter")
	})
}

func TestAnOpenLoopCountsItsOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 777
		r := newRig(t, openLoop(settings(w, 5), 1000), nullTarget(t, "3ms"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		require.EqualValues(t, 777, r.end(t, plan.Measure).Recorded)
		require.Equal(t, 779*time.Millisecond, r.end(t, plan.Measure).At)
		require.Zero(t, r.windows[len(r.windows)-1].Health.Backlog)
	})
}

func TestAnOverloadedTargetLeavesABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 4), 1000)
		s.Duration = time.Second
		r := newRig(t, s, nullTarget(t, "10ms")) // 4 workers do 400 a second
		r.in(t, 0, plan.Measure)
		r.finish(t)
		require.EqualValues(t, 400, r.end(t, plan.Measure).Recorded)
		for i, w := range r.windows[:10] {
			require.InDelta(t, (i+1)*60, float64(w.Health.Backlog), 5, "window %d", i)
		}
		require.Zero(t, lates(r.windows))
		var lateness latency.Histogram
		for _, w := range r.windows {
			require.NoError(t, lateness.Merge(w.Lateness))
		}
		require.EqualValues(t, 400, lateness.Count())
		require.InEpsilon(t, float64(590*time.Millisecond), float64(lateness.Max()), 0.05, "the backlog makes operations late")
		require.Less(t, lateness.Min(), int64(time.Millisecond))
		all, _, _ := merged(t, r.windows)
		require.InEpsilon(t, float64(600*time.Millisecond), float64(all.Series()[0].Response.Max()), 0.05)
		require.EqualValues(t, 10*time.Millisecond, all.Series()[0].Service.Max())
	})
}

// sleepy is a clock that now and then jumps by 5 ms: a machine that gives us no processor.
type sleepy struct {
	load.Clock
	reads atomic.Int64
	ahead atomic.Int64
}

func (c *sleepy) Now() int64 {
	if c.reads.Add(1)%500 == 0 {
		c.ahead.Add(int64(5 * time.Millisecond))
	}
	return c.Clock.Now() + c.ahead.Load()
}

func TestASlowGeneratorCountsItsLateSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openLoop(settings(readers(), 4), 100)
		s.Duration = 10 * time.Second
		r := newRig(t, s, nullTarget(t, "1ms"), func(c *load.Config) { c.Clock = &sleepy{Clock: c.Clock} })
		r.in(t, 0, plan.Measure)
		r.finish(t)
		require.NotZero(t, lates(r.windows))
		var most time.Duration
		for _, w := range r.windows {
			most = max(most, w.Health.LateMax)
		}
		require.GreaterOrEqual(t, most, 4*time.Millisecond)
	})
}

// flaky fails the attempts for which fails returns true.
type flaky struct {
	fails func(try int64) bool
	tries atomic.Int64
	close error
}

func (f *flaky) Open(context.Context, int) (load.Session, error) { return flakySession{f}, nil }
func (*flaky) Close() error                                      { return nil }

type flakySession struct{ *flaky }

func (s flakySession) Do(context.Context, *workload.Op) workload.Outcome {
	if s.fails(s.tries.Add(1)) {
		return workload.Outcome{Code: workload.ServiceUnavailable, Err: errors.New("region is moving")}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: 10}
}
func (s flakySession) Close(context.Context) error { return s.close }

func TestInsertsOfALoadAreTriedAgain(t *testing.T) {
	tests := map[string]struct {
		fails           func(try int64) bool
		retries         int
		keepGoing       bool
		recorded, tried int64
		err             string
	}{
		"all is well":          {func(int64) bool { return false }, 0, false, 10, 10, ""},
		"one fails":            {func(n int64) bool { return n == 4 }, 0, false, 4, 4, "SERVICE_UNAVAILABLE after 1 tries"},
		"one fails, tolerated": {func(n int64) bool { return n == 4 }, 0, true, 10, 10, ""},
		"tried again":          {func(n int64) bool { return n >= 4 && n < 7 }, 3, false, 13, 13, ""},
		"tried too often":      {func(n int64) bool { return n >= 4 }, 2, false, 6, 6, "region is moving"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := readers()
				w.RecordCount = 10
				w.InsertionRetryLimit, w.InsertionRetryInterval, w.InsertionKeepGoing = test.retries, 3*time.Second, test.keepGoing
				s := settings(w, 1)
				s.Load, s.Run = true, false
				target := &flaky{fails: test.fails}
				r := newRig(t, s, target)
				r.in(t, 0, plan.Load)
				r.finish(t)
				end := r.end(t, plan.Load)
				require.Equal(t, test.tried, target.tries.Load())
				require.EqualValues(t, test.recorded, end.Recorded)
				if test.err == "" {
					require.NoError(t, end.Err)
				} else {
					require.ErrorContains(t, end.Err, test.err)
				}
			})
		})
	}
}

func TestTheFirstMessageOfEachKindOfErrorIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 30
		r := newRig(t, settings(w, 3), &flaky{fails: func(n int64) bool { return n%2 == 0 }})
		r.in(t, 0, plan.Measure)
		r.finish(t)
		require.Len(t, r.windows, 1)
		require.Equal(t, []latency.ErrorSample{{Op: "READ", Outcome: "SERVICE_UNAVAILABLE", Message: "region is moving"}}, r.windows[0].Samples)
		require.EqualValues(t, 15, r.windows[0].Rows)
		require.EqualValues(t, 150, r.windows[0].Bytes)
		all, _, _ := merged(t, r.windows)
		require.Len(t, all.Series(), 2, "failed operations have a series of their own")
	})
}

func TestAWriteLostAtTheEndFailsThePhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 30
		r := newRig(t, settings(w, 3), &flaky{fails: func(int64) bool { return false }, close: errors.New("flush: no region")})
		r.in(t, 0, plan.Measure)
		<-r.final
		require.ErrorContains(t, r.end(t, plan.Measure).Err, "flush: no region")
		require.NoError(t, r.Close(t.Context()))
	})
}

func TestYCSBsThrottleKeepsItsPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 2000
		s := settings(w, 4)
		s.Pacing.CatchUp = 1000
		r := newRig(t, s, nullTarget(t, "stall 1ms 200ms/1s"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		end := r.end(t, plan.Measure)
		require.InDelta(t, 2*time.Second, end.At, float64(5*time.Millisecond), "workers catch up after a stall")
		all, _, _ := merged(t, r.windows)
		series := all.Series()[0]
		require.InDelta(t, 200*time.Millisecond, series.Response.Quantile(0.99), float64(20*time.Millisecond), "from when it was intended")
		require.InEpsilon(t, time.Millisecond, series.Service.Quantile(0.99), 0.001)
	})
}

package load_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/workload"
)

func TestAPhaseThatEndsByOperationsCountsEachOfThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 1003
		r := newRig(t, settings(w, 4), nullTarget(t, "1ms"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)

		end := r.end(t, plan.Measure)
		ordered(t, r.windows, end)
		require.EqualValues(t, 1003, end.Recorded)
		require.NoError(t, end.Err)
		require.Empty(t, end.Left)
		require.True(t, end.Final)
		// 4 workers, 1 ms each: the last of 251 rounds is done after 251 ms.
		require.Equal(t, 251*time.Millisecond, end.At)
		last := r.windows[len(r.windows)-1]
		require.False(t, last.Tail, "nothing was in flight after a planned end: there was none")
		require.Equal(t, end.At, last.End)
		require.Equal(t, []plan.PhaseName{plan.Measure}, r.started)
	})
}

func TestWorkersStartAtTheInstantThatWasSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 10
		r := newRig(t, settings(w, 2), nullTarget(t, "1ms"))
		at := r.now() + int64(3*time.Second)
		require.NoError(t, r.Start(plan.Measure, at, r.base))
		require.NoError(t, r.Start(plan.Measure, at, r.base), "started twice")
		r.finish(t)
		require.Equal(t, []int64{r.base.Local(at)}, r.firsts)
		require.NoError(t, r.Start(plan.Measure, at, r.base), "started again after the end")
	})
}

func TestAPhaseThatEndsByTimeHasATail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 3)
		s.Duration = 250 * time.Millisecond
		r := newRig(t, s, nullTarget(t, "30ms"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)

		ordered(t, r.windows, r.end(t, plan.Measure))
		var ends []time.Duration
		for _, w := range r.windows {
			ends = append(ends, w.End)
		}
		require.Equal(t, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 250 * time.Millisecond, 270 * time.Millisecond}, ends)
		tail := r.windows[3]
		require.True(t, tail.Tail && tail.Last)
		require.EqualValues(t, 3, latency.Ops(tail.Series), "operations in flight at the end are finished and recorded")
		_, ops, length := merged(t, r.windows)
		require.EqualValues(t, 24, ops, "eight rounds of three end within 250 ms")
		require.Equal(t, s.Duration, length)
	})
}

func TestAnOperationBelongsToTheWindowInWhichItWasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 1)
		s.Duration = time.Second
		r := newRig(t, s, nullTarget(t, "7ms"))
		r.in(t, time.Second, plan.Measure)
		r.finish(t)
		done := 0
		for _, w := range r.windows {
			before := done
			for time.Duration(done+1)*7*time.Millisecond < w.End {
				done++
			}
			if w.Tail {
				done = before + 1
			}
			require.EqualValues(t, done-before, latency.Ops(w.Series), "window %d", w.ID.Seq)
		}
	})
}

func TestAWarmUpGoesOverIntoMeasuringAtAnInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 2)
		s.Warmup, s.Duration = 150*time.Millisecond, 300*time.Millisecond
		r := newRig(t, s, nullTarget(t, "20ms"))
		r.in(t, 0, plan.Warmup)
		r.finish(t)

		warmup, measure := r.end(t, plan.Warmup), r.end(t, plan.Measure)
		ordered(t, r.of(plan.Warmup), warmup)
		ordered(t, r.of(plan.Measure), measure)
		require.False(t, warmup.Final)
		require.True(t, measure.Final)
		require.Equal(t, s.Warmup, warmup.At)
		require.EqualValues(t, 14, warmup.Recorded, "seven rounds of two are done before 150 ms")
		_, ops, length := merged(t, r.of(plan.Measure))
		require.Equal(t, s.Duration, length)
		require.EqualValues(t, 30, ops, "rounds 8 to 22 are done before 450 ms, without a pause at the change")
		require.False(t, r.of(plan.Warmup)[1].Tail)
	})
}

func TestAJoinedPhaseBeginsWhenItIsBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 2)
		s.Warmup, s.WarmupUntil, s.Duration = 200*time.Millisecond, plan.Steady, 300*time.Millisecond // the coordinator enforces the bound
		r := newRig(t, s, nullTarget(t, "20ms"))
		at := r.now()
		require.NoError(t, r.Start(plan.Warmup, at, r.base))
		<-time.After(350 * time.Millisecond)
		require.NoError(t, r.Start(plan.Measure, at+int64(410*time.Millisecond), r.base))
		r.finish(t)
		ordered(t, r.of(plan.Warmup), r.end(t, plan.Warmup))
		ordered(t, r.of(plan.Measure), r.end(t, plan.Measure))
		require.Equal(t, 410*time.Millisecond, r.end(t, plan.Warmup).At)
		require.Equal(t, 300*time.Millisecond, r.of(plan.Measure)[2].End)
	})
}

// A window does not cover the time of a phase before the agent received its start, so that the result can name it:
// windows without operations would look like a measurement.
func TestWindowsOmitTheTimeBeforeALateStart(t *testing.T) {
	for name, test := range map[string]struct {
		warmup, late time.Duration
		first        time.Duration // where the first window of the phase begins
	}{
		"a start by less than a window":       {late: 70 * time.Millisecond},
		"a start":                             {late: 330 * time.Millisecond, first: 300 * time.Millisecond},
		"a start that is over":                {late: 2 * time.Second, first: time.Second},
		"a start with a warm-up that is over": {warmup: 200 * time.Millisecond, late: 530 * time.Millisecond, first: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := settings(readers(), 2)
				s.Warmup, s.Duration = test.warmup, time.Second
				r := newRig(t, s, nullTarget(t, "20ms"))
				first := plan.Measure
				if test.warmup > 0 {
					first = plan.Warmup
				}
				require.NoError(t, r.Start(first, r.now()-int64(test.late), r.base))
				r.finish(t)
				windows := r.of(plan.Measure)
				require.Zero(t, windows[0].ID.Seq)
				require.Equal(t, test.first, windows[0].Start)
				for i, w := range windows[1:] {
					require.Equal(t, windows[i].End, w.Start)
				}
				require.GreaterOrEqual(t, windows[len(windows)-1].End, time.Second)
			})
		})
	}
	t.Run("a change-over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := settings(readers(), 2)
			s.Warmup, s.WarmupUntil, s.Duration = 200*time.Millisecond, plan.Steady, time.Second
			r := newRig(t, s, nullTarget(t, "20ms"))
			at := r.now()
			require.NoError(t, r.Start(plan.Warmup, at, r.base))
			<-time.After(650 * time.Millisecond)
			require.NoError(t, r.Start(plan.Measure, at+int64(300*time.Millisecond), r.base))
			r.finish(t)
			require.Equal(t, 600*time.Millisecond, r.end(t, plan.Warmup).At)
			require.Equal(t, 300*time.Millisecond, r.of(plan.Measure)[0].Start)
		})
	})
}

func TestLoadIsFollowedByMeasuring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 3)
		s.Load, s.Duration = true, 100*time.Millisecond
		r := newRig(t, s, nullTarget(t, "1ms"))
		require.ErrorIs(t, r.Start(plan.Measure, r.now(), r.base), load.ErrOrder)
		r.in(t, time.Millisecond, plan.Load)
		<-r.final
		require.NoError(t, r.end(t, plan.Load).Err)
		require.EqualValues(t, 1000, r.end(t, plan.Load).Recorded)
		r.in(t, time.Millisecond, plan.Measure)
		r.finish(t)
		ordered(t, r.of(plan.Load), r.end(t, plan.Load))
		ordered(t, r.of(plan.Measure), r.end(t, plan.Measure))
		require.Equal(t, "INSERT", r.windows[0].Series[0].Key.Op)
	})
}

func TestAStopEndsAPhaseNow(t *testing.T) {
	stops := map[string]struct {
		stop func(*rig)
		left string
	}{
		"stopped":          {func(r *rig) { r.Stop("cancelled by ann") }, ""},
		"left":             {func(r *rig) { r.Leave("terminated") }, "terminated"},
		"stopped and left": {func(r *rig) { r.Stop("cancelled by ann"); r.Leave("terminated") }, ""},
	}
	for name, test := range stops {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, loop := range []plan.Settings{settings(readers(), 2), openLoop(settings(readers(), 2), 50)} {
					r := newRig(t, loop, nullTarget(t, "20ms"))
					r.in(t, time.Second, plan.Measure)
					<-time.After(time.Second + 130*time.Millisecond)
					test.stop(r)
					r.finish(t)
					end := r.end(t, plan.Measure)
					ordered(t, r.windows, end)
					require.Equal(t, test.left, end.Left)
					require.NoError(t, end.Err)
					require.Equal(t, 130*time.Millisecond, r.windows[1].End)
					require.True(t, r.windows[2].Tail)
					require.LessOrEqual(t, r.windows[2].End, 160*time.Millisecond)
					require.ErrorIs(t, r.Start("teardown", 0, r.base), load.ErrOrder)
				}
			})
		})
	}
}

func TestAStopBeforeTheStartLeavesAnEmptyPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, settings(readers(), 2), nullTarget(t, "20ms"))
		r.in(t, time.Hour, plan.Measure)
		r.Stop("cancelled by ann")
		r.finish(t)
		ordered(t, r.windows, r.end(t, plan.Measure))
		require.Zero(t, r.end(t, plan.Measure).Issued)
		require.Empty(t, r.started)
	})
}

func TestAStopInTheWarmUpKeepsMeasuringFromBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settings(readers(), 2)
		s.Warmup, s.Duration = time.Second, time.Second
		r := newRig(t, s, nullTarget(t, "20ms"))
		r.in(t, 0, plan.Warmup)
		<-time.After(330 * time.Millisecond)
		r.Stop("cancelled by ann")
		r.finish(t)
		require.Len(t, r.ends, 1)
		require.True(t, r.end(t, plan.Warmup).Final)
		ordered(t, r.windows, r.end(t, plan.Warmup))
	})
}

func TestOperationsInFlightAreGivenUpAfterABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, settings(readers(), 2), nullTarget(t, "1h"), func(c *load.Config) { c.StopWithin = time.Second })
		r.in(t, 0, plan.Measure)
		<-time.After(150 * time.Millisecond)
		r.Stop("cancelled by ann")
		r.finish(t)
		end := r.end(t, plan.Measure)
		ordered(t, r.windows, end)
		require.EqualValues(t, 2, end.Recorded)
		tail := r.windows[len(r.windows)-1]
		require.Equal(t, 1150*time.Millisecond, tail.End)
		require.Equal(t, "TIMEOUT", tail.Series[0].Key.Outcome)
		require.NotEmpty(t, tail.Samples[0].Message)
	})
}

func TestCloseEndsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, settings(readers(), 2), nullTarget(t, "1h"))
		r.in(t, 0, plan.Measure)
		<-time.After(150 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		require.NoError(t, r.Close(ctx))
		ordered(t, r.windows, r.end(t, plan.Measure))
		require.ErrorIs(t, r.Start(plan.Warmup, 0, r.base), load.ErrOrder)
	})
}

func TestAReadModifyWriteIsRecordedWithItsParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.Proportions = workload.Proportions{ReadModifyWrite: 1}
		w.OperationCount = 50
		r := newRig(t, settings(w, 1), nullTarget(t, "2ms"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		ordered(t, r.windows, r.end(t, plan.Measure))
		require.EqualValues(t, 50, r.end(t, plan.Measure).Issued, "parts are not operations of their own")
		all, _, _ := merged(t, r.windows)
		want := map[latency.Key]time.Duration{
			{Op: "READ-MODIFY-WRITE", Outcome: "OK"}:                   4 * time.Millisecond,
			{Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}:   2 * time.Millisecond,
			{Op: "UPDATE", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}: 2 * time.Millisecond,
		}
		require.Len(t, all.Series(), len(want))
		for _, s := range all.Series() {
			require.EqualValues(t, 50, s.Response.Count())
			require.EqualValues(t, want[s.Key], s.Response.Max())
			require.EqualValues(t, want[s.Key], s.Response.Min())
		}
	})
}

func TestAWarmUpUsesUpNoneOfTheOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 100
		for _, s := range []plan.Settings{settings(w, 4), openLoop(settings(w, 4), 1000)} {
			s.Warmup = 300 * time.Millisecond
			r := newRig(t, s, nullTarget(t, "1ms"))
			r.in(t, 0, plan.Warmup)
			r.finish(t)
			require.Greater(t, r.end(t, plan.Warmup).Recorded, uint64(200))
			_, ops, _ := merged(t, r.of(plan.Measure))
			require.InDelta(t, 100, float64(ops), 4, "but for those in flight at the change")
		}
	})
}

// Idle workers hold instants far ahead: those after the change count, whenever they were claimed.
func TestAWarmUpThatIsAnnouncedToBeOverUsesUpNoneOfTheOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.OperationCount = 45
		for _, s := range []plan.Settings{settings(w, 10), openLoop(settings(w, 10), 10)} {
			s.WarmupOps = 1
			r := newRig(t, s, nullTarget(t, "100ms"))
			at := r.now()
			require.NoError(t, r.Start(plan.Warmup, at, r.base))
			<-time.After(time.Second)
			change := at + int64(1350*time.Millisecond)
			require.NoError(t, r.Start(plan.Measure, change, r.base))
			require.NoError(t, r.Start(plan.Measure, change, r.base), "announced again")
			r.finish(t)
			require.Equal(t, 1350*time.Millisecond, r.end(t, plan.Warmup).At)
			_, ops, length := merged(t, r.of(plan.Measure))
			if s.Pacing.Arrival == pacing.FixedRate {
				require.EqualValues(t, 45+1, ops, "one is in flight at the change")
				require.InDelta(t, 4.5, length.Seconds(), 0.2, "no instant is left out")
			} else {
				require.InDelta(t, 45, float64(ops), 10, "but for those in flight at the change")
			}
		}
	})
}

func TestWhatIsReadIsVerifiedAgainstWhatWasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := readers()
		w.DataIntegrity = true
		w.Proportions = workload.Proportions{Read: 1, ReadModifyWrite: 1}
		w.OperationCount = 100
		r := newRig(t, settings(w, 1), nullTarget(t, "1ms"))
		r.in(t, 0, plan.Measure)
		r.finish(t)
		all, ops, _ := merged(t, r.windows)
		require.EqualValues(t, 100, ops, "a verification is a part")
		var verified uint64
		for _, s := range all.Series() {
			if s.Key.Op == "VERIFY" {
				require.Equal(t, "ERROR", s.Key.Outcome, "the null target returns no field")
				verified += s.Response.Count()
			}
		}
		require.EqualValues(t, 100, verified)
	})
}

package timetable_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/coordinator/timetable"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/wire"
)

func TestASuiteIsSubmittedWhenItIsDue(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		next := w.keep()
		require.Equal(t, "01:00", next.Format("15:04"))
		wait(time.Hour - time.Second)
		require.Empty(t, w.ordered())
		wait(2 * time.Second)
		require.Len(t, w.ordered(), 1)
		require.Equal(t, timetable.Order{Schedule: "nightly", Suite: "s1", Request: []byte("request"), Owner: timetable.Owner{Identity: ann}, Patience: 5 * time.Minute}, w.ordered()[0])
		w.end(result.Complete)
		wait(time.Hour)
		require.Equal(t, []string{"01:00 submitted s1", "02:00 submitted s2"}, w.outcomes())
		require.NoError(t, testutil.GatherAndCompare(w.registry, textOf(
			"# HELP benchd_schedule_due_total Due times of a schedule, by outcome: submitted, skipped or failed.",
			"# TYPE benchd_schedule_due_total counter",
			`benchd_schedule_due_total{outcome="failed",schedule="nightly"} 0`,
			`benchd_schedule_due_total{outcome="skipped",schedule="nightly"} 0`,
			`benchd_schedule_due_total{outcome="submitted",schedule="nightly"} 2`,
		), "benchd_schedule_due_total"))
	})
}

func TestADueTimeIsSkippedWhileTheSuiteBeforeItIsInProgress(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		wait(150 * time.Minute)
		require.Equal(t, []string{"01:00 submitted s1", "02:00 skipped"}, w.outcomes())
		d, err := w.Show(t.Context(), "nightly")
		require.NoError(t, err)
		require.Equal(t, "suite s1 is running", d.Last.Reason)
		require.Equal(t, "s1", d.Suite)
		require.Equal(t, "running", d.Status)
		_, err = w.Start(t.Context(), "nightly", "bob", anyone)
		require.ErrorIs(t, err, wire.ErrNotAllowed)
		w.end(result.Failed)
		wait(time.Hour)
		require.Equal(t, []string{"01:00 submitted s1", "02:00 skipped", "03:00 submitted s2"}, w.outcomes())
	})
}

func TestMissedDueTimesNeverPileUp(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		w.crash()
		wait(4*time.Hour + 10*time.Minute)
		w.start()
		wait(time.Minute)
		require.Equal(t, []string{"04:00 submitted s1 missed 3"}, w.outcomes(), "once, for the newest")
		w.end(result.Complete)
		wait(time.Hour)
		require.Equal(t, []string{"04:00 submitted s1 missed 3", "05:00 submitted s2"}, w.outcomes())
	})
}

func TestAFullArchiveIsTriedAgain(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		wait(59 * time.Minute)
		w.set(func() { w.full = true })
		wait(2 * time.Minute)
		w.set(func() { w.full = false })
		wait(time.Minute)
		w.crash()
		w.start()
		require.Equal(t, []string{"01:00 submitted s1"}, w.outcomes())
	})
}

func TestARefusedSuiteIsNoted(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		w.set(func() { w.refuse = errors.New("2 agents needed") })
		wait(61 * time.Minute)
		d, err := w.Show(t.Context(), "nightly")
		require.NoError(t, err)
		require.Equal(t, "2 agents needed", d.Outcomes[0].Reason)
		require.Equal(t, schedule.Failed, d.Outcomes[0].Kind)
		w.set(func() { w.refuse = nil })
		wait(time.Hour)
		require.Equal(t, []string{"01:00 failed", "02:00 submitted s1"}, w.outcomes())
	})
}

func TestAWallClockThatIsSet(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jump clock.Jump
		want []string
	}{
		"forward by three and a half hours": {clock.Jump{After: 30 * time.Minute, By: 210 * time.Minute}, []string{"04:00 submitted s1 missed 3"}},
		"back by ten minutes, just after a due time": {
			clock.Jump{After: 65 * time.Minute, By: -10 * time.Minute}, []string{"01:00 submitted s1"},
		},
		"back by three hours, before it is due: it follows": {
			clock.Jump{After: 10 * time.Minute, By: -3 * time.Hour}, []string{"22:00 submitted s1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.skew = clock.Skew{Jumps: []clock.Jump{c.jump}}
				w.start()
				defer func() { w.crash() }()
				w.keep()
				wait(80 * time.Minute)
				require.Equal(t, c.want, w.outcomes())
			})
		})
	}
}

func TestAPausedSchedulePassesOverDueTimes(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		require.NoError(t, w.Pause(t.Context(), "nightly", anyone))
		wait(150 * time.Minute)
		require.Empty(t, w.outcomes())
		w.crash()
		w.start()
		d, err := w.Show(t.Context(), "nightly")
		require.NoError(t, err)
		require.True(t, d.Paused)
		require.Nil(t, d.Next)
		suite, err := w.Start(t.Context(), "nightly", "bob", anyone)
		require.NoError(t, err)
		require.Equal(t, "s1", suite)
		w.end(result.Complete)
		next, err := w.Resume(t.Context(), "nightly", anyone)
		require.NoError(t, err)
		require.Equal(t, "03:00", next.Format("15:04"))
		wait(time.Hour)
		require.Equal(t, []string{"02:30 submitted s1", "03:00 submitted s2"}, w.outcomes())
	})
}

func TestAChangeOfASuiteIsAnAlert(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		w.reveal["s2"] = []trend.Change{{Suite: "s1", Found: "s2", Earliest: "s1", Latest: "s2", Verdict: compare.Worse, Ratio: 0.93, Statistic: 5, Threshold: 4}}
		for range 3 {
			wait(time.Hour)
			w.end(result.Complete)
			synctest.Wait()
		}
		want := []schedule.Alert{{
			At: w.clock.Wall().UTC().Add(-time.Hour), Suite: "s2", Since: "s1", Earliest: "s1", Latest: "s2", Case: "reads", Figure: "throughput_ops", Unit: "ops/s",
			Verdict: "worse", Ratio: 0.93, Statistic: 5, Threshold: 4, Test: "a test",
		}}
		require.Equal(t, want, w.alerts)
		require.Equal(t, []string{"s2 1 true"}, w.announced)
		list, err := w.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, want[0], *list[0].LastAlert)
		require.NoError(t, testutil.GatherAndCompare(w.registry, textOf(
			"# HELP benchd_schedule_changes_total Changes of figures that suites of a schedule have revealed, by verdict.",
			"# TYPE benchd_schedule_changes_total counter",
			`benchd_schedule_changes_total{schedule="nightly",verdict="better"} 0`,
			`benchd_schedule_changes_total{schedule="nightly",verdict="worse"} 1`,
		), "benchd_schedule_changes_total"))
	})
}

// A suite that ended while its coordinator was down is evaluated by the next one; alerts that could not be archived are tried again.
func TestAnAlertOutlivesTheProcessAndAFullArchive(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		wait(61 * time.Minute)
		w.crash()
		w.end(result.Complete)
		w.reveal["s1"] = []trend.Change{{Suite: "s1", Found: "s1", Verdict: compare.Better, Ratio: 1.2}}
		w.set(func() { w.full = true })
		w.start()
		wait(25 * time.Second)
		require.Empty(t, w.alerts)
		w.set(func() { w.full = false })
		wait(15 * time.Second)
		require.Len(t, w.alerts, 1)
		require.Equal(t, []string{"s1 1 false", "s1 1 false", "s1 1 false", "s1 1 true"}, w.announced)
		w.crash()
		w.start()
		wait(time.Minute)
		require.Len(t, w.alerts, 1)
	})
}

func TestReplacingNeedsToBeAskedForAndAllowed(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		wait(61 * time.Minute)
		w.end(result.Complete)
		daily, err := schedule.Cron("0 2 * * *", "UTC")
		require.NoError(t, err)
		s := timetable.Submission{Name: "nightly", When: daily, Owner: timetable.Owner{Identity: ann}, By: "ann"}
		_, err = w.Put(t.Context(), s, anyone)
		require.ErrorIs(t, err, wire.ErrBadSpec)
		require.ErrorContains(t, err, "--replace")
		s.Replace = true
		refused := errors.New("not yours")
		_, err = w.Put(t.Context(), s, func(identity.Identity) error { return refused })
		require.ErrorIs(t, err, refused)
		require.ErrorIs(t, w.Delete(t.Context(), "nightly", func(identity.Identity) error { return refused }), refused)
		next, err := w.Put(t.Context(), s, anyone)
		require.NoError(t, err)
		require.Equal(t, "02:00", next.Format("15:04"))
		require.Equal(t, []string{"01:00 submitted s1"}, w.outcomes(), "what was before it stays")
		require.NoError(t, w.Delete(t.Context(), "nightly", anyone))
		require.ErrorIs(t, w.Pause(t.Context(), "nightly", anyone), wire.ErrNotFound)
		wait(3 * time.Hour)
		require.Len(t, w.ordered(), 1)
		require.Zero(t, testutil.CollectAndCount(w.registry, "benchd_schedule_due_total"))
	})
}

func textOf(lines ...string) *strings.Reader {
	return strings.NewReader(strings.Join(lines, "\n") + "\n")
}

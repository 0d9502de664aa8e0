package timetable_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/coordinator/timetable"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/result"
)

// The suite is due at 01:00. Its submission takes a minute until the suite is archived, and another one until it returns. Wherever the
// process dies, the due time has one suite, or is missed.
func TestADueTimeCountsOnceOverACrash(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dies, starts time.Duration // after midnight
		full         bool          // the archive, when the suite is due
		ends         bool          // the suite, while the coordinator is down
		pause        bool          // while the suite is being submitted
		want         []string
	}{
		"before it is due":                       {dies: 59 * time.Minute, starts: 70 * time.Minute, want: []string{"01:00 submitted s1"}},
		"before the submission is archived":      {dies: 61 * time.Minute, starts: 62 * time.Minute, full: true, want: []string{"01:00 submitted s1"}},
		"before the suite is archived":           {dies: 60*time.Minute + 30*time.Second, starts: 70 * time.Minute, want: []string{"01:00 submitted s1"}},
		"after the suite is archived":            {dies: 61*time.Minute + 30*time.Second, starts: 70 * time.Minute, want: []string{"01:00 submitted s1"}},
		"after the submission has returned":      {dies: 63 * time.Minute, starts: 70 * time.Minute, want: []string{"01:00 submitted s1"}},
		"before the suite is archived, for long": {dies: 60*time.Minute + 30*time.Second, starts: 190 * time.Minute, want: []string{"03:00 submitted s1 missed 2"}},
		"after the suite is archived, for long": {
			dies: 61*time.Minute + 30*time.Second, starts: 190 * time.Minute, ends: true, want: []string{"01:00 submitted s1", "03:00 submitted s2 missed 1"},
		},
		"after the suite is archived, for long, and it runs": {
			dies: 61*time.Minute + 30*time.Second, starts: 190 * time.Minute, want: []string{"01:00 submitted s1", "03:00 skipped missed 1"},
		},
		"before the suite is archived, and it is paused": {
			dies: 60*time.Minute + 30*time.Second, starts: 70 * time.Minute, pause: true, want: []string{"01:00 skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.slow, w.lost = time.Minute, time.Minute
				w.keep()
				wait(59 * time.Minute)
				w.set(func() { w.full = c.full })
				wait(c.dies - 59*time.Minute - time.Second)
				if c.pause {
					require.NoError(t, w.Pause(t.Context(), "nightly", anyone))
				}
				wait(time.Second)
				w.crash()
				w.set(func() { w.full = false })
				wait(c.starts - c.dies)
				if c.ends {
					w.end(result.Complete)
				}
				w.start()
				wait(3 * time.Minute)
				require.Equal(t, c.want, w.outcomes())
				w.crash()
				w.start()
				require.Equal(t, c.want, w.outcomes(), "it is archived")
			})
		})
	}
}

// A suite that waits for its agents is in progress.
func TestADueTimeIsSkippedWhileTheSuiteBeforeItIsBeingSubmitted(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.slow = 90 * time.Minute
		w.keep()
		wait(125 * time.Minute)
		require.Equal(t, []string{"02:00 skipped"}, w.outcomes())
		d, err := w.Show(t.Context(), "nightly")
		require.NoError(t, err)
		require.Equal(t, "the suite of an earlier due time waits for agents", d.Last.Reason)
		_, err = w.Start(t.Context(), "nightly", "bob", anyone)
		require.ErrorContains(t, err, "waits for agents")
		wait(30 * time.Minute)
		require.Equal(t, []string{"02:00 skipped", "01:00 submitted s1"}, w.outcomes())
		require.Len(t, w.ordered(), 1)
	})
}

// Suites have the rights that their owner has now: those of the certificate that was used last.
func TestSuitesHaveTheNewestCertificateOfTheirOwner(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.keep()
		until := w.clock.Wall().UTC().Add(time.Hour)
		newer := ann
		newer.Serial, newer.Grants = "8", []identity.Grant{{Privilege: identity.Drop, Pattern: "a"}}
		other := newer
		other.Name = "bob"
		viewer := newer
		viewer.Role = identity.Viewer
		w.Renew(other, until)
		w.Renew(viewer, until)
		wait(61 * time.Minute)
		require.Equal(t, timetable.Owner{Identity: ann}, w.ordered()[0].Owner, "another peer is not the owner")
		w.end(result.Complete)
		w.Renew(newer, until)
		wait(time.Second)
		w.crash()
		w.start()
		wait(time.Hour)
		require.Equal(t, timetable.Owner{Identity: newer, Until: until}, w.ordered()[1].Owner, "also of the next process")
	})
}

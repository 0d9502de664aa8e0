package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/schedule"
)

// A list shows without a further command that a suite was refused when it was due, and why.
func TestAListOfSchedulesShowsWhatWasRefused(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 26, 2, 0, 0, 0, time.Local) //nolint:gosmopolitan // times are printed on the clocks of this machine
	next := due.Add(24 * time.Hour)
	reason := "the certificate of its owner ann (operator) has been revoked"
	list := []schedule.Summary{
		{
			Name: "nightly", Recurs: "0 2 * * * UTC", Owner: "ann", Next: &next, Suite: "20261125-abcd", Status: "complete",
			Last: &schedule.Outcome{Due: due, Kind: schedule.Failed, Reason: reason},
		},
		{Name: "weekly", Recurs: "every 168h", Owner: "bob", Paused: true},
	}
	var out bytes.Buffer
	require.NoError(t, printSchedules(&out, list))
	require.Equal(t, `NAME     DUE            NEXT                 LAST DUE  LAST SUITE     STATUS    LAST CHANGE  OWNER
nightly  0 2 * * * UTC  2026-11-27 02:00:00  failed    20261125-abcd  complete  -            ann
weekly   every 168h     paused               -         -              -         -            bob

nightly failed at 2026-11-26 02:00:00: `+reason+"\n", out.String())
}

func TestAScheduleShowsWhatBecameOfItsDueTimes(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 26, 2, 0, 0, 0, time.Local) //nolint:gosmopolitan // times are printed on the clocks of this machine
	d := schedule.Document{
		Summary: schedule.Summary{Name: "nightly", Recurs: "every 1h", Owner: "ann", Created: due, Paused: true},
		Outcomes: []schedule.Outcome{
			{Due: due.Add(3 * time.Hour), At: due.Add(3 * time.Hour), Kind: schedule.Skipped, Reason: "suite s2 is running"},
			{Due: due.Add(2 * time.Hour), At: due.Add(150 * time.Minute), Kind: schedule.Submitted, Suite: "s2", Missed: 2},
			{Due: due, At: due, Kind: schedule.Submitted, Suite: "s1", By: "bob"},
		},
	}
	var out bytes.Buffer
	require.NoError(t, printSchedule(&out, d))
	require.Equal(t, `schedule nightly of ann, since 2026-11-26 02:00:00
due   every 1h
next  paused

DUE TIME             OUTCOME    SUITE  NOTE
2026-11-26 05:00:00  skipped    -      suite s2 is running
2026-11-26 04:00:00  submitted  s2     30m late; 2 due times before it missed
2026-11-26 02:00:00  submitted  s1     asked for by bob

no suite has revealed a change
`, out.String())
}

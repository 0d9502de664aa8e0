package archivetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/schedule"
)

// ScheduleOf returns a schedule with all fields set.
func ScheduleOf(name string) archive.Schedule {
	return archive.Schedule{
		Name: name, Recurs: "every 24h", Owner: "ann (operator)", Paused: true, Request: []byte{0, 1, 255}, State: []byte(`{"pending":["s"]}`),
		Created: time.Date(2026, 11, 21, 8, 0, 0, 123456789, time.UTC), Next: time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC),
	}
}

// AlertOf returns an alert that a suite has raised.
func AlertOf(suite string) schedule.Alert {
	low, high := 0.91, 0.95
	return schedule.Alert{
		At: time.Date(2026, 11, 22, 3, 0, 0, 1, time.UTC), Suite: suite, Since: "t", Earliest: "r", Latest: "u", Case: "reads", Figure: "throughput_ops",
		Unit: "ops/s", Verdict: "worse", Ratio: 0.93, Low: &low, High: &high, Statistic: 5.5, Threshold: 4.25, Test: "sequential",
	}
}

func testSchedulesAreReadAsTheyWereStored(t *testing.T, open Open) {
	dir := t.TempDir()
	a := open(t, dir)
	b, c := ScheduleOf("b"), ScheduleOf("a")
	few := AlertOf("s2")
	few.Low, few.High = nil, nil
	require.NoError(t, a.PutSchedule(t.Context(), b, []schedule.Alert{AlertOf("s1"), few}))
	require.NoError(t, a.PutSchedule(t.Context(), c, nil))
	b.Recurs, b.Owner, b.Paused, b.Next, b.Request, b.State = "0 2 * * * UTC", "bob (admin)", false, b.Next.Add(time.Hour), []byte{7}, []byte(`{}`)
	require.NoError(t, a.PutSchedule(t.Context(), b, []schedule.Alert{AlertOf("s3")}))
	require.NoError(t, a.Close(t.Context()))

	a = open(t, dir)
	got, err := a.Schedules(t.Context())
	require.NoError(t, err)
	require.Equal(t, []archive.Schedule{c, b}, got)
	alerts, err := a.Alerts(t.Context(), "b", 10)
	require.NoError(t, err)
	require.Equal(t, []schedule.Alert{AlertOf("s3"), few, AlertOf("s1")}, alerts, "those before it was stored again, too")
	alerts, err = a.Alerts(t.Context(), "b", 1)
	require.NoError(t, err)
	require.Len(t, alerts, 1)
	alerts, err = a.Alerts(t.Context(), "a", 10)
	require.NoError(t, err)
	require.Empty(t, alerts)
}

func testARemovedScheduleLeavesNothing(t *testing.T, open Open) {
	a := open(t, t.TempDir())
	require.ErrorIs(t, a.RemoveSchedule(t.Context(), "s"), archive.ErrNotFound)
	require.NoError(t, a.PutSchedule(t.Context(), ScheduleOf("s"), []schedule.Alert{AlertOf("x")}))
	require.NoError(t, a.RemoveSchedule(t.Context(), "s"))
	got, err := a.Schedules(t.Context())
	require.NoError(t, err)
	require.Empty(t, got)
	require.NoError(t, a.PutSchedule(t.Context(), ScheduleOf("s"), nil))
	alerts, err := a.Alerts(t.Context(), "s", 10)
	require.NoError(t, err)
	require.Empty(t, alerts)
}

package coordinator

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
)

// A process that ends between the announcement of a change and its alert leaves a notice in doubt. The suite has ended, which does not
// make it true.
func TestAChangeIsArchivedWithItsAlert(t *testing.T) {
	t.Parallel()
	a, err := sqlite.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.WithoutCancel(t.Context()))) })
	suite := archivetest.SuiteOf("S")
	suite.Status, suite.Tags = result.Complete, map[string]string{plan.ScheduleTag: "nightly"}
	require.NoError(t, a.CreateSuite(t.Context(), suite, nil))
	c := &Coordinator{archive: a}
	has := func(o notice.Occasion) bool {
		done, err := c.hasArchived(t.Context(), o)
		require.NoError(t, err)
		return done
	}
	change := notice.Occasion{Event: notice.ChangeFound, Suite: "S"}
	require.False(t, has(change), "the schedule was deleted")
	s := archivetest.ScheduleOf("nightly")
	require.NoError(t, a.PutSchedule(t.Context(), s, []schedule.Alert{archivetest.AlertOf("T")}))
	require.False(t, has(change), "another suite has revealed a change")
	require.NoError(t, a.PutSchedule(t.Context(), s, []schedule.Alert{archivetest.AlertOf("S")}))
	require.True(t, has(change))
	require.True(t, has(notice.Occasion{Event: notice.SuiteEnded, Suite: "S"}))
	require.False(t, has(notice.Occasion{Event: notice.ChangeFound, Suite: "none"}))
}

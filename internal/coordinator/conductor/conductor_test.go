package conductor_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/conductor"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHost records what it archives. The first writes can fail.
type fakeHost struct {
	conductor.Archive // these tests use nothing of it
	failures          int
	applied           []archive.RunRecord
	events            []archive.Event
}

func (h *fakeHost) Apply(_ context.Context, run archive.RunRecord, events []archive.Event, _ bool) error {
	if h.failures--; h.failures >= 0 {
		return errors.New("the disk is full")
	}
	h.applied, h.events = append(h.applied, run), append(h.events, events...)
	return nil
}

func (*fakeHost) Schedule()                                  {}
func (*fakeHost) Adopt(*record.Run, int, bool) *roster.Agent { return nil }
func (*fakeHost) Task(do func())                             { do() }
func (*fakeHost) Stuck() bool                                { return false }

// conducted returns a conductor of a queued run.
func conducted(t *testing.T, life context.Context, host *fakeHost) *conductor.Conductor {
	t.Helper()
	reader := all.Targets().Reader()
	suite, _, err := reader.Parse(spec.Submission{Properties: []spec.Setting{{Key: "db", Value: "null"}, {Key: "recordcount", Value: "10"}, {Key: "operationcount", Value: "10"}}})
	require.NoError(t, err)
	records, err := record.NewRuns("S", *suite, record.Ask{Agents: 1, OnLoss: lifecycle.FailOnLoss})
	require.NoError(t, err)
	r, err := record.Open(reader, archive.Suite{ID: "S"}, records[0])
	require.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	return conductor.New(conductor.Config{
		Host: host, Archive: host, Roster: roster.New(), Metrics: conductor.NewMetrics(time.Minute), Quarantine: quarantine.NewList(log),
		Clock: clock.NewSource(clock.Skew{}), Grace: time.Second, Version: "test", Logger: log, Life: life,
	}, r)
}

// A run is not over before its end and its whole timeline are archived, however many attempts that takes.
func TestAnEndIsArchivedAgainUntilTheArchiveHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &fakeHost{failures: 3}
		cd := conducted(t, t.Context(), host)
		ended := make(chan bool, 1)
		go func() { ended <- cd.Perform() }()
		began := clock.Mono()
		done, err := cd.Cancel(t.Context(), lifecycle.Cancel{By: "ann"})
		require.NoError(t, err)
		require.True(t, done)
		require.True(t, <-ended)
		require.GreaterOrEqual(t, began.Elapsed(), 2*time.Second, "it is tried again after a pause")
		require.Len(t, host.applied, 1)
		require.Equal(t, result.Cancelled, host.applied[0].Status)
		require.NotEmpty(t, host.events)
		again, err := cd.Cancel(t.Context(), lifecycle.Cancel{By: "ann"})
		require.NoError(t, err)
		require.False(t, again, "it is over")
	})
}

// When the coordinator detaches, a run stays as it is, for the next coordinator.
func TestADetachedRunIsLeftAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		life, detach := context.WithCancel(t.Context())
		host := &fakeHost{}
		cd := conducted(t, life, host)
		ended := make(chan bool, 1)
		go func() { ended <- cd.Perform() }()
		detach()
		require.False(t, <-ended)
		<-cd.Done()
		require.Empty(t, host.applied)
	})
}

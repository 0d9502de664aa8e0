package conductor

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// applied is one write to the archive.
type applied struct {
	run     archive.RunRecord
	events  []string
	changed bool
}

// archiving is a host that archives, or fails with an error.
type archiving struct {
	Host // an archiver uses nothing else of it
	err  error
	got  []applied
}

func (h *archiving) Apply(_ context.Context, run archive.RunRecord, events []archive.Event, changed bool) error {
	a := applied{run: run, changed: changed}
	for _, e := range events {
		a.events = append(a.events, e.Text)
	}
	h.got = append(h.got, a)
	return h.err
}

// archiverOf returns the archiver of a started run with two agents.
func archiverOf(host Host) *archiver {
	r := underWay(2, plan.Phase{Name: plan.Measure})
	r.Archived.Status = result.Preparing
	r.State.Agents = []result.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	source, base, log := clock.NewSource(clock.Skew{}), new(timebase), slog.New(slog.DiscardHandler)
	base.begin(source, r)
	base.set(source.Now())
	a := &archiver{run: r, host: host, log: log, status: r.Archived.Status}
	a.timeline = &timeline{run: r.Archived.ID, base: base, progress: new(Progress), log: log, dirty: &a.dirty}
	return a
}

// A run's agents and events are archived once; its suite's status is archived only when the run's status changes.
func TestARunIsArchivedByWhatIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &archiving{}
		a := archiverOf(host)
		a.timeline.note("phase", "measure starts")
		require.True(t, a.due(clock.Mono()))
		a.persist(t.Context())
		require.False(t, a.due(clock.Mono()))
		a.persist(t.Context())
		require.Len(t, host.got, 2)
		require.Equal(t, []string{"measure starts"}, host.got[0].events)
		require.Len(t, host.got[0].run.Agents, 2)
		require.True(t, host.got[0].changed)
		require.Equal(t, result.Running, host.got[0].run.Status)
		require.Empty(t, host.got[1].events)
		require.Nil(t, host.got[1].run.Agents)
		require.False(t, host.got[1].changed)
	})
}

// A failed write is retried after a pause, with all of its contents.
func TestAFailedWriteToTheArchiveIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &archiving{err: errors.New("the disk is full")}
		a := archiverOf(host)
		a.timeline.note("phase", "measure starts")
		a.sealed = true
		a.persist(t.Context())
		require.False(t, a.due(clock.Mono()), "it is too early")
		require.False(t, a.over())
		<-time.After(retryArchive + time.Nanosecond)
		require.True(t, a.due(clock.Mono()))
		host.err = archive.ErrNotFound // its suite was removed meanwhile
		a.persist(t.Context())
		require.Equal(t, host.got[0], host.got[1])
		require.True(t, a.over())
	})
}

// The failure of a run whose conductor panicked is archived, however many attempts that takes.
func TestAnAbandonedRunIsArchived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &archiving{err: errors.New("the disk is full")}
		a := archiverOf(host)
		ctx, cancel := context.WithTimeout(t.Context(), 3*retryArchive+retryArchive/2)
		defer cancel()
		at := time.Now()
		a.abandon(ctx, "set aside", at)
		require.Len(t, host.got, 5, "at once, after each pause, and when the coordinator detaches")
		for _, got := range host.got {
			require.Equal(t, result.Failed, got.run.Status)
			require.Equal(t, "set aside", got.run.Reason)
			require.Equal(t, at, got.run.Ended)
			require.Nil(t, got.run.Agents, "the archived ones are kept")
			require.Equal(t, []string{"set aside"}, got.events)
		}
	})
}

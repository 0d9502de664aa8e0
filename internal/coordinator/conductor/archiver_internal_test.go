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

// applied is what a host was given to archive.
type applied struct {
	run     archive.RunRecord
	events  []string
	changed bool
}

// archiving is a host that archives, or fails with an error.
type archiving struct {
	Host // of which an archiver needs nothing else
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

// archiverOf is the archiver of a run that has begun, with two agents.
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

// The archive gets a run's agents, and events, once; its suite's status is looked at again only when that of the run changes.
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

// What the archive does not take is tried again after a pause, with all that was in it.
func TestWhatIsNotArchivedIsTriedAgain(t *testing.T) {
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

// The failure of a run whose conductor panicked reaches the archive, however long that does not take it.
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
			require.Nil(t, got.run.Agents, "those that the archive has stay")
			require.Equal(t, []string{"set aside"}, got.events)
		}
	})
}

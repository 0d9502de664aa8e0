package conductor

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// retryArchive is the pause before a failed write to the archive is retried.
const retryArchive = time.Second

// archiver writes a run to the archive, and retries where that fails (a full disk) while the run goes on. It belongs to
// the conductor's loop.
type archiver struct {
	run      *record.Run
	host     Host
	timeline *timeline
	log      *slog.Logger

	dirty  bool          // there is something to archive
	retry  clock.Instant // the earliest time of the next attempt
	status result.Status // the archived status
	agents int           // how many of the run's agents are archived
	sealed bool          // the run has ended: only its end is left to archive
}

// due reports whether the run must be archived at this tick.
func (a *archiver) due(now clock.Instant) bool { return a.dirty && now.After(a.retry) }

// over reports whether the run has ended and its end is archived.
func (a *archiver) over() bool { return a.sealed && !a.dirty }

// persist archives the run.
func (a *archiver) persist(ctx context.Context) {
	a.dirty = true
	archived, err := a.run.ToArchive()
	agents := len(archived.Agents)
	if agents == a.agents { // all are archived
		archived.Agents = nil
	}
	events := a.timeline.dated()
	if err == nil {
		err = a.host.Apply(ctx, archived, events, archived.Status != a.status)
	}
	switch {
	case err == nil, errors.Is(err, archive.ErrNotFound): // an ended suite may have been removed
		a.dirty, a.status, a.agents = false, archived.Status, agents
		a.timeline.archived(len(events))
	case ctx.Err() == nil:
		a.log.Error("archive run", "error", err, "next_try", retryArchive)
		a.retry = clock.Mono().Add(retryArchive)
	}
}

// abandon archives the failure of a run whose conductor has panicked. It returns when that is archived, or ctx ends.
func (a *archiver) abandon(ctx context.Context, reason string, at time.Time) {
	// Only the fields that change are written: watchers read the others without a lock.
	r := &a.run.Archived
	r.Status, r.Reason, r.Ended = result.Failed, reason, at
	if state, err := json.Marshal(a.run.State); err == nil {
		r.State = state
	}
	archived := *r
	archived.Agents = nil // keep the archived ones
	event := archive.Event{Run: r.ID, At: at, Kind: "coordinator", Text: reason}
	for {
		err := a.host.Apply(ctx, archived, []archive.Event{event}, true)
		if err == nil || errors.Is(err, archive.ErrNotFound) || ctx.Err() != nil {
			break
		}
		a.log.Error("archive run", "error", err, "next_try", retryArchive)
		select {
		case <-ctx.Done():
		case <-time.After(retryArchive):
		}
	}
}

package conductor

import (
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/archive"
)

// timeline has the events of a run that the archive does not have yet, and shows them to watchers at once. It belongs to the
// conductor's loop.
type timeline struct {
	run      string
	base     *timebase
	progress *Progress
	log      *slog.Logger
	dirty    *bool // that there is something to archive

	events  []archive.Event // not archived yet
	undated []int           // those of them whose dates are provisional
}

// note writes an event of now.
func (t *timeline) note(kind, text string) {
	e := archive.Event{Run: t.run, At: t.base.stamp(), Kind: kind, Text: text}
	if phase, at := t.base.run.PhaseAt(t.base.elapsed()); phase != "" {
		e.Phase, e.Offset = string(phase), at
	}
	if t.base.provisional() {
		t.undated = append(t.undated, len(t.events))
	}
	t.add(e)
}

// noteAt writes what happened at an instant of the run's time.
func (t *timeline) noteAt(kind, text string, at time.Duration) {
	phase, since := t.base.run.PhaseAt(at)
	t.add(archive.Event{Run: t.run, At: t.base.run.State.Zero.Add(at), Kind: kind, Text: text, Phase: string(phase), Offset: since})
}

func (t *timeline) add(e archive.Event) {
	t.events = append(t.events, e)
	*t.dirty = true
	t.progress.addEvents(e)
	t.log.Info("timeline", "kind", e.Kind, "text", e.Text)
}

// dated are the events that can be archived: none until they have their dates.
func (t *timeline) dated() []archive.Event {
	if t.base.provisional() {
		return nil
	}
	return t.events
}

// archived lets go of the first n events.
func (t *timeline) archived(n int) { t.events = t.events[n:] }

// anchorAt makes an instant of the coordinator's clock the run's time zero, and dates again what was noted before that was
// known.
func (t *timeline) anchorAt(epoch int64) {
	t.base.set(epoch)
	*t.dirty = true
	state := &t.base.run.State
	for _, i := range t.undated {
		before := t.events[i]
		since := time.Duration(before.At.UnixNano() - t.base.ahead - epoch)
		e := &t.events[i]
		e.At = later(state.Zero.Add(since), state.Noted)
		phase, offset := t.base.run.PhaseAt(since)
		e.Phase, e.Offset = string(phase), offset
		state.Noted = e.At
		t.progress.replaceEvent(before, *e)
	}
	t.undated = nil
}

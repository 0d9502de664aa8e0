package conductor

import (
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/archive"
)

// timeline keeps the events of a run that are not archived yet, and shows them to watchers at once. It belongs to the
// conductor's loop.
type timeline struct {
	run      string
	base     *timebase
	progress *Progress
	log      *slog.Logger
	dirty    *bool // set when there is something to archive

	events  []archive.Event // not archived yet
	undated []int           // indexes of the events with provisional dates
}

// note adds an event that happens now.
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

// noteAt adds an event at an instant of the run's time.
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

// dated returns the events that can be archived: none while dates are provisional.
func (t *timeline) dated() []archive.Event {
	if t.base.provisional() {
		return nil
	}
	return t.events
}

// archived drops the first n events.
func (t *timeline) archived(n int) { t.events = t.events[n:] }

// anchorAt makes an instant of the coordinator's clock the run's time zero, and corrects the provisional dates of events.
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

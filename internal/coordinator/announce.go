package coordinator

import (
	"encoding/json"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trend"
)

// announce announces an occasion, if there is someone to announce it to; see [notice.Announce].
func (c *Coordinator) announce(o notice.Occasion) (settle func(archived bool)) {
	switch {
	case c.webhooks != nil:
		return c.webhooks.Announce(o)
	case c.config.Announce != nil:
		return c.config.Announce(o)
	}
	return func(bool) {}
}

// announcing announces the end of a suite, if store is about to archive it.
func (c *Coordinator) announcing(id string, before, after result.Status, store func(result.Status) error) error {
	if before.Ended() || !after.Ended() {
		return store(after)
	}
	settle := c.announce(notice.Occasion{Event: notice.SuiteEnded, Suite: id})
	err := store(after)
	settle(err == nil)
	return err
}

// announceViolation announces that a run has violated a limit, if its end is about to be archived.
func (c *Coordinator) announceViolation(r archive.RunRecord) (settle func(archived bool)) {
	if !violated(r) {
		return func(bool) {}
	}
	return c.announce(notice.Occasion{Event: notice.LimitViolated, Suite: r.Suite, Run: r.ID})
}

// violated reports whether a run has ended because it violated a limit.
func violated(r archive.RunRecord) bool {
	if r.Status != result.Failed {
		return false
	}
	var state record.State
	return json.Unmarshal(r.State, &state) == nil && state.Life != nil && state.Life.Violated
}

// announceChanges announces that a suite of a schedule has revealed changes, if they are about to be archived.
func (c *Coordinator) announceChanges(suite string, changes []trend.Alert) (settle func(archived bool)) {
	return c.announce(notice.Occasion{Event: notice.ChangeFound, Suite: suite, Changes: changes})
}

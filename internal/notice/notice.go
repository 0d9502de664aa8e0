// Package notice defines what a coordinator reports to other systems without being asked: that a suite has ended, that a run
// has violated a limit, that a recurring suite has revealed a change. It is pure.
//
//  1. The coordinator announces an Occasion before it archives what has happened.
//  2. When that is archived, a Notice is made of the occasion and the archive, for receivers that know nothing else.
package notice

import "github.com/benchd/benchd/internal/trend"

// Event is the kind of what has happened.
type Event string

// The events.
const (
	SuiteEnded    Event = "suite_ended"    // all runs of a suite have ended, and no further ones will be planned
	LimitViolated Event = "limit_violated" // a run has ended as failed, because it violated a limit
	ChangeFound   Event = "change_found"   // the newest suite of a series has revealed a change of its level
)

// Events returns all events.
func Events() []Event { return []Event{SuiteEnded, LimitViolated, ChangeFound} }

// Occasion is something that happens: its event, and the ids of those that it concerns.
type Occasion struct {
	Event Event  `json:"event"`
	Suite string `json:"suite"`
	Run   string `json:"run,omitempty"` // of LimitViolated
	// Changes are those of ChangeFound. They are not archived.
	Changes []trend.Alert `json:"changes,omitempty"`
}

// Announce keeps an occasion before it is archived, so that it outlives the process. It does not wait for a receiver. The
// returned function is called once with whether the occasion was archived. A process that dies in between leaves an occasion
// in doubt, and the next one asks the archive. So does an occasion that could not be archived: it is announced again when
// that is tried again.
type Announce func(Occasion) (settle func(archived bool))

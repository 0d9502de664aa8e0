// Package archive defines the records and errors of an archive of suites, runs and their windows, and of schedules: acknowledged data survives
// any failure of the coordinator. Users of an archive declare the interfaces that they need. Package archive/sqlite is an
// implementation, and package archive/archivetest tests one.
//
// Every archive guarantees:
//
//  1. A change of suites and runs is atomic.
//  2. A window is stored once, by its identity, and its receipt is returned when it is on the disk: only then may the window
//     be acknowledged. Windows and observations of an ended run are refused: its measurements no longer change.
//  3. Windows are read in the order of the measurement, from one snapshot.
//  4. Rolling up merges the histograms of long phases and does not change results.
//  5. A suite is exported as one file; an imported suite is invisible until its caller has accepted it. A removed suite
//     frees its space.
//  6. A schedule is stored together with the alerts that its newest suite has raised. It refers to suites by their ids, and they may
//     be removed.
//
// An archive that several coordinators share is also a Lease and a Keeper: one of them leads, and the writes of the others are refused.
package archive

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Suite is what a user submitted.
type Suite struct {
	ID          string
	Name, Note  string
	Tags        map[string]string
	Status      result.Status
	Created     time.Time
	SubmittedBy string
	DB          string          // the kind of target
	Spec        json.RawMessage // as submitted
	Plan        json.RawMessage // of a suite of several runs; nil if unknown
}

// Annotation is a change of what people wrote about a suite.
type Annotation struct {
	Note  *string           // nil keeps it
	Tags  map[string]string // to add or replace
	Untag []string          // names of tags to remove
}

// MostTags bounds the tags of a suite.
const MostTags = 4096

// Apply changes the note and the tags of a suite. More than MostTags are ErrInvalid.
func (a Annotation) Apply(to *Suite) error {
	tags := make(map[string]string)
	maps.Copy(tags, to.Tags)
	maps.Copy(tags, a.Tags)
	for _, name := range a.Untag {
		delete(tags, name)
	}
	if len(tags) > MostTags {
		return Faultf(ErrInvalid, nil, "annotate suite %s: it would have %d tags, and %d are the maximum", to.ID, len(tags), MostTags)
	}
	to.Tags = tags
	if a.Note != nil {
		to.Note = *a.Note
	}
	return nil
}

// SuiteSummary is a suite in the list of all: without its Spec and Plan, with the number of its runs.
type SuiteSummary struct {
	Suite
	Runs int
}

// SuiteQuery selects suites. The zero value selects all.
type SuiteQuery struct {
	Limit        int    // of suites; 0 for none
	After        string // id of a suite: only older ones
	Name         string
	Statuses     []result.Status
	Tags         map[string]string
	Since, Until time.Time        // of the submission; until then, exclusive
	Match        func(Suite) bool // further conditions; nil for none
}

// RunRecord is the coordinator's record of a run; its measurements are in windows.
type RunRecord struct {
	ID         string
	Suite      string
	Case       string
	Repeat     int
	Status     result.Status
	Reason     string            // why failed or cancelled
	Properties map[string]string // resolved
	Header     json.RawMessage   // the part of the result that windows do not contain: provenance, start …
	State      []byte            // lifecycle's own, JSON
	Agents     []Agent           // which agent got which shard; entries are only ever added
	Started    time.Time         // zero until then
	Ended      time.Time         // zero until then
}

// Agent is the assignment of a shard to an agent.
type Agent struct {
	Name           string
	Shard, Attempt int
}

// Change is a set of changes that are stored atomically.
type Change struct {
	Runs   []RunRecord // each replaces the record of its ID
	Suite  string      // the suite whose status changes; "" for none
	Status result.Status
	Events []Event
}

// Event is something that happened to a run.
type Event struct {
	Run    string
	At     time.Time
	Phase  string        // "" before the first
	Offset time.Duration // since the phase's start
	Kind   string
	Text   string
}

// Package archive says what is kept of suites, runs and their windows, so that what was acknowledged to an agent
// survives whatever happens to the coordinator. It has the records and the errors; who uses an archive declares the
// interface that it needs. Package archive/sqlite is an archive, and package archive/archivetest what each must pass.
//
// What every archive does:
//
//  1. A change of suites and runs is stored whole or not at all.
//  2. A window is stored once, by its identity, and its receipt is returned when the disk has it: only then may the window
//     be acknowledged. Windows and observations of a run whose end is stored are refused: what it measured does not change
//     any more.
//  3. Windows are read in the order of the measurement, as of one instant.
//  4. Rolling up merges the histograms of long phases and loses nothing that is shown.
//  5. A suite is exported as one file; an imported one is not seen before its caller has accepted it. A removed one gives
//     its space back.
package archive

import (
	"encoding/json"
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
	Plan        json.RawMessage // of a suite of several runs: what it is to do; nil where it is not known
}

// SuiteSummary is a suite in the list of all: without its Spec and Plan, with the number of its runs.
type SuiteSummary struct {
	Suite
	Runs int
}

// RunRecord is a run as the coordinator keeps it; what it measured is kept beside it, in windows.
type RunRecord struct {
	ID         string
	Suite      string
	Case       string
	Repeat     int
	Status     result.Status
	Reason     string            // why failed or cancelled
	Properties map[string]string // resolved
	Header     json.RawMessage   // the part of the result that windows do not hold: provenance, start …
	State      []byte            // lifecycle's own, JSON
	Agents     []Agent           // who was handed which shard; entries are only ever added
	Started    time.Time         // zero until then
	Ended      time.Time         // zero until then
}

// Agent is one handing out of a shard.
type Agent struct {
	Name           string
	Shard, Attempt int
}

// Change is what is stored together: after a crash all of it is there or nothing.
type Change struct {
	Runs   []RunRecord // by their ID; each replaces what was there
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

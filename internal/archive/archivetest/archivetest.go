// Package archivetest has the conformance tests of archives, and records and windows for other tests of archives.
package archivetest

import (
	"context"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
)

// Archive is the union of the interfaces that users of archives declare.
type Archive interface {
	CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error
	AddRuns(ctx context.Context, suite string, status result.Status, runs []archive.RunRecord) error
	Apply(ctx context.Context, change archive.Change) error
	Annotate(ctx context.Context, suite string, annotation archive.Annotation) error
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
	Select(ctx context.Context, query archive.SuiteQuery) ([]archive.SuiteSummary, error)
	Suite(ctx context.Context, id string) (archive.Suite, error)
	Run(ctx context.Context, id string) (archive.RunRecord, error)
	Runs(ctx context.Context, suite string) ([]archive.RunRecord, error)
	Unfinished(ctx context.Context) ([]archive.RunRecord, error)
	Events(ctx context.Context, run string) ([]archive.Event, error)

	AddWindows(ctx context.Context, windows []latency.Window) ([]archive.Receipt, error)
	HandOver(ctx context.Context, run string, shard, attempt int) ([]int64, error)
	Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error]
	Measured(ctx context.Context, run, phase string, from, to time.Duration) iter.Seq2[*latency.Window, error]
	Counts(ctx context.Context, run string) ([]archive.Count, error)
	Extents(ctx context.Context, run string) ([]archive.PhaseExtent, error)
	AddObservations(ctx context.Context, run string, observed []result.Observed) error
	Observations(ctx context.Context, run string) ([]result.Observed, error)

	Schedules(ctx context.Context) ([]archive.Schedule, error)
	PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error
	RemoveSchedule(ctx context.Context, name string) error
	Alerts(ctx context.Context, schedule string, most int) ([]schedule.Alert, error)

	Export(ctx context.Context, suite string, to io.Writer) error
	Import(ctx context.Context, from io.Reader, check func(context.Context, archive.Suite, []archive.RunRecord) error) (string, error)
	Copy(ctx context.Context, suite string, to io.Writer) error
	Take(ctx context.Context, from io.Reader) (string, error)
	Oldest(ctx context.Context) (id string, ended time.Time, err error)
	Size(ctx context.Context) (int64, error)
	Remove(ctx context.Context, suite string) error
	Expire(ctx context.Context, before time.Time) ([]string, error)
	Purge(ctx context.Context) error
	RollUp(ctx context.Context, roll archive.RollUp, pause func(context.Context) error) error
	Tidy(ctx context.Context) error
	Close(ctx context.Context) error
}

// Open opens the archive of a directory, and closes it at the test's end if the test has not.
type Open func(tb testing.TB, dir string) Archive

// Run checks that an archive keeps its guarantees.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, open Open)
	}{
		{"suite is read as it was created", testSuiteIsReadAsItWasCreated},
		{"suites are listed newest first", testSuitesAreListedNewestFirst},
		{"suites are selected", testSuitesAreSelected},
		{"suite is created atomically", testSuiteIsCreatedAtomically},
		{"change is stored atomically", testChangeIsStoredAtomically},
		{"a suite is annotated", testASuiteIsAnnotated},
		{"events are in the order in which they happened", testEventsAreInTheOrderInWhichTheyHappened},
		{"unfinished runs in the order of submission", testUnfinishedRunsInTheOrderOfSubmission},
		{"agents of a run are only added", testAgentsOfARunAreOnlyAdded},
		{"remove", testRemove},
		{"old suites expire", testOldSuitesExpire},
		{"unknown ids are not found", testUnknownIDsAreNotFound},
		{"runs are appended", testRunsAreAppended},
		{"window is read as it was added", testWindowIsReadAsItWasAdded},
		{"window is added once", testWindowIsAddedOnce},
		{"window is fresh for one of many adders", testWindowIsFreshForOneOfManyAdders},
		{"each part of the identity counts", testEachPartOfTheIdentityCounts},
		{"bad window is refused alone", testBadWindowIsRefusedAlone},
		{"nothing is measured after the end", testNothingIsMeasuredAfterTheEnd},
		{"windows are ordered", testWindowsAreOrdered},
		{"reading ends when the caller has enough", testReadingEndsWhenTheCallerHasEnough},
		{"reading sees one instant", testReadingSeesOneInstant},
		{"reading ends with its context", testReadingEndsWithItsContext},
		{"a long run is read as it was added, or in part", testALongRun},
		{"adding ends with its context and stores nothing", testAddingEndsWithItsContextAndStoresNothing},
		{"counts", testCounts},
		{"a load is handed over where its newest window ends", testALoadIsHandedOverWhereItsNewestWindowEnds},
		{"windows are read in the order of time", testWindowsAreReadInTheOrderOfTime},
		{"schedules are read as they were stored", testSchedulesAreReadAsTheyWereStored},
		{"a removed schedule leaves nothing", testARemovedScheduleLeavesNothing},
		{"observations come back in order", testObservationsComeBackInOrder},
		{"a copied suite is the same", testACopiedSuiteIsTheSame},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open) })
	}
}

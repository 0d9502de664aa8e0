//go:build integration

package archives

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/mirror"
	"github.com/benchd/benchd/test/longrun"
)

const (
	windowBytes = 10_700 // of a window of five operations, about
	day         = 24 * time.Hour
	span        = 180 * day // of the submissions
	month       = 30 * day
)

// store is an archive that is filled.
type store interface {
	mirror.Target
	CreateSuite(ctx context.Context, suite archive.Suite, runs []archive.RunRecord) error
	Suite(ctx context.Context, id string) (archive.Suite, error)
	Runs(ctx context.Context, suite string) ([]archive.RunRecord, error)
	Close(ctx context.Context) error
}

// database executes statements on the tables of a store.
type database struct {
	columns func(t *testing.T, table string) []string
	exec    func(t *testing.T, statement string)
	week    func(t *testing.T, suite string) string // "" if its tables have no weeks
}

// repeats is how often the run of a suite is repeated.
const repeats = 5

// template is the size of the run that is multiplied: its suite has as many windows as one of so many bytes with the repeats. With few samples in a
// window, histograms take less of the disk than real ones.
func template(bytes int64, samples int) longrun.Size {
	return longrun.Size{
		ID: name(0), Name: "nightly", Seconds: max(30, int(bytes/windowBytes/longrun.Agents/repeats)), Agents: longrun.Agents,
		Operations: len(longrun.Operations()), Samples: samples, Figures: 10,
	}
}

func name(k int) string { return fmt.Sprintf("suite-%04d", k) }

// fill makes suites with copies of the run of the first suite of a store, until there are as many as wanted, submitted over the time of span until
// yesterday. Those of the oldest month have all ended at one instant.
func fill(t *testing.T, s store, db database, suites int, oldest time.Time) {
	t.Helper()
	first, err := s.Suite(t.Context(), name(0))
	require.NoError(t, err)
	runs, err := s.Runs(t.Context(), first.ID)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	began := time.Now().Add(-span)
	for k := 1; k < suites; k++ {
		suite := first
		suite.ID, suite.Created = name(k), began.Add((span-day)/time.Duration(suites)*time.Duration(k))
		var copies []archive.RunRecord
		for repeat := 1; repeat <= repeats; repeat++ {
			run := runs[0]
			run.ID, run.Suite, run.Repeat = fmt.Sprintf("%s.%d", suite.ID, repeat), suite.ID, repeat
			run.Started = suite.Created.Add(time.Duration(repeat) * 10 * time.Minute)
			if run.Ended = run.Started.Add(10 * time.Minute); suite.Created.Before(began.Add(month)) {
				run.Ended = oldest
			}
			copies = append(copies, run)
		}
		require.NoError(t, s.CreateSuite(t.Context(), suite, copies))
		home, week := db.week(t, first.ID), db.week(t, suite.ID)
		for i, run := range copies {
			for _, statement := range clone(t, db, runs[0].ID, run.ID, k*repeats+i, home, week) {
				db.exec(t, statement)
			}
		}
	}
}

// clone returns the statements that copy the measurements of one run, in the week home, for another. Ids are moved by an offset.
func clone(t *testing.T, db database, from, to string, k int, home, week string) (statements []string) {
	t.Helper()
	const windows = `SELECT w.id FROM "window" w JOIN phase p ON w.phase = p.id WHERE p.run = '%s'`
	of := fmt.Sprintf("run = '%s'", from)
	within := fmt.Sprintf(`"window" IN (`+windows+`)`, from)
	for _, table := range []struct {
		name, where string
		moved       []string // columns with ids of phases and windows
		assigned    string   // column to which the database assigns values
	}{
		{"event", of, nil, "id"},
		{"figure", of, nil, ""},
		{"observation", of, nil, "id"},
		{"phase", of, []string{"id"}, ""},
		{"window", fmt.Sprintf("phase IN (SELECT id FROM phase WHERE run = '%s')", from), []string{"id", "phase"}, ""},
		{"measurement", within, []string{"window"}, map[bool]string{true: "id"}[week == ""]},
		{"lateness", within, []string{"window"}, ""},
	} {
		moved := make(map[string]bool)
		for _, column := range table.moved {
			moved[column] = true
		}
		var names, values []string
		for _, column := range db.columns(t, table.name) {
			value := `"` + column + `"`
			if column == "week" {
				table.where += " AND week = " + home // it prunes the other partitions
			}
			switch {
			case column == table.assigned:
				continue
			case column == "run":
				value = "'" + to + "'"
			case column == "week":
				value = week
			case moved[column]:
				value += fmt.Sprintf(" + %d", int64(k)*1_000_000)
			}
			names, values = append(names, `"`+column+`"`), append(values, value)
		}
		statements = append(statements, fmt.Sprintf(`INSERT INTO "%s" (%s) SELECT %s FROM "%s" WHERE %s`,
			table.name, strings.Join(names, ", "), strings.Join(values, ", "), table.name, table.where))
	}
	return statements
}

package sqlite

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/schedule"
)

const document = "docs/archive.md"

// filled is an archive with rows for each documented query: suite S with a run of two agents.
func filled(t *testing.T) *Archive {
	t.Helper()
	a := openIn(t, t.TempDir())
	run := archivetest.RunOf("S", "1")
	run.Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	require.NoError(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("S"), []archive.RunRecord{run}))
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: run.ID, At: time.Unix(1, 0), Phase: "measure", Kind: "agent", Text: "b was lost"}}}))
	require.NoError(t, a.AddObservations(t.Context(), run.ID, archivetest.ObservedBy("rs1:16020")))
	require.NoError(t, a.PutSchedule(t.Context(), archivetest.ScheduleOf("nightly"), []schedule.Alert{archivetest.AlertOf("S")}))
	for shard := range 2 {
		for seq := range 3 {
			w := archivetest.WindowOf(latency.WindowID{Run: run.ID, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 100)
			w.Tail, w.Last = seq == 2, seq == 2
			archivetest.Add(t, a, w)
		}
	}
	return a
}

// query returns a query's rows.
func query(t *testing.T, a *Archive, text string) (rows [][]any) {
	t.Helper()
	r, err := a.reader.QueryContext(t.Context(), text)
	require.NoError(t, err, text)
	defer func() { require.NoError(t, r.Close()) }()
	columns, err := r.Columns()
	require.NoError(t, err)
	for r.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, r.Scan(into...))
		rows = append(rows, row)
	}
	require.NoError(t, r.Err())
	return rows
}

func TestDocumentedQueriesReturnRows(t *testing.T) {
	a := filled(t)
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(doctable.Read(t, document), -1)
	require.GreaterOrEqual(t, len(queries), 4)
	for _, q := range queries {
		for _, row := range query(t, a, q[1]) {
			require.NotContains(t, row, nil, "%s", q[1])
		}
		require.NotEmpty(t, query(t, a, q[1]), "%s", q[1])
	}
}

func TestDocumentHasEveryTableAndColumn(t *testing.T) {
	a := filled(t)
	want := map[string][]string{}
	for _, row := range query(t, a, `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
		WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite_%' ORDER BY s.name, c.cid`) {
		table := row[0].(string)
		want[table] = append(want[table], row[1].(string))
	}
	text := doctable.Read(t, document)
	got := map[string][]string{}
	for _, heading := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(text, -1) {
		for _, row := range doctable.Tables(doctable.Section(text, heading[0]))[0].Rows {
			got[heading[1]] = append(got[heading[1]], row[0])
		}
	}
	require.Equal(t, want, got)
}

func TestViewsAddUpWindows(t *testing.T) {
	a := filled(t)
	var ops uint64
	var reads latency.Merged
	for w, err := range a.Windows(t.Context(), "S.1") {
		require.NoError(t, err)
		ops += latency.Ops(w.Series)
		require.NoError(t, reads.Add(w.Series[:1]))
	}
	total := reads.Series()[0].Response
	require.Equal(t, [][]any{{int64(ops)}}, query(t, a, `SELECT sum(ops) FROM run_window WHERE run = 'S.1'`))
	require.Equal(t, [][]any{{int64(total.Count()), total.Mean() / 1e3, float64(total.Min()) / 1e3, float64(total.Max()) / 1e3}},
		query(t, a, `SELECT count, mean_us, min_us, max_us FROM run_operation
			WHERE run = 'S.1' AND op = 'READ' AND outcome = 'OK' AND part_of = ''`))
	require.Equal(t, [][]any{{"a", 0.0, 1.0, float64(203)}, {"a", 1.0, 1.0, float64(203)}, {"a", 2.0, 1.0, nil}},
		query(t, a, `SELECT agent, t, seconds, ops_per_s FROM run_window WHERE run = 'S.1' AND shard = 0 ORDER BY t`))
}

// TestReadingWindowsNeverSorts protects bounded memory: a plan that sorts would first read everything.
func TestReadingWindowsNeverSorts(t *testing.T) {
	a := filled(t)
	var plan []string
	for _, row := range query(t, a, "EXPLAIN QUERY PLAN "+strings.ReplaceAll(windowsOfPhase, "?", "1")) {
		plan = append(plan, row[3].(string))
	}
	require.Equal(t, []string{
		"SEARCH w USING INDEX window_start (phase=?)",
		"CORRELATED SCALAR SUBQUERY 1", "SEARCH lateness USING INTEGER PRIMARY KEY (rowid=?)",
		"CORRELATED SCALAR SUBQUERY 2", "SEARCH measurement USING INDEX measurement_window (window=?)",
		"CORRELATED SCALAR SUBQUERY 3", "SEARCH error_sample USING INDEX error_sample_window (window=?)",
	}, plan)
}

//go:build integration

package postgres

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/schedule"
)

const document = "docs/archive-postgres.md"

// filled is an archive with rows for each documented query: suite S with a run of two agents.
func filled(t *testing.T) *Archive {
	t.Helper()
	a := leading(t, freshURL())
	run := archivetest.RunOf("S", "1")
	run.Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	require.NoError(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("S"), []archive.RunRecord{run}))
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: run.ID, At: time.Unix(1, 0), Phase: "measure", Kind: "agent", Text: "b was lost"}}}))
	require.NoError(t, a.AddObservations(t.Context(), run.ID, archivetest.ObservedBy("rs1:16020")))
	require.NoError(t, a.PutSchedule(t.Context(), archivetest.ScheduleOf("nightly"), []schedule.Alert{archivetest.AlertOf("S")}))
	require.NoError(t, a.Keep(t.Context(), archive.KeptResults+"program/"+run.ID, []byte("packed")))
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
	require.NoError(t, each(t.Context(), a.reader, func(row pgx.Rows) error {
		values, err := row.Values()
		rows = append(rows, values)
		return err
	}, text), text)
	return rows
}

func TestDocumentedQueriesReturnRows(t *testing.T) {
	t.Parallel()
	a := filled(t)
	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(doctable.Read(t, document), -1)
	require.GreaterOrEqual(t, len(queries), 10)
	for _, q := range queries {
		rows := query(t, a, q[1])
		require.NotEmpty(t, rows, "%s", q[1])
		for _, row := range rows {
			require.NotContains(t, row, nil, "%s", q[1])
		}
	}
}

// The tables are those of SQLite with the same columns in the same order, and what the document lists.
func TestDocumentHasEveryTableAndColumn(t *testing.T) {
	t.Parallel()
	a := filled(t)
	got := map[string][]string{}
	for _, row := range query(t, a, `SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition AND a.attnum > 0 ORDER BY c.relname, a.attnum`) {
		table, _ := row[0].(string)
		column, _ := row[1].(string)
		got[table] = append(got[table], column)
	}
	want := map[string][]string{}
	text := doctable.Read(t, "docs/archive.md")
	for _, heading := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(text, -1) {
		for _, row := range doctable.Tables(doctable.Section(text, heading[0]))[0].Rows {
			want[heading[1]] = append(want[heading[1]], row[0])
		}
	}
	more := doctable.Tables(doctable.Section(doctable.Read(t, document), "## Differences from SQLite"))
	for _, row := range more[1].Rows {
		for table := range strings.SplitSeq(row[0], ", ") {
			want[table] = append(slices.Clone(want[table]), strings.Split(row[1], ", ")...)
		}
	}
	require.Equal(t, want, got)
}

func TestViewsAddUpWindows(t *testing.T) {
	t.Parallel()
	a := filled(t)
	var ops uint64
	var reads latency.Merged
	for w, err := range a.Windows(t.Context(), "S.1") {
		require.NoError(t, err)
		ops += latency.Ops(w.Series)
		require.NoError(t, reads.Add(w.Series[:1]))
	}
	total := reads.Series()[0].Response
	require.Equal(t, [][]any{{int64(ops)}}, query(t, a, `SELECT sum(ops)::bigint FROM run_window WHERE run = 'S.1'`))
	require.Equal(t, [][]any{{int64(total.Count()), float64(total.Min()) / 1e3, float64(total.Max()) / 1e3}},
		query(t, a, `SELECT count, min_us, max_us FROM run_operation WHERE run = 'S.1' AND op = 'READ' AND outcome = 'OK' AND part_of = ''`))
	mean, _ := query(t, a, `SELECT mean_us FROM run_operation WHERE run = 'S.1' AND op = 'READ' AND outcome = 'OK' AND part_of = ''`)[0][0].(float64)
	require.InEpsilon(t, total.Mean()/1e3, mean, 1e-12)
	require.Equal(t, [][]any{{"a", 0.0, 1.0, float64(203)}, {"a", 1.0, 1.0, float64(203)}, {"a", 2.0, 1.0, nil}},
		query(t, a, `SELECT agent, t, seconds, ops_per_s FROM run_window WHERE run = 'S.1' AND shard = 0 ORDER BY t`))
}

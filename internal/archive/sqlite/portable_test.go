package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/portable"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

func trust(context.Context, archive.Suite, []archive.RunRecord) error { return nil }

// end marks a suite and its run as complete.
func end(tb testing.TB, a *Archive, suite string) {
	tb.Helper()
	runs, err := a.Runs(tb.Context(), suite)
	require.NoError(tb, err)
	for i := range runs {
		runs[i].Status, runs[i].Ended = result.Complete, time.Unix(1_800_000_000, 0).UTC()
	}
	require.NoError(tb, a.Apply(tb.Context(), archive.Change{Runs: runs, Suite: suite, Status: result.Complete}))
}

// full is an archive with an ended suite that has a row in each table, some windows of it rolled up, and another suite.
func fullArchive(tb testing.TB, dir string) *Archive {
	tb.Helper()
	a := openIn(tb, dir)
	other := archivetest.Create(tb, a, "A")
	archivetest.Add(tb, a, archivetest.WindowOf(latency.WindowID{Run: other, Phase: "measure", Attempt: 1}, 5))
	run := archivetest.RunOf("S", "1")
	run.Agents = []archive.Agent{{Name: "a", Shard: 0, Attempt: 1}, {Name: "b", Shard: 1, Attempt: 1}}
	run.Header, run.State = []byte(`{"start":1}`), []byte(`{"life":null}`)
	require.NoError(tb, a.CreateSuite(tb.Context(), archivetest.SuiteOf("S"), []archive.RunRecord{run, archivetest.RunOf("S", "2")}))
	require.NoError(tb, a.Apply(tb.Context(), archive.Change{Events: []archive.Event{{Run: run.ID, At: time.Unix(1, 0), Phase: "measure", Kind: "agent", Text: "b was lost"}}}))
	require.NoError(tb, a.AddObservations(tb.Context(), run.ID, archivetest.ObservedBy("rs1:16020")))
	for seq := range 23 {
		for shard := range 2 {
			w := archivetest.WindowOf(latency.WindowID{Run: run.ID, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 5)
			w.Loaded = []int64{int64(seq)}
			archivetest.Add(tb, a, w)
		}
	}
	archivetest.Add(tb, a, archivetest.WindowOf(latency.WindowID{Run: run.ID, Phase: "load", Attempt: 1}, 5))
	require.NoError(tb, a.RollUp(tb.Context(), archive.RollUp{Run: run.ID, Phase: "measure", Step: 5 * time.Second, Windows: 5, Before: 23}, onward))
	end(tb, a, "S")
	return a
}

func export(tb testing.TB, a *Archive, id string) []byte {
	tb.Helper()
	var file bytes.Buffer
	require.NoError(tb, a.Export(tb.Context(), id, &file))
	return file.Bytes()
}

// content is all data of a suite, without the numbers that are specific to an archive.
func content(t *testing.T, a *Archive) map[string][][]any {
	t.Helper()
	all := make(map[string][][]any)
	for _, q := range []string{
		`SELECT id, name, note, tags, status, created_ns, submitted_by, db, spec, plan, removed FROM suite WHERE id = 'S'`,
		`SELECT id, suite, case_name, repeat, status, reason, started_ns, ended_ns, properties, header, state FROM run WHERE suite = 'S' ORDER BY number`,
		`SELECT * FROM agent WHERE run LIKE 'S.%'`, `SELECT * FROM loaded WHERE run LIKE 'S.%'`,
		`SELECT * FROM figure WHERE run LIKE 'S.%'`, `SELECT run, from_ns, to_ns, points FROM observation WHERE run LIKE 'S.%' ORDER BY id`,
		`SELECT run, at_ns, phase, offset_ns, kind, text FROM event WHERE run LIKE 'S.%' ORDER BY id`,
		`SELECT run, name, rolled_windows, rolled_seq FROM phase WHERE run LIKE 'S.%' ORDER BY id`,
		`SELECT run, name, w.seq, w.shard, w.attempt, start_ns, end_ns, tail, last, rows, bytes, issued, recorded, cores, host_idle, own_cpu,
			net_rx, watermark, ops, rolled_ns FROM phase JOIN window w ON phase = phase.id WHERE run LIKE 'S.%' ORDER BY 1, 2, 3, 4, 5`,
		`SELECT run, name, w.seq, w.shard, m.op, m.outcome, m.part_of, m.count, response_sum_ns, service_sum_ns, response, service
			FROM phase JOIN window w ON phase = phase.id JOIN measurement m ON window = w.id WHERE run LIKE 'S.%' ORDER BY 1, 2, 3, 4, m.id`,
		`SELECT run, name, w.seq, w.shard, e.op, e.outcome, e.message
			FROM phase JOIN window w ON phase = phase.id JOIN error_sample e ON window = w.id WHERE run LIKE 'S.%' ORDER BY 1, 2, 3, 4, e.id`,
		`SELECT run, name, w.seq, w.shard, w.attempt, histogram
			FROM phase JOIN window w ON phase = phase.id JOIN lateness ON window = w.id WHERE run LIKE 'S.%' ORDER BY 1, 2, 3, 4, 5`,
	} {
		all[q] = query(t, a, q)
		require.NotEmpty(t, all[q], q)
	}
	return all
}

// An exported suite is imported into another archive unchanged, with each of its rows.
func TestExportAndImport(t *testing.T) {
	from, to := fullArchive(t, t.TempDir()), openIn(t, t.TempDir())
	archivetest.Create(t, to, "A")
	archivetest.Create(t, to, "B")
	file := export(t, from, "S")
	var validated []string
	id, err := to.Import(t.Context(), bytes.NewReader(file), func(ctx context.Context, s archive.Suite, runs []archive.RunRecord) error {
		validated = append(validated, s.ID, runs[0].ID, runs[1].ID)
		_, err := to.Suite(ctx, "S")
		require.ErrorIs(t, err, archive.ErrNotFound, "it is invisible until it is validated")
		require.NoError(t, to.Purge(ctx), "and nobody deletes it")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "S", id)
	require.Equal(t, []string{"S", "S.1", "S.2"}, validated)
	require.Equal(t, content(t, from), content(t, to))
	require.Equal(t, archivetest.WindowsIn(t, from, "S.1"), archivetest.WindowsIn(t, to, "S.1"))
	require.Equal(t, file, export(t, to, "S"), "exported again it is the same file")

	_, err = to.Import(t.Context(), bytes.NewReader(file), trust)
	require.ErrorIs(t, err, archive.ErrExists)
	require.EqualError(t, err, "import suite S: the archive already has a suite of this id: `benchctl rm S` removes it")
	require.NoError(t, to.Remove(t.Context(), "S"))
	_, err = to.Import(t.Context(), bytes.NewReader(file), trust)
	require.NoError(t, err)
	require.Equal(t, content(t, from), content(t, to))
}

// asBefore is a file from before the lateness of windows had a table: it was a column of windows.
func asBefore(t *testing.T, file []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	in, err := portable.NewReader(zip)
	require.NoError(t, err)
	declared := slices.Clone(in.Tables()[:portable.Lateness])
	declared[portable.Window].Columns = append([]string{"lateness"}, declared[portable.Window].Columns...)
	var before bytes.Buffer
	out, err := gzip.NewWriterLevel(&before, gzip.BestSpeed)
	require.NoError(t, err)
	w, err := portable.NewWriter(out, declared)
	require.NoError(t, err)
	type row struct {
		table  int
		values []any
	}
	var held []row // a window with what belongs to it
	flush := func() {
		for _, r := range held {
			require.NoError(t, w.Row(r.table, r.values))
		}
		held = nil
	}
	moved := 0
	for {
		table, values, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch table {
		case portable.Lateness:
			held[0].values[0] = values[0]
			moved++
			continue
		case portable.Window:
			values = append([]any{nil}, values...)
			fallthrough
		case portable.Phase:
			flush()
		}
		held = append(held, row{table, values})
	}
	flush()
	require.Positive(t, moved)
	require.NoError(t, w.End())
	require.NoError(t, out.Close())
	return before.Bytes()
}

// A file from before the lateness of windows had a table can be imported.
func TestAnOlderFileIsImported(t *testing.T) {
	from, to := fullArchive(t, t.TempDir()), openIn(t, t.TempDir())
	_, err := to.Import(t.Context(), bytes.NewReader(asBefore(t, export(t, from, "S"))), trust)
	require.NoError(t, err)
	require.Equal(t, content(t, from), content(t, to))
}

// A new table must be exported or be listed as not exported.
func TestEveryTableIsExported(t *testing.T) {
	a := openIn(t, t.TempDir())
	// A schedule belongs to a coordinator, with its owner and due times: another one must not begin to run it because it imports a suite.
	// An alert compares many suites, and refers to those of that coordinator.
	names := []string{"alert", "schedule"}
	for _, e := range portable.Tables() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	var want []string
	for _, row := range query(t, a, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`) {
		want = append(want, row[0].(string))
	}
	require.Equal(t, want, names)
}

// A new column must be exported or be listed as specific to an archive.
func TestEveryColumnIsExported(t *testing.T) {
	a := openIn(t, t.TempDir())
	own := map[string][]any{
		"suite": {"number", "removed"}, "run": {"number"}, "event": {"id"}, "observation": {"id"}, "phase": {"id"},
		"window": {"id", "phase"}, "measurement": {"id", "window"}, "error_sample": {"id", "window"}, "lateness": {"window"},
	}
	for _, table := range portable.Tables() {
		var want []string
		for _, row := range query(t, a, `SELECT name FROM pragma_table_info('`+table.Name+`') ORDER BY cid`) {
			if !slices.Contains(own[table.Name], row[0]) {
				want = append(want, row[0].(string))
			}
		}
		require.Equal(t, want, table.Columns, table.Name)
	}
}

func TestExportRefuses(t *testing.T) {
	a := fullArchive(t, t.TempDir())
	require.ErrorIs(t, a.Export(t.Context(), "none", io.Discard), archive.ErrNotFound)
	err := a.Export(t.Context(), "A", io.Discard)
	require.ErrorIs(t, err, archive.ErrNotEnded)
	require.EqualError(t, err, "export suite A: it is queued: wait for its end, or cancel it")
}

// packed deflates the content of a file.
func packed(tb testing.TB, plain []byte) []byte {
	tb.Helper()
	var file bytes.Buffer
	zip := gzip.NewWriter(&file)
	_, err := zip.Write(plain)
	require.NoError(tb, errors.Join(err, zip.Close()))
	return file.Bytes()
}

func unpacked(tb testing.TB, file []byte) []byte {
	tb.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(tb, err)
	plain, err := io.ReadAll(zip)
	require.NoError(tb, err)
	return plain
}

// A damaged file is refused, with a text that names the damage and the cure, and leaves nothing behind.
func TestImportRefuses(t *testing.T) {
	from := fullArchive(t, t.TempDir())
	file := export(t, from, "S")
	plain := unpacked(t, file)
	change := func(was, is string) []byte {
		require.Contains(t, string(plain), was)
		return packed(t, bytes.Replace(plain, []byte(was), []byte(is), 1))
	}
	const again = ": export it again, and copy the file as it is"
	for name, test := range map[string]struct {
		file []byte
		kind error
		text string
	}{
		"nothing":               {nil, archive.ErrDamaged, "import suite: it is not a suite exported by benchctl" + again},
		"another kind of file":  {[]byte("hello, world"), archive.ErrDamaged, "import suite: it is not a suite exported by benchctl" + again},
		"another deflated file": {packed(t, []byte("hello, world, this is no suite")), archive.ErrDamaged, "import suite: it is not a suite exported by benchctl" + again},
		"cut short":             {file[:len(file)/2], archive.ErrDamaged, "import suite: it is truncated" + again},
		"cut short by a byte":   {file[:len(file)-1], archive.ErrDamaged, "import suite: it is truncated" + again},
		"without its end":       {packed(t, plain[:len(plain)-33]), archive.ErrDamaged, "import suite: it is truncated" + again},
		"a byte changed":        {change("b was lost", "b was last"), archive.ErrDamaged, "import suite: its checksum is wrong" + again},
		"more at its end":       {packed(t, append(slices.Clone(plain), 1)), archive.ErrDamaged, "import suite: it has data after its end" + again},
		"a newer form": {
			change("benchd suite\n\x01", "benchd suite\n\x02"), archive.ErrNewer,
			"import suite: it was exported by a newer benchd (its format has version 2, this benchd supports up to 1): import it with that benchd's release",
		},
		"a newer table": {
			change("\x05suite", "\x05suita"), archive.ErrNewer,
			`import suite: it was exported by a newer benchd (this one does not know "table suita"): import it with that benchd's release`,
		},
		"a newer column": {
			change("submitted_by", "submitted_to"), archive.ErrNewer,
			`import suite: it was exported by a newer benchd (this one does not know "column submitted_to of table suite"): import it with that benchd's release`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			to := openIn(t, t.TempDir())
			archivetest.Create(t, to, "A")
			_, err := to.Import(t.Context(), bytes.NewReader(test.file), trust)
			require.ErrorIs(t, err, test.kind)
			require.EqualError(t, err, test.text)
			require.Equal(t, [][]any{{int64(1), int64(1), int64(0)}}, query(t, to, `SELECT count(*), (SELECT count(*) FROM run), (SELECT count(*) FROM window) FROM suite`))
		})
	}
	t.Run("refused by its validation", func(t *testing.T) {
		to := openIn(t, t.TempDir())
		_, err := to.Import(t.Context(), bytes.NewReader(file), func(context.Context, archive.Suite, []archive.RunRecord) error { return errors.New("no phases") })
		require.EqualError(t, err, "import suite: no result can be made from it (no phases)"+again)
		require.Equal(t, [][]any{{int64(0), int64(0)}}, query(t, to, `SELECT count(*), (SELECT count(*) FROM window) FROM suite`))
	})
}

// A file with rows of another suite does not change that suite.
func TestImportChangesOnlyItsOwnSuite(t *testing.T) {
	tables := []portable.Table{
		{Name: "suite", Columns: []string{"id", "name", "note", "tags", "status", "created_ns", "submitted_by", "db"}},
		{Name: "run", Columns: []string{"id", "suite", "case_name", "repeat", "status", "reason", "properties"}},
		{Name: "event", Columns: []string{"run", "at_ns", "phase", "offset_ns", "kind", "text"}},
		{Name: "phase", Columns: []string{"run", "name"}},
		{Name: "window", Columns: []string{"seq"}},
		{Name: "measurement", Columns: []string{"op"}},
	}
	suite := []any{"S", "", "", "{}", "complete", int64(1), "", ""}
	run := []any{"S.1", "S", "", int64(1), "complete", "", "{}"}
	type row struct {
		table  int
		values []any
	}
	for name, rows := range map[string][]row{
		"a run before its suite":         {{1, run}},
		"two suites":                     {{0, suite}, {0, []any{"T", "", "", "{}", "complete", int64(1), "", ""}}},
		"an id with a blank":             {{0, []any{"S T", "", "", "{}", "complete", int64(1), "", ""}}},
		"an id that is a number":         {{0, []any{int64(7), "", "", "{}", "complete", int64(1), "", ""}}},
		"a suite that goes on":           {{0, []any{"S", "", "", "{}", "running", int64(1), "", ""}}},
		"a run that goes on":             {{0, suite}, {1, []any{"S.1", "S", "", int64(1), "queued", "", "{}"}}},
		"a run of another suite":         {{0, suite}, {1, []any{"A.2", "A", "", int64(1), "complete", "", "{}"}}},
		"a run named after another":      {{0, suite}, {1, []any{"A.2", "S", "", int64(1), "complete", "", "{}"}}},
		"an event of another run":        {{0, suite}, {1, run}, {2, []any{"A.1", int64(1), "", int64(0), "x", "y"}}},
		"a phase of another run":         {{0, suite}, {1, run}, {3, []any{"A.1", "load"}}},
		"a window without a phase":       {{0, suite}, {1, run}, {4, []any{int64(1)}}},
		"a measurement without a window": {{0, suite}, {1, run}, {3, []any{"S.1", "measure"}}, {5, []any{"READ"}}},
		"a window that lacks columns":    {{0, suite}, {1, run}, {3, []any{"S.1", "measure"}}, {4, []any{int64(1)}}},
		"a text where a number belongs":  {{0, []any{"S", "", "", "{}", "complete", "soon", "", ""}}},
		"the same run twice":             {{0, suite}, {1, run}, {1, run}},
		"no run":                         {{0, suite}},
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			zip := gzip.NewWriter(&file)
			w, err := portable.NewWriter(zip, tables)
			require.NoError(t, err)
			for _, r := range rows {
				require.NoError(t, w.Row(r.table, r.values))
			}
			require.NoError(t, errors.Join(w.End(), zip.Close()))
			to := openIn(t, t.TempDir())
			archivetest.Create(t, to, "A")
			_, err = to.Import(t.Context(), &file, trust)
			require.ErrorIs(t, err, archive.ErrDamaged)
			require.Equal(t, [][]any{{int64(1), int64(1), int64(0), int64(0)}}, query(t, to,
				`SELECT count(*), (SELECT count(*) FROM run), (SELECT count(*) FROM phase), (SELECT count(*) FROM event) FROM suite`))
		})
	}
}

// Import refuses any invalid file with an error of its own kinds, and without a trace.
func FuzzImport(f *testing.F) {
	dir, small := f.TempDir(), openIn(f, f.TempDir())
	archivetest.Create(f, small, "S")
	w := archivetest.WindowOf(latency.WindowID{Run: "S.1", Phase: "measure", Attempt: 1}, 3)
	w.Series = w.Series[:1]
	archivetest.Add(f, small, w)
	end(f, small, "S")
	plain := unpacked(f, export(f, small, "S"))
	f.Add(plain)
	f.Add(plain[:len(plain)/3])
	f.Add([]byte("benchd suite\n" + "\x01\x01\x05suite\x01\x02id\x01\x03\x01S\x00"))
	a := openIn(f, dir)
	f.Fuzz(func(t *testing.T, plain []byte) {
		id, err := a.Import(t.Context(), bytes.NewReader(packed(t, plain)), trust)
		if err == nil {
			require.NoError(t, a.Remove(t.Context(), id))
		} else if !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrNewer) {
			require.NoError(t, err)
		}
		require.Equal(t, [][]any{{int64(0), int64(0), int64(0)}}, query(t, a, `SELECT count(*), (SELECT count(*) FROM run), (SELECT count(*) FROM window) FROM suite`))
	})
}

// Remove returns space to the disk, Purge continues an interrupted removal, and a partly removed suite is invisible.
func TestRemoveReturnsSpace(t *testing.T) {
	dir := t.TempDir()
	a := fullArchive(t, dir)
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, FileName))
		require.NoError(t, err)
		return info.Size()
	}
	require.NoError(t, a.vacuum(t.Context()))
	before := size()
	big := archivetest.Create(t, a, "BIG")
	for seq := range 600 {
		archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: big, Phase: "measure", Attempt: 1, Seq: seq}, 40))
	}
	end(t, a, "BIG")
	used, err := a.Size(t.Context())
	require.NoError(t, err)
	require.Greater(t, used, before+500_000)

	// A process that dies during a removal leaves the suite marked and some of its windows deleted.
	for _, statement := range []string{`UPDATE suite SET removed = 1 WHERE id = 'BIG'`, `DELETE FROM window WHERE seq < 200 AND phase = (SELECT id FROM phase WHERE run = 'BIG.1')`} {
		_, err = a.writer.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	_, err = a.Suite(t.Context(), "BIG")
	require.ErrorIs(t, err, archive.ErrNotFound)
	_, err = a.Run(t.Context(), "BIG.1")
	require.ErrorIs(t, err, archive.ErrNotFound)
	runs, err := a.Runs(t.Context(), "BIG")
	require.NoError(t, err)
	require.Empty(t, runs)
	suites, err := a.Suites(t.Context())
	require.NoError(t, err)
	require.Len(t, suites, 2)
	extents, err := a.Extents(t.Context(), "BIG.1")
	require.NoError(t, err)
	require.Empty(t, extents)
	require.ErrorIs(t, a.Remove(t.Context(), "BIG"), archive.ErrNotFound)

	require.NoError(t, a.Purge(t.Context()))
	require.LessOrEqual(t, size(), before+64<<10)
	require.NotEmpty(t, content(t, a), "the others are as they were")
	require.NoError(t, a.Remove(t.Context(), "S"))
	require.Less(t, size(), before)
	require.Equal(t, [][]any{{int64(1)}}, query(t, a, `SELECT count(*) FROM window`))
}

// The space of expired suites is for new ones; maintenance returns it to the disk if it is a large part of the file.
func TestTheSpaceOfExpiredSuitesIsUsedAgain(t *testing.T) {
	dir := t.TempDir()
	a := fullArchive(t, dir)
	add := func(name string, windows int) {
		run := archivetest.Create(t, a, name)
		for seq := 0; seq < windows; seq += 100 {
			var batch []latency.Window
			for i := range 100 {
				batch = append(batch, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq + i}, 40))
			}
			_, err := a.AddWindows(t.Context(), batch)
			require.NoError(t, err)
		}
		end(t, a, name)
	}
	size := func() int64 {
		_, err := a.writer.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join(dir, FileName))
		require.NoError(t, err)
		return info.Size()
	}
	add("first", 2000)
	before := size()
	gone, err := a.Expire(t.Context(), time.Unix(1<<33, 0))
	require.NoError(t, err)
	require.Contains(t, gone, "first")
	require.Equal(t, before, size())
	add("second", 1900)
	require.LessOrEqual(t, size(), before+64<<10)
	gone, err = a.Expire(t.Context(), time.Unix(1<<33, 0))
	require.NoError(t, err)
	require.Contains(t, gone, "second")
	require.NoError(t, a.tidy(t.Context(), 0))
	require.Less(t, size(), before/4)
}

// The oldest suite is the one that ended first, in any order of submission; suites in progress are never returned.
func TestOldestIsOfTheEnded(t *testing.T) {
	a := openIn(t, t.TempDir())
	id, _, err := a.Oldest(t.Context())
	require.NoError(t, err)
	require.Empty(t, id)
	for i, name := range []string{"late", "early", "running"} {
		archivetest.Create(t, a, name)
		if name != "running" {
			runs, err := a.Runs(t.Context(), name)
			require.NoError(t, err)
			runs[0].Status, runs[0].Ended = result.Failed, time.Unix(int64(1000-100*i), 0).UTC()
			require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: runs, Suite: name, Status: result.Failed}))
		}
	}
	for _, want := range []string{"early", "late"} {
		id, ended, err := a.Oldest(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, id)
		require.Equal(t, map[string]int64{"early": 900, "late": 1000}[want], ended.Unix())
		require.NoError(t, a.Remove(t.Context(), id))
	}
	id, _, err = a.Oldest(t.Context())
	require.NoError(t, err)
	require.Empty(t, id)
}

// A backup is made while the archive is written to, and is an archive that a coordinator can use.
func TestABackupIsAnArchive(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	a := fullArchive(t, dir)
	file := filepath.Join(other, FileName)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for seq := 100; ; seq++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if _, err := a.AddWindows(t.Context(), []latency.Window{archivetest.WindowOf(latency.WindowID{Run: "A.1", Phase: "measure", Attempt: 1, Seq: seq}, 5)}); err != nil {
				done <- err
				return
			}
		}
	}()
	require.NoError(t, Backup(t.Context(), dir, file))
	close(stop)
	require.NoError(t, <-done)
	err := Backup(t.Context(), dir, file)
	require.ErrorIs(t, err, archive.ErrExists)
	copied := openIn(t, other)
	require.Equal(t, content(t, a), content(t, copied))
	require.Equal(t, [][]any{{"wal"}}, query(t, copied, `PRAGMA journal_mode`))
	archivetest.Create(t, copied, "NEW")
	_, err = os.Stat(file + ".partial")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorIs(t, Backup(t.Context(), t.TempDir(), filepath.Join(other, "x")), archive.ErrNotFound)
}

// Check accepts an intact archive, and finds damage in any part.
func TestCheckFindsDamage(t *testing.T) {
	dir := t.TempDir()
	a := fullArchive(t, dir)
	for _, full := range []bool{false, true} {
		c, err := Check(t.Context(), dir, full)
		require.NoError(t, err)
		require.Equal(t, []any{2, 3, 48, full}, []any{c.Suites, c.Runs, c.Windows, c.Histograms})
		require.Positive(t, c.Bytes)
	}
	_, err := a.writer.ExecContext(t.Context(), `UPDATE measurement SET count = count + 1 WHERE id = (SELECT max(id) FROM measurement)`)
	require.NoError(t, err)
	_, err = Check(t.Context(), dir, false)
	require.NoError(t, err)
	_, err = Check(t.Context(), dir, true)
	require.ErrorIs(t, err, archive.ErrCorrupt, "a histogram that is not what the columns beside it say")

	require.NoError(t, a.Close(t.Context()))
	path := filepath.Join(dir, FileName)
	bytes, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes[:len(bytes)-len(bytes)/3], 0o600))
	_, err = Check(t.Context(), dir, false)
	require.ErrorIs(t, err, archive.ErrCorrupt, "a file that was cut short")
	_, err = Open(t.Context(), dir, discard())
	require.ErrorIs(t, err, archive.ErrCorrupt)
	require.Contains(t, err.Error(), path)
	_, err = Check(t.Context(), t.TempDir(), false)
	require.ErrorIs(t, err, archive.ErrNotFound)
	require.Contains(t, fmt.Sprint(err), "--data")
}

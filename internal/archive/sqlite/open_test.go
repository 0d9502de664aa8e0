package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
)

func TestOpenCreatesThePrivateDirectory(t *testing.T) {
	for _, name := range []string{"data", "deep/er/data", "a ?#%20&=ü;'\" b"} {
		dir := filepath.Join(t.TempDir(), name)
		a := openIn(t, dir)
		require.Equal(t, filepath.Join(dir, "benchd.db"), a.Path())
		archivetest.Create(t, a, "s")
		require.FileExists(t, a.Path())
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	}
}

// A new archive is one line of the log, not one for each version of the schema.
func TestOpenLogsACreatedArchiveOnce(t *testing.T) {
	all, err := column.Migrations(migrationFiles)
	require.NoError(t, err)
	dir := t.TempDir()
	for _, want := range []string{"level=INFO msg=\"archive created\" file=" + filepath.Join(dir, FileName) + " version=" + strconv.Itoa(len(all)) + "\n", ""} {
		var log bytes.Buffer
		a, err := Open(t.Context(), dir, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
		require.NoError(t, err)
		require.NoError(t, a.Close(context.WithoutCancel(t.Context())))
		require.Equal(t, want, log.String())
	}
}

func TestAcknowledgedWindowsAreOnTheDisk(t *testing.T) {
	a := openIn(t, t.TempDir())
	for pragma, want := range map[string]string{
		"journal_mode": "wal",
		"synchronous":  "2", // FULL: each commit waits for the disk
		"foreign_keys": "1", "auto_vacuum": "2", "page_size": "8192", "application_id": strconv.Itoa(applicationID),
	} {
		var got string
		require.NoError(t, a.writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		require.Equal(t, want, got, pragma)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	a := openIn(t, t.TempDir())
	_, err := a.reader.ExecContext(t.Context(), `DELETE FROM suite`)
	require.ErrorContains(t, err, "readonly")
}

func TestDirectoryIsLockedUntilClose(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	_, err := Open(t.Context(), dir, discard())
	require.ErrorIs(t, err, archive.ErrLocked)
	require.EqualError(t, err, fmt.Sprintf("open data directory %s: it is in use by another benchd coordinator (process %d): "+
		"stop that one, or use another directory", dir, os.Getpid()))

	require.NoError(t, a.Close(t.Context()))
	require.NoError(t, a.Close(t.Context()), "closing again")
	b := openIn(t, dir)
	archivetest.Create(t, b, "s")
}

// A process that is being started has all files of the one that starts it.
func TestALockEndsWithItsArchive(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	inherited, err := syscall.Dup(int(a.lock.Fd()))
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Close(inherited)) }()
	require.NoError(t, a.Close(t.Context()))
	openIn(t, dir)
}

func TestCloseLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	archivetest.Create(t, a, "s")
	require.NoError(t, a.Close(t.Context()))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	require.Equal(t, []string{FileName, lockName}, names)
}

func TestCloseWhoseContextHasEndedLosesNothing(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(t.Context(), dir, discard())
	require.NoError(t, err)
	archivetest.Create(t, a, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.Close(ctx), context.Canceled)
	_, err = openIn(t, dir).Suite(t.Context(), "s")
	require.NoError(t, err)
}

func TestOpenRefusesUnusableFiles(t *testing.T) {
	released, err := fs.Glob(migrationFiles, "migrations/*.sql")
	require.NoError(t, err)
	last := len(released)
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, dir string) string // returns the directory to open
		want    error
		text    string // with %[1]s for the directory
	}{
		"directory beneath a file": {func(t *testing.T, dir string) string {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
			return filepath.Join(dir, "file", "data")
		}, archive.ErrNotWritable, "create data directory %[1]s: not writable: let benchd's user write there, or use another directory (mkdir "},
		"directory is a file": {func(t *testing.T, dir string) string {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
			return filepath.Join(dir, "file")
		}, archive.ErrNotWritable, "create data directory %[1]s: not writable: "},
		"directory in the lock file's place": {func(t *testing.T, dir string) string {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(dir, lockName), 0o700))
			return dir
		}, archive.ErrNotWritable, "open lock file %[1]s/benchd.lock: not writable: "},
		"directory in the file's place": {func(t *testing.T, dir string) string {
			t.Helper()
			require.NoError(t, os.Mkdir(filepath.Join(dir, FileName), 0o700))
			return dir
		}, archive.ErrNotWritable, "open archive %[1]s/benchd.db: not writable: "},
		"no database": {func(t *testing.T, dir string) string {
			t.Helper()
			write(t, filepath.Join(dir, FileName), make([]byte, 5000))
			return dir
		}, archive.ErrNotArchive, "open archive %[1]s/benchd.db: the file is not a benchd archive: move it away, or use another directory ("},
		"another program's database": {func(t *testing.T, dir string) string {
			t.Helper()
			execIn(t, dir, `CREATE TABLE song (title TEXT)`)
			return dir
		}, archive.ErrNotArchive, "open archive %[1]s/benchd.db: it is a database of another program: "},
		"another program's database of our version": {func(t *testing.T, dir string) string {
			t.Helper()
			execIn(t, dir, `CREATE TABLE song (title TEXT); PRAGMA user_version = 1`)
			return dir
		}, archive.ErrNotArchive, "open archive %[1]s/benchd.db: it is a database of another program: "},
		"newer": {func(t *testing.T, dir string) string {
			t.Helper()
			require.NoError(t, openIn(t, dir).Close(t.Context()))
			execIn(t, dir, `PRAGMA user_version = 1000`)
			return dir
		}, archive.ErrNewer, "open archive %[1]s/benchd.db: it was written by a newer benchd (its schema has version 1000, this benchd supports up to " +
			strconv.Itoa(last) + "): use that benchd, or use another directory"},
		"damaged": {func(t *testing.T, dir string) string {
			t.Helper()
			a := openIn(t, dir)
			archivetest.Create(t, a, "s")
			require.NoError(t, a.Close(t.Context()))
			content, err := os.ReadFile(a.Path())
			require.NoError(t, err)
			for i := 100; i < 8192; i++ { // the catalogue, behind a header that is whole
				content[i] = 0xee
			}
			write(t, a.Path(), content)
			return dir
		}, archive.ErrCorrupt, "open archive %[1]s/benchd.db: the archive is damaged: restore a backup, or save what can be read with \"sqlite3 %[1]s/benchd.db .recover\" ("},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tc.prepare(t, t.TempDir())
			before, _ := os.ReadFile(filepath.Join(dir, FileName))
			for range 2 { // the second time proves that the first let go of the lock
				_, err := Open(t.Context(), dir, discard())
				require.ErrorIs(t, err, tc.want)
				require.ErrorContains(t, err, fmt.Sprintf(tc.text, dir))
			}
			after, _ := os.ReadFile(filepath.Join(dir, FileName))
			require.Equal(t, before, after, "what is not ours is left as it was")
		})
	}
}

func TestMigrations(t *testing.T) {
	released, err := fs.Glob(migrationFiles, "migrations/*.sql")
	require.NoError(t, err)
	last := len(released)
	next := func(name, text string) fs.FS { // the released ones and one more
		files := fstest.MapFS{fmt.Sprintf("migrations/%04d_%s.sql", last+1, name): {Data: []byte(text)}}
		for _, file := range released {
			content, err := fs.ReadFile(migrationFiles, file)
			require.NoError(t, err)
			files[file] = &fstest.MapFile{Data: content}
		}
		return files
	}
	good := next("good", `ALTER TABLE suite ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'; CREATE TABLE song (title TEXT);`)
	broken := next("broken", `CREATE TABLE song (title TEXT); DELETE FROM run; INSERT INTO nowhere VALUES (1);`)
	dangling := next("dangling", `CREATE TABLE song (title TEXT); DELETE FROM suite;`)

	dir := t.TempDir()
	a := openIn(t, dir)
	run := archivetest.Create(t, a, "s")
	window := archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure"}, 12)
	archivetest.Add(t, a, window)
	require.NoError(t, a.Close(t.Context()))

	for name, files := range map[string]fs.FS{"broken": broken, "dangling": dangling} {
		_, err := open(t.Context(), dir, discard(), files)
		require.ErrorContains(t, err, fmt.Sprintf("apply migration %04d_%s.sql to %s", last+1, name, a.Path()))
	}
	a = openIn(t, dir) // the version before still: nothing of a broken migration stays
	_, err = a.writer.ExecContext(t.Context(), `SELECT * FROM song`)
	require.Error(t, err)
	require.Len(t, archivetest.WindowsIn(t, a, run), 1)
	require.NoError(t, a.Close(t.Context()))

	for _, times := range []string{"first", "second"} {
		a, err = open(t.Context(), dir, discard(), good)
		require.NoError(t, err, times)
		var mood string
		require.NoError(t, a.reader.QueryRowContext(t.Context(), `SELECT mood FROM suite JOIN pragma_user_version ON user_version = ?`, last+1).Scan(&mood))
		require.Equal(t, "good", mood)
		got := archivetest.WindowsIn(t, a, run)
		require.Len(t, got, 1)
		archivetest.RequireSameWindow(t, window, got[0])
		var enforced bool
		require.NoError(t, a.writer.QueryRowContext(t.Context(), `PRAGMA foreign_keys`).Scan(&enforced))
		require.True(t, enforced, "after a migration")
		require.NoError(t, a.Close(t.Context()))
	}
	_, err = Open(t.Context(), dir, discard())
	require.ErrorIs(t, err, archive.ErrNewer)
}

func TestWindowsOfAnOlderFileAreRead(t *testing.T) {
	first, err := fs.ReadFile(migrationFiles, "migrations/0001_first.sql")
	require.NoError(t, err)
	dir := t.TempDir()
	execIn(t, dir, string(first)+fmt.Sprintf(`;
		PRAGMA application_id = %d; PRAGMA user_version = 1;
		INSERT INTO suite VALUES (1, 's', '', '', '{}', 'complete', 0, '', 'null', NULL);
		INSERT INTO run (number, id, suite, case_name, repeat, status, reason, properties) VALUES (1, 's.1', 's', '', 1, 'complete', '', '{}');
		INSERT INTO phase VALUES (1, 's.1', 'measure');
		INSERT INTO window VALUES (1, 1, 3, 0, 1, 0, 5, 0, 1, 7, 0, 7, 7, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);`, applicationID))
	got := archivetest.WindowsIn(t, openIn(t, dir), "s.1")
	require.Len(t, got, 1)
	require.EqualValues(t, 7, got[0].Recorded)
	require.Nil(t, got[0].Lateness, "it was not kept then")
}

// Windows have the same contents after their lateness has moved into a table of its own.
func TestLatenessMovesWithItsWindow(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	run := archivetest.Create(t, a, "S")
	archivetest.Add(t, a, longWindows(run, 12)...)
	want := archivetest.WindowsIn(t, a, run)
	require.NoError(t, a.Close(t.Context()))
	execIn(t, dir, `ALTER TABLE window ADD COLUMN lateness BLOB;
		UPDATE window SET lateness = (SELECT histogram FROM lateness WHERE window = window.id);
		DROP TABLE lateness; DROP INDEX window_start; DROP INDEX window_measured; ALTER TABLE window DROP COLUMN retries; ALTER TABLE window DROP COLUMN worker_groups; ALTER TABLE window DROP COLUMN net_use;
		DROP TABLE alert; DROP TABLE schedule; PRAGMA user_version = 6`)
	a = openIn(t, dir)
	got := archivetest.WindowsIn(t, a, run)
	require.Len(t, got, len(want))
	for i := range want {
		want[i].Health.NetUse = 0 // was not kept then
		want[i].Retries, want[i].Groups = nil, nil
		archivetest.RequireSameWindow(t, want[i], got[i])
	}
	require.NotZero(t, query(t, a, `SELECT count(*) FROM lateness`)[0][0])
}

func TestMigrationsAreNumberedWithoutGaps(t *testing.T) {
	_, err := column.Migrations(migrationFiles)
	require.NoError(t, err)
	for _, name := range []string{"0002_a.sql", "first.sql", "0000_a.sql"} {
		_, err := column.Migrations(fstest.MapFS{"migrations/" + name: {}})
		require.ErrorContains(t, err, "want number 0001")
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

// execIn changes an archive's file with SQL.
func execIn(t *testing.T, dir, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), query)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

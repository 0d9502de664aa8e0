//go:build integration

package postgres

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
)

// openVersion opens a schema as a benchd with a second migration does, and as today's does without one. It does not lead.
func openVersion(t *testing.T, url, second string) *Archive {
	t.Helper()
	first, err := migrationFiles.ReadFile("migrations/0001_first.sql")
	require.NoError(t, err)
	files := fstest.MapFS{"migrations/0001_first.sql": {Data: first}}
	if second != "" {
		files["migrations/0002_second.sql"] = &fstest.MapFile{Data: []byte(second)}
	}
	a, err := open(t.Context(), url, discard(), files, true)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.WithoutCancel(t.Context()))) })
	return a
}

// versionOf is the version of the schema in the database.
func versionOf(t *testing.T, a *Archive) (version int) {
	t.Helper()
	require.NoError(t, a.reader.QueryRow(t.Context(), `SELECT max(version) FROM migration`).Scan(&version))
	return version
}

const renamed = `ALTER TABLE suite RENAME COLUMN note TO remark;`

// Coordinators of two versions share a schema while they are replaced one after another: the tables stay as the older leader knows them until a
// newer one leads. Then an older one never leads again.
func TestOnlyTheLeaderMigrates(t *testing.T) {
	t.Parallel()
	url := freshURL()
	older, stays := openVersion(t, url, ""), openVersion(t, url, "")
	lead(t, older)
	require.NoError(t, older.Migrate(t.Context()))
	archivetest.Create(t, older, "S")

	newer := openVersion(t, url, renamed)
	now, err := newer.Lead(t.Context(), archive.Leader{Boot: "newer"})
	require.NoError(t, err)
	require.NotEqual(t, "newer", now.Boot)
	require.ErrorIs(t, newer.Migrate(t.Context()), archive.ErrFenced)
	require.Equal(t, 1, versionOf(t, newer))
	note := "after the newer one has come"
	require.NoError(t, older.Annotate(t.Context(), "S", archive.Annotation{Note: &note}))

	require.NoError(t, older.Close(t.Context()))
	lead(t, newer)
	require.NoError(t, newer.Migrate(t.Context()))
	require.NoError(t, newer.Migrate(t.Context()), "again does nothing")
	require.Equal(t, 2, versionOf(t, newer))

	for range 2 {
		_, err = stays.Lead(t.Context(), archive.Leader{Boot: "stays"})
		require.ErrorIs(t, err, archive.ErrNewer)
		require.ErrorContains(t, err, "was written by a newer benchd (it has version 2, this benchd supports up to 1): use that benchd")
		expire(t, newer) // an older one does not take a free lease, either
	}
	_, err = Open(t.Context(), url, discard())
	require.ErrorIs(t, err, archive.ErrNewer)
	lead(t, openVersion(t, url, renamed))
}

// A coordinator that has lost the lease before or during its migration changes nothing.
func TestAMigrationNeedsTheLease(t *testing.T) {
	t.Parallel()
	url := freshURL()
	late, next := openVersion(t, url, renamed), openVersion(t, url, "")
	lead(t, late)
	expire(t, late)
	lead(t, next)
	require.ErrorIs(t, late.Migrate(t.Context()), archive.ErrFenced)
	require.Equal(t, 1, versionOf(t, next))
	archivetest.Create(t, next, "S")
	require.NoError(t, next.Annotate(t.Context(), "S", archive.Annotation{Tags: map[string]string{"a": "b"}}))
}

// A migration that is in progress when the lease has ended is either committed before another process leads, or not at all.
func TestATakeoverSeesTheMigration(t *testing.T) {
	t.Parallel()
	url := freshURL()
	newer, older := openVersion(t, url, `SELECT pg_sleep(0.5);`+renamed), openVersion(t, url, "")
	lead(t, newer)
	migrated := make(chan error, 1)
	go func() { migrated <- newer.Migrate(t.Context()) }()
	expire(t, newer)
	got, err := older.Lead(t.Context(), archive.Leader{Boot: "older"})
	done := <-migrated
	if version := versionOf(t, newer); version == 2 {
		require.NoError(t, done)
		if err == nil { // it has asked before the lease ended
			require.NotEqual(t, "older", got.Boot)
		} else {
			require.ErrorIs(t, err, archive.ErrNewer)
		}
	} else {
		require.Error(t, done)
		require.NoError(t, err)
		archivetest.Create(t, older, "S")
	}
}

// A migration that fails leaves nothing of itself, and the next leader continues.
func TestAFailedMigrationLeavesNothing(t *testing.T) {
	t.Parallel()
	url := freshURL()
	a := openVersion(t, url, `CREATE TABLE half (a bigint); SELECT 1/0;`)
	lead(t, a)
	err := a.Migrate(t.Context())
	require.ErrorContains(t, err, "migrate archive in PostgreSQL "+server.Address())
	require.ErrorContains(t, err, "apply migration 0002_second.sql: ERROR: division by zero")
	require.NoError(t, a.Close(t.Context()))
	a = openVersion(t, url, `CREATE TABLE half (a bigint);`)
	lead(t, a)
	require.NoError(t, a.Migrate(t.Context()))
	archivetest.Create(t, a, "S")
	require.NoError(t, a.Close(t.Context()))
	_, err = Open(t.Context(), url, discard())
	require.ErrorIs(t, err, archive.ErrNewer)
}

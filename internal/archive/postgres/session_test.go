//go:build integration

package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

// An archive can be behind a pooler that keeps sessions, and behind no other.
func TestAPoolerMustKeepSessions(t *testing.T) {
	t.Parallel()
	s := startOwn(t, postgrestest.Options{})
	pooler, err := postgrestest.StartPooler(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pooler.Stop()) })
	url := func(mode string) string { return "postgres://postgres@" + pooler.Address() + "/" + mode }

	for mode, text := range map[string]string{
		"transaction": "a pooler there gives each transaction another session: set pool_mode = session for this database in the pooler",
		"statement":   "statement pooling mode",
	} {
		for range 3 { // with sessions that the pooler has from before, too
			_, err := Open(t.Context(), url(mode), discard())
			require.ErrorContains(t, err, text, mode)
			require.ErrorContains(t, err, pooler.Address()+"/"+mode)
		}
	}
	_, err = Open(t.Context(), url("transaction"), discard())
	require.ErrorIs(t, err, archive.ErrNotWritable)
	tables, err := s.SQL(`SELECT count(*) FROM pg_namespace WHERE nspname = 'benchd'`)
	require.NoError(t, err)
	require.Equal(t, "0", tables, "nothing was written")

	a := leading(t, url("session"))
	run := archivetest.Create(t, a, "S")
	archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 1}, 5))
	require.NoError(t, a.Renew(t.Context()))
	require.Len(t, archivetest.WindowsIn(t, a, run), 1)
}

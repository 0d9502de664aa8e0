//go:build integration

package archives

import (
	"bytes"
	"context"
	"crypto/rand"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/postgres"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/target/all"
)

// reading counts how often the windows of a run are read.
type reading struct {
	*postgres.Archive
	reads int
}

func (r *reading) Windows(ctx context.Context, run string) iter.Seq2[*latency.Window, error] {
	r.reads++
	return r.Archive.Windows(ctx, run)
}

// leader is the archive of a coordinator that leads, and its results with a data directory of their own.
func leader(t *testing.T, url string) (*reading, *results.Store, string) {
	t.Helper()
	a, err := postgres.Open(t.Context(), url, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.WithoutCancel(t.Context()))) })
	me := archive.Leader{Boot: rand.Text(), RPC: "test"}
	leads, err := a.Lead(t.Context(), me)
	require.NoError(t, err)
	require.Equal(t, me.Boot, leads.Boot)
	require.NoError(t, a.Migrate(t.Context()))
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go keepLease(ctx, a)
	r, dir := &reading{Archive: a}, filepath.Join(t.TempDir(), "computed")
	log := slog.New(slog.DiscardHandler)
	return r, results.New(results.Config{
		Archive: r, Reader: all.Targets().Reader(), Version: "test", Clock: clock.NewSource(clock.Skew{}), Quarantine: quarantine.NewList(log), Logger: log, Sealed: dir, Records: a,
	}), dir
}

// The results that one coordinator has computed of ended runs are there at once when another one on another host leads.
func TestKeptResultsFollowTheLeader(t *testing.T) {
	url, _ := startPostgres(t, nil)
	a, first, dir := leader(t, url)
	resultstest.Ended(t, a, "S", 100, time.Hour, result.Complete)
	resultstest.Ended(t, a, "S2", 100, time.Hour, result.Complete)
	require.NoError(t, first.LookAfter(t.Context()))
	require.Equal(t, 2, a.reads)
	want, err := first.JSON(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, 2, a.reads)
	kept := func() string {
		names, err := a.KeptNames(t.Context(), archive.KeptResults)
		require.NoError(t, err)
		for i, name := range names {
			names[i] = name[strings.LastIndexByte(name, '/'):]
		}
		return strings.Join(names, "")
	}
	require.Equal(t, "/S.1/S2.1", kept())
	require.NoDirExists(t, dir)
	require.NoError(t, a.Yield(t.Context()))

	b, second, next := leader(t, url)
	shows := func(reads int) {
		t.Helper()
		b.reads = 0
		text, err := second.JSON(t.Context(), "S")
		require.NoError(t, err)
		require.Equal(t, string(want), string(text))
		require.Equal(t, reads, b.reads)
	}
	shows(0)
	require.NoError(t, second.LookAfter(t.Context()))
	require.Zero(t, b.reads)
	require.NoDirExists(t, next)
	_, err = first.JSON(t.Context(), "S2")
	require.NoError(t, err, "a former leader reads, and keeps nothing")
	require.ErrorIs(t, first.Remove(t.Context(), "S2"), archive.ErrFenced)
	require.Equal(t, "/S.1/S2.1", kept())

	var file, again bytes.Buffer
	require.NoError(t, second.Export(t.Context(), "S", &file))
	require.NoError(t, second.Remove(t.Context(), "S"))
	require.Equal(t, "/S2.1", kept())
	_, err = second.Import(t.Context(), bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, "/S2.1", kept())
	require.NoError(t, second.Export(t.Context(), "S", &again))
	shows(1)
	require.Equal(t, "/S.1/S2.1", kept())
	var with bytes.Buffer
	require.NoError(t, second.Export(t.Context(), "S", &with))
	require.Equal(t, again.Len(), with.Len(), "a file of a suite has no results")

	conn, err := pgx.Connect(t.Context(), url+"?search_path="+postgres.Schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	damaged, err := conn.Exec(t.Context(), `UPDATE kept SET content = set_byte(content, length(content) / 2, get_byte(content, length(content) / 2) # 255) WHERE name LIKE 'results/%/S.1'`)
	require.NoError(t, err)
	require.EqualValues(t, 1, damaged.RowsAffected())
	require.NoError(t, b.Yield(t.Context()))
	b, second, _ = leader(t, url)
	shows(1)
	require.NoError(t, b.Yield(t.Context()))
	b, second, dir = leader(t, url)
	shows(0)
	require.NoDirExists(t, dir)
}

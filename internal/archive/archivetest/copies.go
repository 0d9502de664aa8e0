package archivetest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/latency"
)

// A suite is copied from one archive to another, whether it has ended or not, and is the same there: also in its own file.
func testACopiedSuiteIsTheSame(t *testing.T, open Open) {
	from, to := open(t, t.TempDir()), open(t, t.TempDir())
	run := Create(t, from, "S")
	for seq := range 40 {
		Add(t, from, WindowOf(latency.WindowID{Run: run, Phase: "measure", Shard: seq % 2, Attempt: 1, Seq: seq}, 6))
	}
	Add(t, from, WindowOf(latency.WindowID{Run: run, Phase: "load", Attempt: 1}, 5))
	require.NoError(t, from.AddObservations(t.Context(), run, ObservedBy("rs1:16020")))
	require.NoError(t, from.Apply(t.Context(), archive.Change{Events: []archive.Event{{Run: run, At: time.Unix(5, 7).UTC(), Phase: "measure", Kind: "agent", Text: "b was lost"}}}))
	onward := func(context.Context) error { return nil }
	require.NoError(t, from.RollUp(t.Context(), archive.RollUp{Run: run, Phase: "measure", Step: 5 * time.Second, Windows: 5, Before: 40}, onward))

	var file, again bytes.Buffer
	require.NoError(t, from.Copy(t.Context(), "S", &file))
	id, err := to.Take(t.Context(), bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, "S", id)
	require.NoError(t, to.Copy(t.Context(), "S", &again))
	require.Equal(t, file.Bytes(), again.Bytes())
	require.Equal(t, WindowsIn(t, from, run), WindowsIn(t, to, run))
	for _, of := range []func(a Archive) (any, error){
		func(a Archive) (any, error) { return a.Suite(t.Context(), "S") },
		func(a Archive) (any, error) { return a.Unfinished(t.Context()) },
		func(a Archive) (any, error) { return a.Counts(t.Context(), run) },
		func(a Archive) (any, error) { return a.Extents(t.Context(), run) },
		func(a Archive) (any, error) { return a.Events(t.Context(), run) },
		func(a Archive) (any, error) { return a.Observations(t.Context(), run) },
	} {
		want, err := of(from)
		require.NoError(t, err)
		got, err := of(to)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = to.Take(t.Context(), bytes.NewReader(file.Bytes()))
	require.ErrorIs(t, err, archive.ErrExists)
	require.ErrorIs(t, from.Copy(t.Context(), "none", &file), archive.ErrNotFound)
	require.ErrorIs(t, from.Export(t.Context(), "S", &file), archive.ErrNotEnded, "an export is of an ended suite")
	_, err = to.Import(t.Context(), bytes.NewReader(file.Bytes()), func(context.Context, archive.Suite, []archive.RunRecord) error { return nil })
	require.ErrorIs(t, err, archive.ErrDamaged, "and so is an import")
	Add(t, to, WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: 100}, 5)) // the run goes on
}

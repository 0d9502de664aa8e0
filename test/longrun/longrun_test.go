package longrun_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/test/longrun"
	"github.com/benchd/benchd/test/testcluster"
)

// The run is a good one, and has all that a report can show of a long run.
func TestMake(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	longrun.Make(t, dir, 600)
	store, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()
	s := results.New(results.Config{
		Archive: store, Reader: all.Targets().Reader(), Version: "test", Clock: clock.NewSource(clock.Skew{}), Quarantine: quarantine.NewList(log), Logger: log,
	})
	text, err := s.JSON(t.Context(), longrun.ID)
	require.NoError(t, err)
	var run result.Run
	require.NoError(t, json.Unmarshal(text, &run))
	testcluster.RequireConsistent(t, run, longrun.Agents)
	p := run.Phases[0]
	require.Len(t, p.Operations, len(longrun.Operations()))
	require.Len(t, p.Series, 600)
	require.Len(t, p.Observations, 40)
	require.Len(t, p.Observations[0].Points, 600)
	require.Len(t, p.Actions, 1)
	dips := 0
	for _, i := range p.Incidents {
		if i.Dip != nil && *i.Dip {
			dips++
		}
	}
	require.Equal(t, 2, dips, "of the action, and of the lost server")
}

// Runs of other sizes are in the same archive, rolled up as a coordinator does.
func TestMakeSize(t *testing.T) {
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	long := longrun.Hundred()
	long.Seconds, long.Samples = 12_000, 3
	fleet := longrun.Fleet()
	fleet.Seconds, fleet.Agents = 3, 50
	longrun.MakeSize(t, dir, long)
	longrun.MakeSize(t, dir, fleet)
	store, err := sqlite.Open(t.Context(), dir, log)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) }()
	s := results.New(results.Config{
		Archive: store, Reader: all.Targets().Reader(), Version: "test", Clock: clock.NewSource(clock.Skew{}), Quarantine: quarantine.NewList(log), Logger: log,
	})
	for _, size := range []longrun.Size{long, fleet} {
		text, err := s.JSON(t.Context(), size.ID)
		require.NoError(t, err)
		var run result.Run
		require.NoError(t, json.Unmarshal(text, &run))
		testcluster.RequireConsistent(t, run, size.Agents)
		require.Len(t, run.Phases[0].Operations, size.Operations)
		require.Len(t, run.Phases[0].Observations, size.Figures)
		r, err := s.One(t.Context(), size.ID)
		require.NoError(t, err)
		series, err := s.Series(t.Context(), r, chart.Request{})
		require.NoError(t, err)
		var ops uint64
		for _, p := range series.Phases[0].Points {
			ops += p.Ops
		}
		require.Equal(t, run.Phases[0].Ops, ops)
	}
	extents, err := store.Extents(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []int{5, 1}, []int{extents[0].Rolled, extents[1].Rolled})
	require.Equal(t, []int{1, fleet.Agents}, []int{extents[0].Shards, extents[1].Shards})
}

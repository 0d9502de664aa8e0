package results

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// Agents returns the course of each agent of a run. live is the matrix of a run that is being conducted; nil for others, whose windows are
// counted: once, if the run has ended and is long.
func (s *Store) Agents(ctx context.Context, r *record.Run, live *chart.Matrix, shards []chart.AgentShard, points int) (chart.AgentSeries, error) {
	out := chart.AgentSeries{Schema: 1, Kind: "agent_series", ID: r.Archived.ID, Status: r.Archived.Status, Started: startOf(r)}
	if err := hasWindows(r); err != nil {
		return out, err
	}
	grid, err := s.gridOf(ctx, r, live)
	if err != nil {
		return out, err
	}
	out.Fill(grid, shards, points, func(phase string) time.Duration {
		began, _ := r.Began(plan.PhaseName(phase))
		return began
	})
	return out, nil
}

func (s *Store) gridOf(ctx context.Context, r *record.Run, live *chart.Matrix) (chart.Grid, error) {
	if live != nil {
		return live.Grid(), nil
	}
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return chart.Grid{}, err
	}
	if grid, ok, err := s.keptGrid(ctx, r, extents); ok || err != nil {
		return grid, err
	}
	m := newMatrix(r, extents)
	if _, err := s.read(ctx, r.Archived.ID, m.Add); err != nil {
		return chart.Grid{}, err
	}
	return m.Grid(), nil
}

// newMatrix returns a matrix for all windows of a run.
func newMatrix(r *record.Run, extents []archive.PhaseExtent) *chart.Matrix {
	var length time.Duration
	for _, e := range extents {
		length += max(e.Length, result.LengthFor(r.Settings.Interval, e.Rolled))
	}
	return chart.NewMatrix(len(r.State.Life.Shards), r.Settings.Interval, length)
}

// keptGrid reads the file of an ended long run.
func (s *Store) keptGrid(ctx context.Context, r *record.Run, extents []archive.PhaseExtent) (grid chart.Grid, ok bool, err error) {
	if !r.Archived.Status.Ended() || s.sealed.dir == "" || !slices.ContainsFunc(extents, s.mayBeLong) {
		return grid, false, nil
	}
	if err := s.ensure(ctx, r, sealedAgents); err != nil {
		return grid, false, err
	}
	f := s.sealed.open(r.Archived.ID, sealedAgents, keyOf(r))
	if f == nil {
		return grid, false, nil
	}
	defer f.close()
	if err := gob.NewDecoder(f).Decode(&grid); err != nil {
		s.log.Warn("read what was computed of a long run", "run", r.Archived.ID, "error", err)
		return chart.Grid{}, false, nil
	}
	_, err = io.Copy(io.Discard, f) // checks the sum
	return grid, err == nil, nil
}

// keepAgents keeps a matrix.
func (s *Store) keepAgents(run, key string, m *chart.Matrix) {
	f := s.sealed.create(run, sealedAgents, key)
	f.write(func(out io.Writer) error {
		if err := gob.NewEncoder(out).Encode(m.Grid()); err != nil {
			return fmt.Errorf("write agents: %w", err)
		}
		return nil
	})
	f.close(true)
}

// Telemetry returns what targets and hosts reported during a part of a run.
func (s *Store) Telemetry(ctx context.Context, r *record.Run, of chart.Request) (chart.Telemetry, error) {
	out := chart.Telemetry{Schema: 1, Kind: "telemetry", ID: r.Archived.ID, Status: r.Archived.Status, Started: startOf(r), Sources: []chart.TelemetryLine{}}
	observed, err := s.archive.Observations(ctx, r.Archived.ID)
	if err != nil {
		return out, err
	}
	for _, o := range observed {
		from, _ := slices.BinarySearch(o.At, of.From)
		to := len(o.At)
		if of.To > 0 {
			to, _ = slices.BinarySearch(o.At, of.To)
		}
		o.At, o.Values = o.At[min(from, to):to], o.Values[min(from, to):to]
		out.Sources = append(out.Sources, chart.FigureOf(o, of.AtMost()))
	}
	return out, nil
}

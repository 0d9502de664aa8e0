package results

import (
	"context"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// hasWindows returns an error for a run whose measurements are not in windows.
func hasWindows(r *record.Run) error {
	if r.State.Foreign != nil {
		return wire.Errorf(wire.ErrNotAllowed, "run %s is foreign: the archive has its figures, not its histograms; they are in the files that it was imported from", r.Archived.ID)
	}
	return nil
}

// startOf is the date of a run's time zero; nil before that.
func startOf(r *record.Run) *time.Time {
	if r.State.Epoch == 0 && r.State.Zero.IsZero() {
		return nil
	}
	return new(r.Zero().UTC())
}

// Series returns a part of a run's course. That of an ended long run is read from a file; else the windows of the part are merged.
func (s *Store) Series(ctx context.Context, r *record.Run, of chart.Request) (chart.Series, error) {
	out := chart.Series{Schema: 1, Kind: "series", ID: r.Archived.ID, Status: r.Archived.Status, Started: startOf(r), Phases: []chart.PhaseSeries{}}
	if err := hasWindows(r); err != nil {
		return out, err
	}
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return out, err
	}
	var parts []*seriesPart
	for _, e := range extents {
		began, _ := r.Began(plan.PhaseName(e.Phase))
		if from, to, ok := of.Within(began, e.Length); ok {
			parts = append(parts, &seriesPart{
				run: r.Archived.ID, interval: r.Settings.Interval, extent: e, of: of, from: from, to: to,
				PhaseSeries: chart.PhaseSeries{Name: e.Phase, Started: r.Zero().Add(began).UTC(), Begin: began.Seconds(), Points: []result.Point{}},
			})
		}
	}
	if filled, err := s.fillKept(ctx, r, extents, parts); err != nil {
		return out, err
	} else if !filled {
		for _, p := range parts {
			if err := p.merge(ctx, s.archive); err != nil {
				return out, err
			}
		}
	}
	for _, p := range parts {
		p.Step = p.step.Seconds()
		out.Phases = append(out.Phases, p.PhaseSeries)
	}
	return out, nil
}

// seriesPart is a part of a phase's course.
type seriesPart struct {
	run      string
	interval time.Duration
	extent   archive.PhaseExtent
	of       chart.Request
	from, to time.Duration // as requested

	step       time.Duration
	first, end time.Duration // the part in whole points
	chart.PhaseSeries
}

// pointLength is the length of the points that the archive has of a phase. Windows may be rolled up further than the phase's length
// requires.
func (p *seriesPart) pointLength() time.Duration {
	return result.PointLength(p.interval, max(p.extent.Length, result.LengthFor(p.interval, p.extent.Rolled)))
}

// align chooses the length of points, and extends the part to whole points.
func (p *seriesPart) align(point time.Duration) {
	p.step = max(p.of.StepFor(point, p.from, p.to), 1)
	p.first, p.end = p.from-p.from%p.step, p.to+(p.step-p.to%p.step)%p.step
	p.Points = p.Points[:0]
}

// merge makes points of the windows of the part. In a run in progress the newest windows are not rolled up yet, so that their points can
// be finer than those before.
func (p *seriesPart) merge(ctx context.Context, of Archive) error {
	if p.extent.Rolled <= 1 || p.from >= time.Duration(p.extent.RolledTo)*p.interval {
		p.align(p.interval)
		if fine, err := p.read(ctx, of); err != nil || fine {
			return err
		}
	}
	p.align(p.pointLength())
	_, err := p.read(ctx, of)
	return err
}

// read makes the points. It reports false if a window is rolled up further than they are long.
func (p *seriesPart) read(ctx context.Context, of Archive) (fine bool, err error) {
	thin := result.NewThinner()
	m := &merger{step: func(string) time.Duration { return p.step }, send: func(_ string, tail bool, iv *interval) error {
		p.Points = append(p.Points, thin.Point(iv.Start, iv.End, tail, iv.merged.Series()))
		return nil
	}}
	for w, err := range of.Measured(ctx, p.run, p.Name, p.first, p.end) {
		if err != nil {
			return false, err
		}
		if p.step < p.pointLength() && rolled(w, p.interval) {
			return false, nil
		}
		if err := m.add(w); err != nil {
			return false, err
		}
	}
	return true, m.flush()
}

// rolled reports whether a window has the measurements of others, too.
func rolled(w *latency.Window, interval time.Duration) bool { return w.End-w.Start > 3*interval/2 }

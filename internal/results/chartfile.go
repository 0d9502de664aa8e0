package results

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// storedPoint is a point of a series in a file. Its length is that of a level of the phase.
type storedPoint struct {
	Phase       string
	Step, Start time.Duration
	Text        []byte // JSON
}

// pointsFile makes the points of all levels, each from a finer one, and writes them into a file that readers need only look through.
type pointsFile struct {
	*sealing
	gob    *gob.Encoder
	thin   result.Thinner
	levels []*merger
}

// keepPoints returns the file of points of a run, which gets the intervals of its result.
func (s *Store) keepPoints(r *record.Run, lengths map[plan.PhaseName]time.Duration, key string) *pointsFile {
	f := &pointsFile{sealing: s.sealed.create(r.Archived.ID, sealedPoints, key), thin: result.NewThinner()}
	f.write(func(out io.Writer) error {
		f.gob = gob.NewEncoder(out)
		return nil
	})
	if f.sealing == nil {
		return f
	}
	point := func(phase string) time.Duration {
		return result.PointLength(r.Settings.Interval, lengths[plan.PhaseName(phase)])
	}
	for phase, length := range lengths {
		for level := len(f.levels); level < chart.Levels(point(string(phase)), length); level++ {
			f.levels = append(f.levels, &merger{
				step: func(phase string) time.Duration { return time.Duration(chart.Times(level)) * point(phase) },
				send: func(phase string, tail bool, iv *interval) error {
					return f.point(level, phase, Interval{Phase: phase, Start: iv.Start, End: iv.End, Tail: tail, Series: slices.Collect(iv.merged.All)})
				},
			})
		}
	}
	return f
}

// interval adds a complete interval of the finest level.
func (f *pointsFile) interval(iv Interval) error {
	if len(f.levels) == 0 {
		return nil
	}
	return f.point(0, iv.Phase, iv)
}

// windowOf is an interval as a window, for a merger.
func windowOf(iv Interval) *latency.Window {
	return &latency.Window{ID: latency.WindowID{Phase: iv.Phase}, Start: iv.Start, End: iv.End, Tail: iv.Tail, Series: iv.Series}
}

// point writes a point of a level, and adds it to the levels that are merged from this one.
func (f *pointsFile) point(level int, phase string, iv Interval) error {
	f.write(func(io.Writer) error {
		text, err := json.Marshal(f.thin.Point(iv.Start, iv.End, iv.Tail, iv.Series))
		if err != nil {
			return err
		}
		return f.gob.Encode(storedPoint{Phase: phase, Step: f.levels[level].step(phase), Start: iv.Start, Text: text})
	})
	for other := level + 1; other < len(f.levels); other++ {
		if chart.Finer(other) != level {
			continue
		}
		if err := f.levels[other].add(windowOf(iv)); err != nil {
			return err
		}
	}
	return nil
}

// flush completes all levels; finer ones are first.
func (f *pointsFile) flush() error {
	for _, level := range f.levels {
		if err := level.flush(); err != nil {
			return err
		}
	}
	return nil
}

// fillKept reads the points of parts from the file of an ended long run, which it makes first if there is none. It reports false for other
// runs, and if there can be no file.
func (s *Store) fillKept(ctx context.Context, r *record.Run, extents []archive.PhaseExtent, parts []*seriesPart) (bool, error) {
	if !r.Archived.Status.Ended() || s.sealed.dir == "" || !slices.ContainsFunc(extents, s.mayBeLong) {
		return false, nil
	}
	if err := s.ensure(ctx, r, sealedPoints); err != nil {
		return false, err
	}
	f := s.sealed.open(r.Archived.ID, sealedPoints, keyOf(r))
	if f == nil {
		return false, nil
	}
	defer f.close()
	for _, p := range parts {
		p.align(p.pointLength())
	}
	if err := fill(f, parts); err != nil {
		s.log.Warn("read what was computed of a long run", "run", r.Archived.ID, "error", err)
		return false, nil
	}
	return true, nil
}

// keyOf identifies the input of what is kept of a run.
func keyOf(r *record.Run) string { return documentKey(newSuiteKey(r.Suite), r.Archived) }

// ensure makes what is kept of an ended long run, if there is no file of a kind.
func (s *Store) ensure(ctx context.Context, r *record.Run, kind string) error {
	id, key := r.Archived.ID, keyOf(r)
	if s.sealed.has(id, kind, key) {
		return nil
	}
	for {
		_, err, _ := s.sealing.Do(key, func() (any, error) { return nil, s.seal(ctx, id) })
		left := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if !left || ctx.Err() != nil {
			return err
		} // the caller that began it has left
	}
}

// fill reads the points of parts.
func fill(f *sealedFile, parts []*seriesPart) error {
	for in := gob.NewDecoder(bufio.NewReaderSize(f, 1<<16)); ; {
		var stored storedPoint
		err := in.Decode(&stored)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read points: %w", err)
		}
		for _, p := range parts {
			if p.Name != stored.Phase || p.step != stored.Step || stored.Start < p.first || stored.Start >= p.end {
				continue
			}
			var point result.Point
			if err := json.Unmarshal(stored.Text, &point); err != nil {
				return fmt.Errorf("read a point: %w", err)
			}
			p.Points = append(p.Points, point)
		}
	}
}

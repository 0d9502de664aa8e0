package results

import (
	"context"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// seal makes the document of an ended run, its columns, points, agents and logs, unless there are all of them. Logs that were removed because there
// are too many are left to the first report that needs them.
func (s *Store) seal(ctx context.Context, id string) error {
	suite, runs, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	archived := runs[0]
	r, err := record.Open(s.reader, suite, archived)
	if err != nil || r.State.Foreign != nil {
		return err
	}
	of := newSuiteKey(suite)
	key := documentKey(of, archived)
	if !s.madeRuns.has(id) && !s.sealed.hasDocument(ctx, id, key) {
		if _, err := s.document(ctx, suite, of, archived); err != nil {
			return err
		}
	}
	if s.sealed.has(id, sealedColumns, key) && s.sealed.has(id, sealedPoints, key) && s.sealed.has(id, sealedAgents, key) && s.sealed.tried(id, sealedLogs) {
		return nil
	}
	p, err := s.newPass(ctx, r, key)
	if err != nil {
		return err
	}
	defer p.drop()
	windows, err := s.read(ctx, id, p.add)
	if err != nil {
		return err
	}
	return p.end(windows)
}

// compute makes the document of an ended run. If the run is not short, the document is kept, and compute returns the size of its JSON. The pass over
// the windows of a long run makes its columns and its logs, too.
func (s *Store) compute(ctx context.Context, suite archive.Suite, archived archive.RunRecord, key string) (doc result.Run, size int64, err error) {
	began := clock.Mono()
	extents, err := s.archive.Extents(ctx, archived.ID)
	if err != nil {
		return result.Run{}, 0, err
	}
	if s.sealed.dir == "" || !slices.ContainsFunc(extents, s.mayBeLong) {
		doc, windows, err := s.build(ctx, suite, archived, extents, nil)
		if err == nil && windows >= s.sealed.documents {
			size = s.sealed.keepDocument(ctx, key, doc)
		}
		return doc, size, err
	}
	r, err := record.Open(s.reader, suite, archived)
	if err != nil {
		return result.Run{}, 0, err
	}
	p, err := s.newPass(ctx, r, key)
	if err != nil {
		return result.Run{}, 0, err
	}
	defer p.drop()
	doc, windows, err := s.build(ctx, suite, archived, extents, p.add)
	if err == nil {
		err = p.end(windows)
	}
	if err == nil && windows >= s.sealed.documents {
		size = s.sealed.keepDocument(ctx, key, doc)
	}
	if err == nil && windows >= s.sealed.windows {
		s.log.Info("result of a long run is computed", "run", archived.ID, "windows", windows, "took", began.Elapsed().Round(time.Millisecond))
	}
	return doc, size, err
}

// mayBeLong reports whether the run of a phase may have windows enough to be sealed: they are counted when they are read.
func (s *Store) mayBeLong(e archive.PhaseExtent) bool {
	return e.Windows*max(e.Shards, 1) >= s.sealed.windows/2
}

// pass is a pass over the windows of a run, which makes its columns, points, agents and logs. Columns and points are merged of intervals,
// which are fewer than windows.
type pass struct {
	fine, wide *merger
	encode     logsEncoder
	columns    *columnsFile
	points     *pointsFile
	logs       *logsFile
	agents     *chart.Matrix
	keepAgents func()
	enough     int // windows for columns and logs that are kept
	over       bool
}

func (s *Store) newPass(ctx context.Context, r *record.Run, key string) (*pass, error) {
	extents, err := s.archive.Extents(ctx, r.Archived.ID)
	if err != nil {
		return nil, err
	}
	lengths := lengthsOf(r, extents)
	id := r.Archived.ID
	p := &pass{agents: newMatrix(r, extents), enough: s.sealed.windows, columns: s.keepColumns(id, key), points: s.keepPoints(r, lengths, key), logs: s.keepLogs(id, key)}
	p.keepAgents = func() { s.keepAgents(id, key, p.agents) }
	p.wide = newMerger(r, lengths, result.Columns, func(iv Interval) error {
		p.columns.interval(iv)
		return nil
	})
	p.encode.take = func(encoding []byte) error {
		p.logs.portion(encoding)
		return nil
	}
	p.fine = newMerger(r, lengths, 0, func(iv Interval) error {
		if err := p.encode.interval(iv); err != nil {
			return err
		}
		if err := p.points.interval(iv); err != nil {
			return err
		}
		return p.wide.add(windowOf(iv))
	})
	return p, nil
}

func (p *pass) add(w *latency.Window) error {
	if err := p.agents.Add(w); err != nil {
		return err
	}
	return p.fine.add(w)
}

// end keeps what was made of enough windows.
func (p *pass) end(windows int) error {
	for _, flush := range []func() error{p.fine.flush, p.wide.flush, p.points.flush, p.encode.flush} {
		if err := flush(); err != nil {
			return err
		}
	}
	p.close(windows >= p.enough, true)
	return nil
}

// drop keeps nothing, unless the pass has ended.
func (p *pass) drop() {
	if !p.over {
		p.close(false, false)
	}
}

// close keeps the files that report readers need of long runs, and those of charts, which are read more often.
func (p *pass) close(long, whole bool) {
	p.over = true
	p.columns.close(long)
	p.logs.close(long)
	p.points.close(whole)
	if whole {
		p.keepAgents()
	}
}

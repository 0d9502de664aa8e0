package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

const (
	pointsBatch   = 8192               // points in one write
	pointsAhead   = 128 * pointsBatch  // points that may wait for the disk
	pointsWindows = 8                  // windows that may wait for their points
	pointsPiece   = 256 << 10          // bytes of an answer
	pointsKept    = 7 * 24 * time.Hour // before a file is removed
	pointsSuffix  = ".points.gz"
	pointsSpare   = 1 << 30 // bytes of the disk that stay free
)

// points keeps every operation of a shard on disk. Workers only copy theirs into memory; when the disk is too slow or
// nearly full, points are lost and counted.
//
// The points of a window form a gzip member of their own, which has the number of the window. A window is passed on after
// its points are written, so that no counted window lacks its points when the process dies. While the disk stalls, at
// most pointsWindows windows wait for it.
type points struct {
	path string
	open func() (*os.File, error) // opens the file, to append to it
	log  *slog.Logger
	free func(dir string) uint64
	keep func(*latency.Window) // called with windows in the order in which they were cut

	mu      sync.Mutex
	window  int             // the number of the window that is open, in the segment
	batch   []latency.Point // of the open window
	later   []laterPoint    // of windows after it
	lost    uint64          // of the open window
	held    int             // points in memory
	queue   []pointsWork
	ending  bool              // no point is added to the segment any more
	ready   chan struct{}     // holds a token when there is something to do
	done    chan struct{}     // closed when all is on disk; nil between segments
	waiting []*latency.Window // windows that have not been passed on
	written int               // number of windows whose points are written

	handing sync.Mutex // held while windows are passed on; locked before mu
}

type laterPoint struct {
	window int
	latency.Point
}

// pointsWork is a write of points of a window; complete marks the last one.
type pointsWork struct {
	window   int
	batch    []latency.Point
	lost     uint64
	complete bool
}

// pointsName returns the name of the file of a shard's points in the spool; empty if the shard's name is invalid.
func (a *Agent) pointsName(key shardKey) string {
	if a.config.Spool == "" || key.run == "" || !filepath.IsLocal(key.run) || filepath.Base(key.run) != key.run {
		return ""
	}
	return fmt.Sprintf("%s-%d-%d%s", key.run, key.shard, key.attempt, pointsSuffix)
}

// openPoints opens a file of points in the spool.
func (a *Agent) openPoints(name string, flag int) (*os.File, error) {
	folder, err := a.folder()
	if err != nil {
		return nil, err
	}
	file, err := folder.OpenFile(name, flag, 0o600)
	return file, errors.Join(err, folder.Close())
}

// newPoints creates the file of a shard's points, and removes old files.
func (s *shard) newPoints() (*points, error) {
	name := s.a.pointsName(s.key)
	if name == "" {
		return nil, errors.New("keep raw points: the agent has no --spool directory")
	}
	folder, err := s.a.folder()
	if err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	defer func() { _ = folder.Close() }()
	old, err := fs.Glob(folder.FS(), "*"+pointsSuffix)
	if err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	for _, name := range old {
		if info, err := folder.Lstat(name); err == nil && s.a.settled.Wall().Sub(info.ModTime()) > pointsKept {
			_ = folder.Remove(name) // retried with the next run
		}
	}
	if err := folder.WriteFile(name, nil, 0o600); err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	return &points{
		path: filepath.Join(s.a.config.Spool, name), log: s.log, free: freeDisk, keep: s.keep,
		open: func() (*os.File, error) { return s.a.openPoints(name, os.O_APPEND|os.O_WRONLY) },
	}, nil
}

// begin begins a segment and returns its Tap; runTime maps the instants of points to the run's time.
func (p *points) begin(phase plan.PhaseName, keys []latency.Key, runTime func(int64) int64) latency.Tap {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window, p.batch, p.later, p.lost, p.ending = 0, make([]latency.Point, 0, pointsBatch), nil, 0, false
	p.ready, p.done = make(chan struct{}, 1), make(chan struct{})
	w := &pointsWriter{p: p, phase: string(phase), keys: keys, runTime: runTime}
	go func() {
		defer close(p.done)
		w.run()
	}()
	return p.add
}

func (p *points) add(_, series, window int, done, response, service int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held >= pointsAhead || p.ending {
		p.lost++
		return
	}
	p.held++
	x := latency.Point{Series: series, Done: done, Response: response, Service: service}
	if window > p.window {
		p.later = append(p.later, laterPoint{window, x})
		return
	}
	p.take(x)
}

// take adds a point of the open window. The caller holds mu.
func (p *points) take(x latency.Point) {
	if p.batch = append(p.batch, x); len(p.batch) == pointsBatch {
		p.enqueue(false)
		p.batch = make([]latency.Point, 0, pointsBatch)
	}
}

// enqueue queues the points of the open window for writing. The caller holds mu, and allocates another batch.
func (p *points) enqueue(complete bool) {
	p.queue = append(p.queue, pointsWork{p.window, p.batch, p.lost, complete})
	p.lost = 0
	select {
	case p.ready <- struct{}{}:
	default:
	}
}

// cut ends the open window, after all of its points have been added.
func (p *points) cut(w *latency.Window) {
	p.mu.Lock()
	if w.Last {
		for _, x := range p.later {
			p.take(x.Point)
		}
		p.later = nil
	}
	p.enqueue(true)
	p.batch = make([]latency.Point, 0, pointsBatch)
	p.window++
	later := p.later
	p.later = nil
	for _, x := range later {
		if x.window > p.window {
			p.later = append(p.later, x)
		} else {
			p.take(x.Point)
		}
	}
	p.waiting = append(p.waiting, w)
	overdue := len(p.waiting) > pointsWindows
	p.mu.Unlock()
	if overdue {
		p.handOn()
	}
}

// handOn passes on windows that need not wait any more.
func (p *points) handOn() {
	p.handing.Lock()
	defer p.handing.Unlock()
	for {
		p.mu.Lock()
		if p.written <= 0 && len(p.waiting) <= pointsWindows {
			p.mu.Unlock()
			return
		}
		next := p.waiting[0]
		p.waiting[0] = nil
		p.waiting = p.waiting[1:]
		p.written-- // below zero: its points are still to be written
		p.mu.Unlock()
		p.keep(next)
	}
}

// end waits until a segment's points are on disk and its windows passed on.
func (p *points) end() {
	p.mu.Lock()
	done := p.done
	if done == nil {
		p.mu.Unlock()
		return
	}
	if !p.ending {
		p.ending = true
		p.enqueue(false) // points added after the last window
	}
	p.mu.Unlock()
	<-done
}

// next waits for work; ok is false when there is no more.
func (p *points) next() (work pointsWork, ok bool) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			work = p.queue[0]
			p.queue[0] = pointsWork{}
			p.queue = p.queue[1:]
			p.mu.Unlock()
			return work, true
		}
		ending := p.ending
		p.mu.Unlock()
		if ending {
			return work, false
		}
		<-p.ready
	}
}

// finished notes that work is done or has failed: its points free their room, and its window need not wait.
func (p *points) finished(work pointsWork) {
	p.mu.Lock()
	p.held -= len(work.batch)
	if work.complete {
		p.written++
	}
	p.mu.Unlock()
	p.handOn()
}

// sendPoints answers a request for points. The caller holds the agent's lock; the file is read in a goroutine.
func (a *Agent) sendPoints(m *benchdv1.PointsOrder) {
	out, name := a.out, a.pointsName(keyOf(m.GetId()))
	if out == nil {
		return
	}
	a.work.Go(func() {
		piece := &benchdv1.PointsPiece{Number: m.GetNumber()}
		data, last, err := a.readPiece(name, int64(m.GetOffset()))
		if piece.Data, piece.Last = data, last; err != nil {
			piece.Error = err.Error()
		}
		out.add(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Points{Points: piece}}, nil)
	})
}

func (a *Agent) readPiece(name string, offset int64) (data []byte, last bool, err error) {
	unavailable := errors.New("the agent has no raw points of this run: they are kept for a week, and only if measurementtype includes raw")
	if name == "" {
		return nil, false, unavailable
	}
	file, err := a.openPoints(name, os.O_RDONLY)
	if err != nil {
		return nil, false, unavailable
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	if offset < 0 || offset > info.Size() {
		return nil, false, fmt.Errorf("invalid offset %d: the raw points have %d bytes", offset, info.Size())
	}
	data = make([]byte, min(pointsPiece, info.Size()-offset))
	if _, err := file.ReadAt(data, offset); err != nil && len(data) > 0 {
		return nil, false, err
	}
	return data, offset+int64(len(data)) == info.Size(), nil
}

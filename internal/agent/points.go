package agent

import (
	"compress/gzip"
	"errors"
	"fmt"
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
	pointsBatch  = 8192               // points in one piece of work for the disk
	pointsAhead  = 128                // pieces that may wait for it: a million points
	pointsPiece  = 256 << 10          // bytes of an answer
	pointsKept   = 7 * 24 * time.Hour // before a file is removed
	pointsSuffix = ".points.gz"
	pointsSpare  = 1 << 30 // bytes that the disk keeps free
)

// points keeps every operation of a shard on disk. Workers only copy theirs into memory; when the disk is slower than
// they are, or nearly full, points are lost, and counted.
type points struct {
	path string
	log  *slog.Logger
	free func(dir string) uint64

	mu    sync.Mutex
	batch []latency.Point
	queue chan []latency.Point // nil between segments
	lost  uint64
	done  chan struct{}
}

// pointsPath is where a shard's points are; empty if the shard has no proper name.
func (a *Agent) pointsPath(key shardKey) string {
	if a.config.Spool == "" || key.run == "" || !filepath.IsLocal(key.run) || filepath.Base(key.run) != key.run {
		return ""
	}
	return filepath.Join(a.config.Spool, fmt.Sprintf("%s-%d-%d%s", key.run, key.shard, key.attempt, pointsSuffix))
}

// newPoints makes room for a shard's points. Old files make room for new ones.
func (s *shard) newPoints() (*points, error) {
	path := s.a.pointsPath(s.key)
	if path == "" {
		return nil, errors.New("keep raw points: the agent has no --spool directory")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"+pointsSuffix))
	if err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	for _, name := range old {
		if info, err := os.Stat(name); err == nil && s.a.settled.Wall().Sub(info.ModTime()) > pointsKept {
			_ = os.Remove(name) // it is tried again with the next run
		}
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, fmt.Errorf("keep raw points: %w", err)
	}
	return &points{path: path, log: s.log, free: freeDisk}, nil
}

// begin begins a segment and returns what takes its points; runTime maps when they were done to the run's time.
func (p *points) begin(phase plan.PhaseName, keys []latency.Key, runTime func(int64) int64) func(worker, series int, done, response, service int64) {
	queue, done := make(chan []latency.Point, pointsAhead), make(chan struct{})
	p.mu.Lock()
	p.batch, p.queue, p.done, p.lost = make([]latency.Point, 0, pointsBatch), queue, done, 0
	p.mu.Unlock()
	go func() {
		defer close(done)
		if err := p.write(phase, keys, runTime, queue); err != nil {
			p.log.Error("raw points are not kept", "error", err)
			for range queue { // nobody waits for them
			}
		}
	}()
	return p.add
}

func (p *points) add(_, series int, done, response, service int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batch = append(p.batch, latency.Point{Series: series, Done: done, Response: response, Service: service})
	if len(p.batch) < pointsBatch || p.queue == nil {
		return
	}
	select {
	case p.queue <- p.batch:
		p.batch = make([]latency.Point, 0, pointsBatch)
	default:
		p.lost += uint64(len(p.batch))
		p.batch = p.batch[:0]
	}
}

// end waits until a segment's points are on disk.
func (p *points) end() {
	p.mu.Lock()
	queue, batch, done := p.queue, p.batch, p.done
	p.queue, p.batch = nil, nil
	p.mu.Unlock()
	if queue == nil {
		return
	}
	queue <- batch
	close(queue)
	<-done
}

// write writes a segment behind those before it.
func (p *points) write(phase plan.PhaseName, keys []latency.Key, runTime func(int64) int64, queue <-chan []latency.Point) (err error) {
	file, err := os.OpenFile(p.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	packed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := latency.NewPointsWriter(packed)
	if err := w.Segment(string(phase), keys); err != nil {
		return err
	}
	full, missed := false, uint64(0)
	for batch := range queue {
		if !full && p.free(filepath.Dir(p.path)) < pointsSpare {
			full = true
			p.log.Warn("raw points are not kept any more: the disk is nearly full", "file", p.path)
		}
		if full {
			missed += uint64(len(batch))
			continue
		}
		for _, x := range batch {
			x.Done = runTime(x.Done)
			if err := w.Add(x); err != nil {
				return err
			}
		}
	}
	p.mu.Lock()
	lost := p.lost + missed
	p.mu.Unlock()
	return errors.Join(w.End(lost), packed.Close())
}

// sendPoints answers an order. The caller holds the agent's lock; reading is not waited for.
func (a *Agent) sendPoints(m *benchdv1.PointsOrder) {
	out, path := a.out, a.pointsPath(keyOf(m.GetId()))
	if out == nil {
		return
	}
	a.work.Go(func() {
		piece := &benchdv1.PointsPiece{Number: m.GetNumber()}
		data, last, err := readPiece(path, int64(m.GetOffset()))
		if piece.Data, piece.Last = data, last; err != nil {
			piece.Error = err.Error()
		}
		out.add(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Points{Points: piece}}, nil)
	})
}

func readPiece(path string, offset int64) (data []byte, last bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, errors.New("the agent has no raw points of this run: they are kept for a week, where measurementtype asks for them")
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	if offset < 0 || offset > info.Size() {
		return nil, false, fmt.Errorf("the raw points have %d bytes, and %d was asked for", info.Size(), offset)
	}
	data = make([]byte, min(pointsPiece, info.Size()-offset))
	if _, err := file.ReadAt(data, offset); err != nil && len(data) > 0 {
		return nil, false, err
	}
	return data, offset+int64(len(data)) == info.Size(), nil
}

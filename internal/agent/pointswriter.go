package agent

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"

	"github.com/benchd/benchd/internal/latency"
)

// pointsWriter appends the points of a segment to the file of its shard.
type pointsWriter struct {
	p       *points
	phase   string
	keys    []latency.Key
	runTime func(int64) int64

	file   *os.File
	packed *gzip.Writer
	w      *latency.PointsWriter
	open   bool   // a window's points are being written
	lost   uint64 // of that window
	full   bool
}

// run writes until the segment ends. After a failure it discards the rest.
func (w *pointsWriter) run() {
	var failed error
	for {
		work, ok := w.p.next()
		if !ok {
			break
		}
		if failed == nil {
			if failed = w.write(work); failed != nil {
				w.p.log.Error("raw points are not kept", "error", failed)
			}
		}
		w.p.finished(work)
	}
	if w.file == nil {
		return
	}
	if failed == nil {
		failed = w.complete()
	}
	if err := errors.Join(failed, w.file.Close()); err != nil {
		w.p.log.Error("raw points are not kept", "error", err)
	}
}

func (w *pointsWriter) write(work pointsWork) error {
	lost := work.lost
	if !w.full && len(work.batch) > 0 && w.p.free(filepath.Dir(w.p.path)) < pointsSpare {
		w.full = true
		w.p.log.Warn("raw points are discarded: the disk is nearly full", "file", w.p.path)
	}
	if w.full {
		lost += uint64(len(work.batch))
		work.batch = nil
	}
	if len(work.batch) > 0 || lost > 0 {
		if err := w.begin(work.window); err != nil {
			return err
		}
	}
	w.lost += lost
	for _, x := range work.batch {
		x.Done = w.runTime(x.Done)
		if err := w.w.Add(x); err != nil {
			return err
		}
	}
	if work.complete {
		return w.complete()
	}
	return nil
}

// begin starts the gzip member of a window, if it has not started.
func (w *pointsWriter) begin(window int) error {
	if w.open {
		return nil
	}
	if w.file == nil {
		var err error
		if w.file, err = w.p.open(); err != nil {
			return err
		}
		if w.packed, err = gzip.NewWriterLevel(w.file, gzip.BestSpeed); err != nil {
			return err
		}
		w.w = latency.NewPointsWriter(w.packed)
	} else {
		w.packed.Reset(w.file)
	}
	w.packed.Comment = latency.PointsComment(window)
	w.open = true
	return w.w.Segment(w.phase, w.keys)
}

// complete ends the gzip member of a window, if it has started.
func (w *pointsWriter) complete() error {
	if !w.open {
		return nil
	}
	lost := w.lost
	w.open, w.lost = false, 0
	return errors.Join(w.w.End(lost), w.packed.Close())
}

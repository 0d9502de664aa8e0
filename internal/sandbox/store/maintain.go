package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Figures are a region's size and request counts.
type Figures struct {
	Reads, Writes  int64 // rows
	MemStoreBytes  int64 // written since the last flush
	StoreFiles     int   // files that hold some of the region's cells; neighbours may share a file
	StoreFileBytes int64 // the region's part of them
}

// Figures returns the region's current figures.
func (r *Region) Figures() (Figures, error) {
	low, high := r.span()
	levels, err := r.store.db.SSTables(pebble.WithKeyRangeFilter(low, high))
	if err != nil {
		return Figures{}, fmt.Errorf("list the files of region %s: %w", r.info.Encoded, err)
	}
	f := Figures{Reads: r.reads.Load(), Writes: r.writes.Load(), MemStoreBytes: r.memStore()}
	for _, files := range levels {
		f.StoreFiles += len(files)
	}
	size, err := r.store.db.EstimateDiskUsage(low, high)
	if err != nil {
		return Figures{}, fmt.Errorf("measure region %s: %w", r.info.Encoded, err)
	}
	f.StoreFileBytes = int64(size)
	return f, nil
}

// wrote counts the bytes of a batch.
func (r *Region) wrote(size int64) {
	if now := r.store.flushes.Load(); r.freshSince.Swap(now) != now {
		r.fresh.Store(0)
	}
	r.fresh.Add(size)
	r.store.unread.Add(size)
	r.table.written.Add(size)
	r.store.tidy(r.table)
}

func (r *Region) memStore() int64 {
	if r.freshSince.Load() != r.store.flushes.Load() {
		return 0
	}
	return r.fresh.Load()
}

// measureEvery is how many bytes may be written before memory use is measured again.
const measureEvery = 4 << 20

// measureAgain is how soon a full store measures again.
const measureAgain = 50 * time.Millisecond

// hasRoom refuses writes when an in-memory store is full.
func (s *Store) hasRoom() error {
	if s.opts.Dir != "" {
		return nil
	}
	if s.unread.Load() > measureEvery && s.unread.Swap(0) > measureEvery {
		s.measure()
	}
	held := s.held.Load() + s.unread.Load()
	if last := s.measured.Load(); held > s.opts.MaxBytes && time.Since(time.Unix(0, last)) > measureAgain && s.measured.CompareAndSwap(last, time.Now().UnixNano()) {
		s.measure()
		held = s.held.Load()
	}
	if held > s.opts.MaxBytes {
		return fmt.Errorf("%w: %d MiB in memory of %d; delete, truncate or compact a table, or start the sandbox with --data or a larger --max-memory", ErrFull, held>>20, s.opts.MaxBytes>>20)
	}
	return nil
}

func (s *Store) measure() {
	s.unread.Store(0)
	m := s.db.Metrics()
	s.held.Store(int64(m.DiskSpaceUsage() + m.MemTable.Size))
}

// Flush writes the memory table to files. All regions share it, so all are flushed.
func (r *Region) Flush() error {
	if r.gone.Load() {
		return about(ErrRegionGone, r.info.Encoded)
	}
	return r.store.Flush()
}

// Flush writes the memory table to files.
func (s *Store) Flush() error {
	if err := s.db.Flush(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// SplitPoint is the first row with half of the region's bytes before it, or the last row. It fails with ErrNoSplit if
// there are fewer than two rows.
func (r *Region) SplitPoint() ([]byte, error) {
	if r.gone.Load() {
		return nil, about(ErrRegionGone, r.info.Encoded)
	}
	low, high := r.span()
	it, err := r.store.db.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: high})
	if err != nil {
		return nil, fmt.Errorf("find the middle of region %s: %w", r.info.Encoded, err)
	}
	defer it.Close()
	total, below := 0, 0
	for it.First(); it.Valid(); it.Next() {
		total += entrySize(it)
	}
	var first, middle []byte
	for it.First(); it.Valid(); it.Next() {
		key := it.Key()
		if row := key[:splitKey(key)]; !bytes.Equal(row, middle) {
			middle = append(middle[:0], row...)
			if first == nil {
				first = bytes.Clone(row)
			} else if below >= total/2 {
				break
			}
		}
		below += entrySize(it)
	}
	if err := it.Error(); err != nil {
		return nil, fmt.Errorf("find the middle of region %s: %w", r.info.Encoded, err)
	}
	if bytes.Equal(first, middle) {
		return nil, fmt.Errorf("%w: region %s has fewer than two rows", ErrNoSplit, r.info.Encoded)
	}
	row, _ := unescape(nil, middle[tablePrefix:])
	return bytes.Clone(row), nil
}

func entrySize(it *pebble.Iterator) int {
	value := it.LazyValue()
	return len(it.Key()) + value.Len()
}

// Compact removes the cells that no reader can see, if major is set, and merges the region's files into as few as
// possible.
func (r *Region) Compact(major bool) error {
	if r.gone.Load() {
		return about(ErrRegionGone, r.info.Encoded)
	}
	low, high := r.span()
	if major {
		if err := r.store.sweep(r.table, low, high, true); err != nil {
			return err
		}
	}
	if err := r.store.db.Compact(r.store.ctx, low, high, false); err != nil {
		return fmt.Errorf("compact region %s: %w", r.info.Encoded, err)
	}
	return nil
}

// sweepBatch is the size in bytes of the keys that a sweep deletes at once.
const sweepBatch = 1 << 20

// sweep deletes what no reader can see: hidden and expired values, and extra versions; with markers it deletes markers,
// too.
func (s *Store) sweep(t *table, low, high []byte, markers bool) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: low, UpperBound: high})
	if err != nil {
		return fmt.Errorf("sweep table %s: %w", t.current.Load().Name, err)
	}
	defer it.Close()
	rd := &reader{it: it}
	rd.reset(t.current.Load().Families, &Read{MaxVersions: 1<<31 - 1}, s.now())
	prefix := appendTable(nil, t.id)
	b := s.db.NewBatch()
	defer func() { _ = b.Close() }()
	for it.First(); it.Valid() && s.ctx.Err() == nil; it.Next() {
		key := it.Key()
		if len(rd.prefix) == 0 || !bytes.HasPrefix(key, rd.prefix) {
			if err := rd.enter(prefix); err != nil {
				return err
			}
		}
		lives, err := rd.decode(key)
		if err != nil {
			return err
		}
		keep, _ := rd.classify(&rd.c, lives)
		if rd.c.Type != protocol.TypePut && !markers && rd.conf != nil {
			keep = true
		}
		if keep {
			continue
		}
		if err := b.Delete(key, nil); err != nil {
			return fmt.Errorf("sweep table %s: %w", t.current.Load().Name, err)
		}
		if b.Len() < sweepBatch {
			continue
		}
		if err := s.apply(t, b); err != nil {
			return err
		}
		b.Reset()
	}
	if err := it.Error(); err != nil {
		return fmt.Errorf("sweep table %s: %w", t.current.Load().Name, err)
	}
	return s.apply(t, b)
}

// apply commits a sweep's batch, unless the table was dropped meanwhile.
func (s *Store) apply(t *table, b *pebble.Batch) error {
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.dropped || b.Empty() {
		return nil
	}
	if err := s.db.Apply(b, pebble.NoSync); err != nil {
		return fmt.Errorf("sweep table %s: %w", t.current.Load().Name, err)
	}
	return nil
}

// tidy starts a sweep of a table after many writes.
func (s *Store) tidy(t *table) {
	if s.opts.TidyBytes < 0 || t.written.Load() < max(s.opts.TidyBytes, t.tidyAt.Load()) || !t.tidying.CompareAndSwap(false, true) {
		return
	}
	low, high := appendTable(nil, t.id), appendTable(nil, t.id+1)
	if holds, err := s.db.EstimateDiskUsage(low, high); err != nil || t.written.Load() < int64(holds) {
		t.tidyAt.Store(int64(holds))
		t.tidying.Store(false)
		return
	}
	t.written.Store(0)
	t.tidyAt.Store(0)
	s.background(func() {
		defer t.tidying.Store(false)
		if err := s.sweep(t, low, high, false); err != nil {
			s.opts.Logger.ErrorContext(s.ctx, "remove invisible versions", "table", t.current.Load().Name.String(), "err", err)
		}
	})
}

// reclaim frees the space of the dropped cells of a table or snapshot.
func (s *Store) reclaim(number uint32, name string) {
	s.background(func() {
		err := s.db.Compact(s.ctx, appendTable(nil, number), appendTable(nil, number+1), false)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.opts.Logger.ErrorContext(s.ctx, "free the space of a dropped table or snapshot", "name", name, "err", err)
		}
	})
}

// background runs work that Close cancels and waits for.
func (s *Store) background(work func()) {
	s.ending.Lock()
	defer s.ending.Unlock()
	if !s.closed.Load() {
		s.work.Go(work)
	}
}

package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Snapshot is a table as it was at one time. Its cells are a copy of the table's, under a number of their own.
type Snapshot struct {
	Name    string
	Table   Table
	Splits  [][]byte // start keys of its regions but the first
	Created int64    // milliseconds since 1970
}

type snapshotRecord struct {
	Number   uint32
	Snapshot Snapshot
}

func snapshotKey(name string) []byte { return append([]byte{spaceSnapshot}, name...) }

// Snapshots lists all snapshots by name.
func (s *Store) Snapshots() []Snapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Snapshot, 0, len(s.snapshots))
	for _, r := range s.snapshots {
		all = append(all, r.Snapshot)
	}
	slices.SortFunc(all, func(a, b Snapshot) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TakeSnapshot copies a table. The table can be used meanwhile; the snapshot has what was written before the call.
func (s *Store) TakeSnapshot(table Name, name string) error {
	s.copying.Lock()
	defer s.copying.Unlock()
	r, view, source, err := s.beginSnapshot(table, name)
	if err != nil {
		return err
	}
	defer view.Close()
	if err := s.copyCells(view, source, r.Number); err != nil {
		return fmt.Errorf("take snapshot %s of table %s: %w", name, table, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(func(b *pebble.Batch) error { return set(b, snapshotKey(name), r) }); err != nil {
		return err
	}
	s.snapshots[name] = r
	return nil
}

// beginSnapshot returns the record of a new snapshot, and the cells under the table's number that it copies.
func (s *Store) beginSnapshot(table Name, name string) (r snapshotRecord, view *pebble.Snapshot, source uint32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.snapshots[name]; ok {
		return r, nil, 0, about(ErrSnapshotExists, name)
	}
	t, err := s.table(table)
	if err != nil {
		return r, nil, 0, err
	}
	r.Snapshot = Snapshot{Name: name, Table: *t.current.Load(), Splits: t.splits(), Created: s.now()}
	if r.Number, err = s.reserve(); err != nil {
		return r, nil, 0, err
	}
	return r, s.db.NewSnapshot(), t.id, nil
}

// RestoreSnapshot gives a disabled table the definition, the regions and a copy of the cells of a snapshot of it. The table stays
// disabled, and its regions are new.
func (s *Store) RestoreSnapshot(table Name, name string) ([]*Region, error) {
	s.copying.Lock()
	defer s.copying.Unlock()
	r, number, err := s.beginRestore(table, name)
	if err != nil {
		return nil, err
	}
	if err := s.copyCells(s.db, r.Number, number); err != nil {
		return nil, fmt.Errorf("restore snapshot %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.disabled(table)
	if err != nil { // it was enabled or deleted meanwhile
		return nil, s.dropCopy(number, err)
	}
	definition := r.Snapshot.Table
	definition.State = Disabled
	return s.replaceTable(t, number, definition, r.Snapshot.Splits)
}

// beginRestore returns the snapshot to restore, and the number of the table that will have its cells.
func (s *Store) beginRestore(table Name, name string) (r snapshotRecord, number uint32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.snapshots[name]
	if !ok {
		return r, 0, about(ErrSnapshotNotFound, name)
	}
	if _, err := s.disabled(table); err != nil {
		return r, 0, err
	}
	if r.Snapshot.Table.Name != table {
		return r, 0, fmt.Errorf("%w: snapshot %s is of table %s, not of %s", ErrBadRequest, name, r.Snapshot.Table.Name, table)
	}
	number, err = s.reserve()
	return r, number, err
}

// DeleteSnapshot removes a snapshot with its cells.
func (s *Store) DeleteSnapshot(name string) error {
	s.copying.Lock() // no restore reads its cells
	defer s.copying.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.snapshots[name]
	if !ok {
		return about(ErrSnapshotNotFound, name)
	}
	err := s.write(func(b *pebble.Batch) error {
		if err := b.Delete(snapshotKey(name), nil); err != nil {
			return err
		}
		return b.DeleteRange(appendTable(nil, r.Number), appendTable(nil, r.Number+1), nil)
	})
	if err != nil {
		return err
	}
	delete(s.snapshots, name)
	s.reclaim(r.Number, name)
	return nil
}

// reserve takes the next number for cells. It is recorded before they are written, so that no other table gets it after a crash. The
// caller holds mu.
func (s *Store) reserve() (uint32, error) {
	number := s.nextTable
	err := s.write(func(b *pebble.Batch) error { return set(b, metaKey(), number+1) })
	if err == nil {
		s.nextTable++
	}
	return number, err
}

// copyBatch is the size in bytes of the batches of a copy.
const copyBatch = 1 << 20

// copyCells copies all cells under one number to another one.
func (s *Store) copyCells(from pebble.Reader, source, number uint32) error {
	it, err := from.NewIter(&pebble.IterOptions{LowerBound: appendTable(nil, source), UpperBound: appendTable(nil, source+1)})
	if err != nil {
		return err
	}
	defer it.Close()
	b := s.db.NewBatch()
	defer func() { _ = b.Close() }()
	var key []byte
	apply := func() error {
		if err := s.hasRoom(); err != nil {
			return err
		}
		s.unread.Add(int64(b.Len()))
		err := s.db.Apply(b, pebble.NoSync)
		b.Reset()
		return err
	}
	for it.First(); it.Valid(); it.Next() {
		key = append(appendTable(key[:0], number), it.Key()[tablePrefix:]...)
		if err := b.Set(key, it.Value(), nil); err != nil {
			return err
		}
		if b.Len() < copyBatch {
			continue
		}
		if err := apply(); err != nil {
			return s.dropCopy(number, err)
		}
	}
	return s.dropCopy(number, cmp.Or(it.Error(), apply()))
}

// dropCopy removes what was copied if the copy failed.
func (s *Store) dropCopy(number uint32, failed error) error {
	if failed == nil {
		return nil
	}
	_ = s.db.DeleteRange(appendTable(nil, number), appendTable(nil, number+1), pebble.NoSync) // else the next Open does it
	return failed
}

// dropUnknown removes cells that belong to no table and no snapshot: a copy that a crash has interrupted.
func (s *Store) dropUnknown(known []uint32) error {
	slices.Sort(known)
	low := uint32(0)
	return s.write(func(b *pebble.Batch) error {
		for _, number := range append(known, s.nextTable) {
			if low < number {
				if err := b.DeleteRange(appendTable(nil, low), appendTable(nil, number), nil); err != nil {
					return err
				}
			}
			low = number + 1
		}
		return nil
	})
}

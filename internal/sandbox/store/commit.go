package store

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Mutate applies one mutation. out, if not nil, gets the new values of an Increment or Append.
func (r *Region) Mutate(m *Mutation, out *Result) error {
	return r.atomically([]*Mutation{m}, nil, out)
}

// MutateRows applies all mutations or none. All rows must be in the region.
func (r *Region) MutateRows(ms []*Mutation) error {
	if len(ms) == 0 {
		return nil
	}
	return r.atomically(ms, nil, nil)
}

// Batch applies each mutation by itself, in order, and returns the error of each; it waits for the disk once. out[i],
// if it exists, gets the new values of an Increment or Append.
func (r *Region) Batch(ms []*Mutation, out []*Result) []error {
	errs := make([]error, len(ms))
	definition := r.table.current.Load()
	release, err := r.enter()
	if err != nil {
		return slices.Repeat([]error{err}, len(ms))
	}
	indexed := slices.ContainsFunc(ms, func(m *Mutation) bool { return m.Kind != Put })
	w := &writer{region: r, definition: definition, batch: r.store.batch(indexed)}
	unlock := r.store.lock(r.table.id, ms)
	durability := Unsynced
	for i, m := range ms {
		if errs[i] = r.validate(definition, m); errs[i] != nil {
			continue
		}
		var result *Result
		if i < len(out) {
			result = out[i]
		}
		errs[i] = w.add(r.store.stripe(r.table.id, m.Row), m, result)
		durability = min(durability, m.Durability)
	}
	err = w.commit(durability, unlock, release)
	if err != nil {
		for i := range errs {
			if errs[i] == nil {
				errs[i] = err
			}
		}
	}
	r.writes.Add(int64(len(ms)))
	return errs
}

// atomically locks the rows, checks the condition, applies the mutations, unlocks, and waits for the disk.
func (r *Region) atomically(ms []*Mutation, when func(w *writer) (bool, error), out *Result) error {
	definition := r.table.current.Load()
	indexed, durability := when != nil && len(ms) > 1, Unsynced
	for _, m := range ms {
		if err := r.validate(definition, m); err != nil {
			return err
		}
		indexed = indexed || len(ms) > 1 && m.Kind != Put
		durability = min(durability, m.Durability)
	}
	release, err := r.enter()
	if err != nil {
		return err
	}
	unlock := r.store.lock(r.table.id, ms)
	w := &writer{region: r, definition: definition, batch: r.store.batch(indexed)}
	abandon := func(err error) error {
		unlock()
		release()
		return cmp.Or(err, w.batch.Close())
	}
	if when != nil {
		if ok, err := when(w); err != nil || !ok {
			return abandon(err)
		}
	}
	for _, m := range ms {
		if err := w.add(r.store.stripe(r.table.id, m.Row), m, out); err != nil {
			return abandon(err)
		}
	}
	r.writes.Add(int64(len(ms)))
	return w.commit(durability, unlock, release)
}

// enter prevents the table's cells from being dropped while a batch is applied.
func (r *Region) enter() (release func(), err error) {
	r.table.gate.RLock()
	if r.table.dropped || r.gone.Load() {
		r.table.gate.RUnlock()
		return nil, about(ErrRegionGone, r.info.Encoded)
	}
	if err := r.store.hasRoom(); err != nil {
		r.table.gate.RUnlock()
		return nil, err
	}
	return r.table.gate.RUnlock, nil
}

func (s *Store) batch(indexed bool) *pebble.Batch {
	if indexed {
		return s.db.NewIndexedBatch()
	}
	return s.db.NewBatch()
}

// commit makes the batch visible, unlocks the rows, and waits for the requested durability.
func (w *writer) commit(durability Durability, unlock, release func()) error {
	s := w.region.store
	defer w.batch.Close()
	if w.batch.Empty() {
		unlock()
		release()
		return nil
	}
	wait := durability == Synced && s.opts.Dir != ""
	var err error
	if wait {
		err = s.db.ApplyNoSyncWait(w.batch, pebble.Sync)
	} else {
		err = s.db.Apply(w.batch, pebble.NoSync)
	}
	unlock()
	release()
	if err == nil && wait {
		began := time.Now()
		err = w.batch.SyncWait()
		if s.opts.OnSync != nil {
			s.opts.OnSync(time.Since(began))
		}
	}
	if err != nil {
		return fmt.Errorf("write to region %s: %w", w.region.info.Encoded, err)
	}
	w.region.wrote(w.size)
	return nil
}

func (s *Store) stripe(table uint32, row []byte) *stripe {
	return &s.locks[(maphash.Bytes(s.seed, row)+uint64(table))%stripes]
}

// lock locks the rows of all mutations, always in the same order.
func (s *Store) lock(table uint32, ms []*Mutation) (unlock func()) {
	if len(ms) == 1 {
		st := s.stripe(table, ms[0].Row)
		st.Lock()
		return st.Unlock
	}
	which := make([]int, len(ms))
	for i, m := range ms {
		which[i] = int((maphash.Bytes(s.seed, m.Row) + uint64(table)) % stripes)
	}
	slices.Sort(which)
	which = slices.Compact(which)
	for _, i := range which {
		s.locks[i].Lock()
	}
	return func() {
		for _, i := range which {
			s.locks[i].Unlock()
		}
	}
}

func escapedLen(b []byte) int {
	n := len(b) + 2
	for _, x := range b {
		if x == escape {
			n++
		}
	}
	return n
}

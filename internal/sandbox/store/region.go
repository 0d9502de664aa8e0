package store

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Region is the part of a table between two keys. After a split, a merge, or the drop of its table it returns
// ErrRegionGone.
type Region struct {
	store *Store
	table *table
	info  RegionInfo // Server and State are guarded by Store.mu; the rest never changes
	gone  atomic.Bool

	reads, writes atomic.Int64
	fresh         atomic.Int64 // bytes written since the flush numbered below
	freshSince    atomic.Int64
}

func newRegion(s *Store, t *table, info RegionInfo) *Region {
	return &Region{store: s, table: t, info: info}
}

// Info returns the region's entry in the catalogue.
func (r *Region) Info() RegionInfo {
	r.store.mu.RLock()
	defer r.store.mu.RUnlock()
	return r.info.clone()
}

// Table returns the region's table in its current state.
func (r *Region) Table() Table { return *r.table.current.Load() }

// ReadOnly reports whether cells of the region's table must not be changed.
func (r *Region) ReadOnly() bool { return r.table.current.Load().ReadOnly }

// Assign records the region's server and state.
func (r *Region) Assign(server string, state RegionState) error {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.gone.Load() {
		return about(ErrRegionGone, r.info.Encoded)
	}
	info := r.info
	info.Server, info.State = server, state
	err := r.store.write(func(b *pebble.Batch) error {
		return set(b, regionKey(info.Encoded), regionRecord{r.table.id, info})
	})
	if err == nil {
		r.info.Server, r.info.State = server, state
	}
	return err
}

// Split splits a region into two. Both are on the region's server.
func (r *Region) Split(at []byte) (low, high *Region, err error) {
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.gone.Load() {
		return nil, nil, about(ErrRegionGone, r.info.Encoded)
	}
	if !r.info.Contains(at) || len(at) == 0 || bytes.Equal(at, r.info.Start) {
		return nil, nil, fmt.Errorf("%w: %q is not between the keys %q and %q of region %s", ErrNoSplit, at, r.info.Start, r.info.End, r.info.Encoded)
	}
	low = newRegion(s, r.table, s.regionInfo(r.info.Table, r.info.Start, at, r.info.Server))
	high = newRegion(s, r.table, s.regionInfo(r.info.Table, at, r.info.End, r.info.Server))
	low.inherit(r)
	if err := s.replace(r.table, []*Region{r}, []*Region{low, high}); err != nil {
		return nil, nil, err
	}
	return low, high, nil
}

// Merge merges neighbouring regions, given in any order. The result is on the server of the lowest.
func (s *Store) Merge(regions ...*Region) (*Region, error) {
	if len(regions) < 2 {
		return nil, fmt.Errorf("%w: merging takes at least two regions", ErrBadRequest)
	}
	regions = slices.Clone(regions)
	slices.SortFunc(regions, func(a, b *Region) int { return bytes.Compare(a.info.Start, b.info.Start) })
	s.mu.Lock()
	defer s.mu.Unlock()
	first, last := regions[0], regions[len(regions)-1]
	for i, r := range regions {
		if r.gone.Load() {
			return nil, about(ErrRegionGone, r.info.Encoded)
		}
		if i > 0 && (r.table != first.table || len(r.info.Start) == 0 || !bytes.Equal(r.info.Start, regions[i-1].info.End)) {
			return nil, fmt.Errorf("%w: regions %s and %s are not neighbours", ErrBadRequest, regions[i-1].info.Encoded, r.info.Encoded)
		}
	}
	merged := newRegion(s, first.table, s.regionInfo(first.info.Table, first.info.Start, last.info.End, first.info.Server))
	for _, r := range regions {
		merged.inherit(r)
	}
	if err := s.replace(first.table, regions, []*Region{merged}); err != nil {
		return nil, err
	}
	return merged, nil
}

// replace replaces neighbouring regions of a table by others, in one batch.
func (s *Store) replace(t *table, old, fresh []*Region) error {
	err := s.write(func(b *pebble.Batch) error {
		for _, r := range old {
			if err := b.Delete(regionKey(r.info.Encoded), nil); err != nil {
				return err
			}
		}
		return setRegions(b, fresh)
	})
	if err != nil {
		return err
	}
	at := slices.Index(t.regions, old[0])
	t.regions = slices.Replace(slices.Clone(t.regions), at, at+len(old), fresh...)
	for _, r := range old {
		r.gone.Store(true)
		delete(s.regions, r.info.Encoded)
	}
	for _, r := range fresh {
		s.regions[r.info.Encoded] = r
	}
	return nil
}

// inherit takes over another region's counts.
func (r *Region) inherit(from *Region) {
	r.reads.Add(from.reads.Load())
	r.writes.Add(from.writes.Load())
	r.fresh.Add(from.memStore())
	r.freshSince.Store(r.store.flushes.Load())
}

// serves checks that a row belongs to the region and that the region serves.
func (r *Region) serves(row []byte) error {
	if r.gone.Load() {
		return about(ErrRegionGone, r.info.Encoded)
	}
	if len(row) == 0 {
		return fmt.Errorf("%w: a row's key is empty", ErrBadRequest)
	}
	if !r.info.Contains(row) {
		return fmt.Errorf("%w: %q is not in region %s, which is [%q, %q)", ErrWrongRegion, row, r.info.RegionName(), r.info.Start, r.info.End)
	}
	return nil
}

// families checks that the table has the families of a read.
func (r *Region) families(definition *Table, columns []Columns) error {
	for i := range columns {
		if !slices.ContainsFunc(definition.Families, func(f Family) bool { return f.Name == columns[i].Family }) {
			return r.noFamily(columns[i].Family)
		}
	}
	return nil
}

func (r *Region) noFamily(name string) error {
	return fmt.Errorf("%w: column family %s does not exist in region %s of table %s", ErrNoFamily, name, r.info.RegionName(), r.info.Table)
}

// span returns the bounds of the region's keys.
func (r *Region) span() (low, high []byte) {
	low = appendTable(nil, r.table.id)
	if len(r.info.Start) > 0 {
		low = appendRow(nil, r.table.id, r.info.Start)
	}
	high = appendTable(nil, r.table.id+1)
	if len(r.info.End) > 0 {
		high = appendRow(nil, r.table.id, r.info.End)
	}
	return low, high
}

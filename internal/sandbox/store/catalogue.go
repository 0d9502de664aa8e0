package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Keys of the catalogue: a letter, then the name or number; values are JSON.
const (
	spaceMeta      = 'm' // the next table's number
	spaceNamespace = 'n'
	spaceRegion    = 'r'
	spaceSnapshot  = 's'
	spaceTable     = 't'
)

// table is the shared state of a table's regions.
type table struct {
	id      uint32
	current atomic.Pointer[Table]
	regions []*Region // by start key; guarded by Store.mu
	written atomic.Int64
	tidyAt  atomic.Int64 // when written reaches this, the store considers a sweep
	tidying atomic.Bool

	gate    sync.RWMutex // held for reading while a batch is applied, for writing while the table's cells are dropped
	dropped bool
}

type tableRecord struct {
	Number uint32
	Table  Table
}

type regionRecord struct {
	Number uint32 // number of its table
	Region RegionInfo
}

func namespaceKey(name string) []byte { return append([]byte{spaceNamespace}, name...) }
func regionKey(encoded string) []byte { return append([]byte{spaceRegion}, encoded...) }
func tableKey(id uint32) []byte       { return binary.BigEndian.AppendUint32([]byte{spaceTable}, id) }
func metaKey() []byte                 { return []byte{spaceMeta} }

func set(b *pebble.Batch, key []byte, record any) error {
	value, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode a record of the catalogue: %w", err)
	}
	return b.Set(key, value, nil)
}

func (s *Store) load() error {
	byID := map[uint32]*table{}
	err := cmp.Or(
		each(s.db, spaceMeta, func(n *uint32) { s.nextTable = *n }),
		each(s.db, spaceNamespace, func(n *Namespace) { s.namespaces[n.Name] = *n }),
		each(s.db, spaceTable, func(r *tableRecord) {
			t := &table{id: r.Number}
			t.current.Store(&r.Table)
			s.tables[r.Table.Name], byID[r.Number] = t, t
		}),
		each(s.db, spaceRegion, func(r *regionRecord) {
			if t := byID[r.Number]; t != nil {
				region := newRegion(s, t, r.Region)
				t.regions = append(t.regions, region)
				s.regions[r.Region.Encoded] = region
				s.lastRegion = max(s.lastRegion, r.Region.ID)
			}
		}),
		each(s.db, spaceSnapshot, func(r *snapshotRecord) { s.snapshots[r.Snapshot.Name] = *r }),
	)
	if err != nil {
		return err
	}
	for _, t := range byID {
		slices.SortFunc(t.regions, func(a, b *Region) int { return bytes.Compare(a.info.Start, b.info.Start) })
	}
	if len(s.namespaces) > 0 {
		known := slices.Collect(maps.Keys(byID))
		for _, r := range s.snapshots {
			known = append(known, r.Number)
		}
		return s.dropUnknown(known)
	}
	return s.write(func(b *pebble.Batch) error {
		for _, name := range []string{DefaultNamespace, SystemNamespace} {
			n := Namespace{Name: name}
			s.namespaces[name] = n
			if err := set(b, namespaceKey(name), n); err != nil {
				return err
			}
		}
		return nil
	})
}

// each decodes the records of one letter.
func each[T any](db *pebble.DB, space byte, use func(*T)) error {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{space}, UpperBound: []byte{space + 1}})
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	defer it.Close()
	for it.First(); it.Valid(); it.Next() {
		record := new(T)
		if err := json.Unmarshal(it.Value(), record); err != nil {
			return fmt.Errorf("read the catalogue's record %q: %w", it.Key(), err)
		}
		use(record)
	}
	if err := it.Error(); err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	return nil
}

// Namespaces lists all namespaces by name.
func (s *Store) Namespaces() []Namespace {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Namespace, 0, len(s.namespaces))
	for _, n := range s.namespaces {
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b Namespace) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// CreateNamespace adds a namespace.
func (s *Store) CreateNamespace(n Namespace) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.namespaces[n.Name]; ok {
		return about(ErrNamespaceExists, n.Name)
	}
	return s.putNamespace(n)
}

// ModifyNamespace replaces a namespace's descriptor.
func (s *Store) ModifyNamespace(n Namespace) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.namespaces[n.Name]; !ok {
		return about(ErrNamespaceNotFound, n.Name)
	}
	return s.putNamespace(n)
}

func (s *Store) putNamespace(n Namespace) error {
	err := s.write(func(b *pebble.Batch) error { return set(b, namespaceKey(n.Name), n) })
	if err == nil {
		s.namespaces[n.Name] = n
	}
	return err
}

// DeleteNamespace removes a namespace without tables.
func (s *Store) DeleteNamespace(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.namespaces[name]; !ok {
		return about(ErrNamespaceNotFound, name)
	}
	if name == DefaultNamespace || name == SystemNamespace {
		return about(ErrNamespaceInUse, name)
	}
	for n := range s.tables {
		if n.Namespace == name {
			return about(ErrNamespaceInUse, name)
		}
	}
	err := s.write(func(b *pebble.Batch) error { return b.Delete(namespaceKey(name), nil) })
	if err == nil {
		delete(s.namespaces, name)
	}
	return err
}

// Tables lists all tables by name.
func (s *Store) Tables() []Table {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Table, 0, len(s.tables))
	for _, t := range s.tables {
		all = append(all, *t.current.Load())
	}
	slices.SortFunc(all, func(a, b Table) int {
		return cmp.Or(strings.Compare(a.Name.Namespace, b.Name.Namespace), strings.Compare(a.Name.Qualifier, b.Name.Qualifier))
	})
	return all
}

// Table finds a table by its name.
func (s *Store) Table(name Name) (Table, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, err := s.table(name)
	if err != nil {
		return Table{}, err
	}
	return *t.current.Load(), nil
}

func (s *Store) table(name Name) (*table, error) {
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, about(ErrTableNotFound, name)
}

// Regions lists a table's regions by their start keys.
func (s *Store) Regions(name Name) ([]*Region, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, err := s.table(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(t.regions), nil
}

// AllRegions lists the regions of all tables, by table and start key.
func (s *Store) AllRegions() []*Region {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]*Region, 0, len(s.regions))
	for _, r := range s.regions {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Region) int {
		return cmp.Or(strings.Compare(a.info.Table.String(), b.info.Table.String()), bytes.Compare(a.info.Start, b.info.Start))
	})
	return all
}

// Region finds a region by its encoded name.
func (s *Store) Region(encoded string) (*Region, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r := s.regions[encoded]; r != nil {
		return r, nil
	}
	return nil, about(ErrRegionNotFound, encoded)
}

// Locate finds the region of a row.
func (s *Store) Locate(name Name, row []byte) (*Region, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, err := s.table(name)
	if err != nil {
		return nil, err
	}
	i, found := slices.BinarySearchFunc(t.regions, row, func(r *Region, row []byte) int { return bytes.Compare(r.info.Start, row) })
	if !found {
		i--
	}
	return t.regions[i], nil
}

package store

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Limits of names, as in HBase.
const (
	maxFamilies = 256
	maxName     = 255
	maxRow      = 1<<15 - 1
)

// CreateTable adds a table with one region more than there are splits. Its regions are open and have no server yet.
func (s *Store) CreateTable(t Table, splits [][]byte) ([]*Region, error) {
	if err := check(&t); err != nil {
		return nil, err
	}
	splits = slices.Clone(splits)
	slices.SortFunc(splits, bytes.Compare)
	for i, key := range splits {
		if len(key) == 0 || len(key) > maxRow {
			return nil, fmt.Errorf("%w: split key has %d bytes", ErrBadRequest, len(key))
		}
		if i > 0 && bytes.Equal(key, splits[i-1]) {
			return nil, fmt.Errorf("%w: split key %q is given twice", ErrBadRequest, key)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.namespaces[t.Name.Namespace]; !ok {
		return nil, about(ErrNamespaceNotFound, t.Name.Namespace)
	}
	if s.tables[t.Name] != nil {
		return nil, about(ErrTableExists, t.Name)
	}
	return s.addTable(s.nextTable, t, splits, nil)
}

// check sets defaults and refuses invalid tables.
func check(t *Table) error {
	if t.Name.Namespace == "" {
		t.Name.Namespace = DefaultNamespace
	}
	if t.State == "" {
		t.State = Enabled
	}
	if t.Name.Qualifier == "" || len(t.Name.Qualifier) > maxName {
		return fmt.Errorf("%w: the table's name has %d bytes, not 1 to %d", ErrBadRequest, len(t.Name.Qualifier), maxName)
	}
	if len(t.Families) == 0 || len(t.Families) > maxFamilies {
		return fmt.Errorf("%w: table %s has %d column families; it needs 1 to %d", ErrBadRequest, t.Name, len(t.Families), maxFamilies)
	}
	t.Families = slices.Clone(t.Families)
	slices.SortFunc(t.Families, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	for i := range t.Families {
		f := &t.Families[i]
		if f.Name == "" || len(f.Name) > maxName || strings.IndexByte(f.Name, 0) >= 0 {
			return fmt.Errorf("%w: column family %q of table %s: 1 to %d bytes, none zero", ErrBadRequest, f.Name, t.Name, maxName)
		}
		if i > 0 && f.Name == t.Families[i-1].Name {
			return fmt.Errorf("%w: column family %q of table %s is given twice", ErrBadRequest, f.Name, t.Name)
		}
		f.MaxVersions = max(f.MaxVersions, 1)
		if f.MinVersions > f.MaxVersions {
			return fmt.Errorf("%w: column family %q of table %s: minimum versions %d are above the maximum %d",
				ErrBadRequest, f.Name, t.Name, f.MinVersions, f.MaxVersions)
		}
	}
	return nil
}

// addTable stores a validated table under a number that no other has, and in the same batch applies further changes.
func (s *Store) addTable(number uint32, definition Table, splits [][]byte, also func(*pebble.Batch) error) ([]*Region, error) {
	t := &table{id: number}
	next := max(s.nextTable, number+1)
	t.current.Store(&definition)
	bounds := slices.Concat([][]byte{nil}, splits, [][]byte{nil})
	for i := range len(bounds) - 1 {
		t.regions = append(t.regions, newRegion(s, t, s.regionInfo(definition.Name, bounds[i], bounds[i+1], "")))
	}
	err := s.write(func(b *pebble.Batch) error {
		if also != nil {
			if err := also(b); err != nil {
				return err
			}
		}
		if err := set(b, metaKey(), next); err != nil {
			return err
		}
		if err := set(b, tableKey(t.id), tableRecord{t.id, definition}); err != nil {
			return err
		}
		return setRegions(b, t.regions)
	})
	if err != nil {
		return nil, err
	}
	s.nextTable = next
	s.tables[definition.Name] = t
	for _, r := range t.regions {
		s.regions[r.info.Encoded] = r
	}
	return slices.Clone(t.regions), nil
}

func setRegions(b *pebble.Batch, regions []*Region) error {
	for _, r := range regions {
		if err := set(b, regionKey(r.info.Encoded), regionRecord{r.table.id, r.info}); err != nil {
			return err
		}
	}
	return nil
}

// regionInfo makes a region with a unique id, and so a unique name.
func (s *Store) regionInfo(name Name, start, end []byte, server string) RegionInfo {
	s.lastRegion = max(s.now(), s.lastRegion+1)
	return RegionInfo{
		Table:   name,
		ID:      s.lastRegion,
		Start:   bytes.Clone(start),
		End:     bytes.Clone(end),
		Encoded: encodedName(name, start, s.lastRegion),
		Server:  server,
		State:   Online,
	}
}

// ModifyTable replaces a table's descriptor and families. Cells of removed families are hidden, and the next compaction
// removes them.
func (s *Store) ModifyTable(definition Table) error {
	if err := check(&definition); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(definition.Name)
	if err != nil {
		return err
	}
	definition.State = t.current.Load().State
	return s.storeTable(t, definition)
}

// SetTableState enables or disables a table.
func (s *Store) SetTableState(name Name, state TableState) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(name)
	if err != nil {
		return err
	}
	definition := *t.current.Load()
	if definition.State == state {
		if state == Enabled {
			return about(ErrTableEnabled, name)
		}
		return about(ErrTableDisabled, name)
	}
	definition.State = state
	return s.storeTable(t, definition)
}

func (s *Store) storeTable(t *table, definition Table) error {
	err := s.write(func(b *pebble.Batch) error { return set(b, tableKey(t.id), tableRecord{t.id, definition}) })
	if err == nil {
		t.current.Store(&definition)
	}
	return err
}

// DeleteTable removes a disabled table with its data.
func (s *Store) DeleteTable(name Name) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.disabled(name)
	if err != nil {
		return err
	}
	t.gate.Lock()
	defer t.gate.Unlock()
	if err := s.write(func(b *pebble.Batch) error { return s.forget(b, t) }); err != nil {
		return err
	}
	t.dropped = true
	s.removed(t)
	s.reclaim(t.id, name.String())
	return nil
}

// TruncateTable empties a disabled table, and enables it. Its regions are new; keepSplits keeps the old bounds.
func (s *Store) TruncateTable(name Name, keepSplits bool) ([]*Region, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.disabled(name)
	if err != nil {
		return nil, err
	}
	var splits [][]byte
	if keepSplits {
		splits = t.splits()
	}
	definition := *t.current.Load()
	definition.State = Enabled
	return s.replaceTable(t, s.nextTable, definition, splits)
}

// splits returns the start keys of the table's regions but the first. The caller holds the store's lock.
func (t *table) splits() [][]byte {
	var splits [][]byte
	for _, r := range t.regions[1:] {
		splits = append(splits, r.info.Start)
	}
	return splits
}

// replaceTable replaces a disabled table by one of the same name under another number, with new regions.
func (s *Store) replaceTable(t *table, number uint32, definition Table, splits [][]byte) ([]*Region, error) {
	t.gate.Lock()
	defer t.gate.Unlock()
	old := t.regions
	fresh, err := s.addTable(number, definition, splits, func(b *pebble.Batch) error { return s.forget(b, t) })
	if err != nil {
		return nil, err
	}
	t.dropped = true
	for _, r := range old {
		r.gone.Store(true)
		delete(s.regions, r.info.Encoded)
	}
	s.reclaim(t.id, definition.Name.String())
	return fresh, nil
}

func (s *Store) disabled(name Name) (*table, error) {
	t, err := s.table(name)
	if err != nil {
		return nil, err
	}
	if t.current.Load().State != Disabled {
		return nil, about(ErrTableEnabled, name)
	}
	return t, nil
}

// forget removes a table, its regions and its cells.
func (*Store) forget(b *pebble.Batch, t *table) error {
	if err := b.Delete(tableKey(t.id), nil); err != nil {
		return err
	}
	for _, r := range t.regions {
		if err := b.Delete(regionKey(r.info.Encoded), nil); err != nil {
			return err
		}
	}
	return b.DeleteRange(appendTable(nil, t.id), appendTable(nil, t.id+1), nil)
}

func (s *Store) removed(t *table) {
	for _, r := range t.regions {
		r.gone.Store(true)
		delete(s.regions, r.info.Encoded)
	}
	delete(s.tables, t.current.Load().Name)
}

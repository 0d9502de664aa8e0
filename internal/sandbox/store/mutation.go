package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Kind is the kind of a mutation.
type Kind uint8

// The kinds of mutations.
const (
	Put Kind = iota
	Delete
	Increment
	Append
)

// Durability is when a mutation is acknowledged.
type Durability uint8

// The durabilities: on the disk first, or not.
const (
	Synced   Durability = iota // HBase: USE_DEFAULT, SYNC_WAL, FSYNC_WAL
	Unsynced                   // HBase: SKIP_WAL, ASYNC_WAL
)

// Mutation changes one row.
//
// A Put's cells are values. A Delete's cells are markers of any of the four types; a Delete without cells deletes the
// whole row up to Timestamp. A cell of an Increment has the amount as its value, eight bytes, and a cell of an Append
// the bytes to append. The Row of the cells is ignored, as is their Type, except in a Delete.
type Mutation struct {
	Kind       Kind
	Row        []byte
	Cells      []protocol.Cell
	Timestamp  int64              // for a Delete without cells; zero means protocol.LatestTimestamp
	TTL        time.Duration      // lifetime of the values; zero: the family's
	Times      protocol.TimeRange // for an Increment or Append: the range from which it takes the latest value
	Durability Durability
}

// validate refuses invalid mutations.
func (r *Region) validate(definition *Table, m *Mutation) error {
	if err := r.serves(m.Row); err != nil {
		return err
	}
	if len(m.Row) > maxRow {
		return fmt.Errorf("%w: the row's key has %d bytes, at most %d are allowed", ErrTooLarge, len(m.Row), maxRow)
	}
	if len(m.Cells) == 0 && m.Kind != Delete {
		return fmt.Errorf("%w: a mutation of row %q has no cells", ErrBadRequest, m.Row)
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		if !slices.ContainsFunc(definition.Families, func(f Family) bool { return f.Name == string(c.Family) }) {
			return r.noFamily(string(c.Family))
		}
		if size := len(m.Row) + c.Size() - len(c.Row); size > r.store.opts.MaxCellBytes {
			return fmt.Errorf("%w: a cell of row %q has %d bytes, at most %d are allowed", ErrTooLarge, m.Row, size, r.store.opts.MaxCellBytes)
		}
		if c.Timestamp < 0 {
			return fmt.Errorf("%w: a cell of row %q has the timestamp %d", ErrBadRequest, m.Row, c.Timestamp)
		}
		if m.Kind == Delete && (!c.Type.Valid() || !c.Type.IsDelete()) {
			return fmt.Errorf("%w: a cell of type %d in a delete of row %q", ErrBadRequest, c.Type, m.Row)
		}
		if m.Kind == Increment && len(c.Value) != 8 {
			return fmt.Errorf("%w: an increment of row %q by %d bytes", ErrNotANumber, m.Row, len(c.Value))
		}
	}
	return nil
}

// writer turns mutations into a batch; their rows are locked.
type writer struct {
	region     *Region
	definition *Table
	batch      *pebble.Batch
	size       int64
}

// put adds a cell to the batch.
func (w *writer) put(row []byte, c *protocol.Cell, ttl time.Duration) error {
	t := w.region.table.id
	header := 1
	if ttl > 0 && c.Type == protocol.TypePut {
		header = 9
	}
	n := tablePrefix + escapedLen(row) + len(c.Family) + 1 + escapedLen(c.Qualifier) + keyTail
	op := w.batch.SetDeferred(n, header+len(c.Value))
	key := appendRow(op.Key[:0], t, row)
	key = appendColumn(key, c.Family, c.Qualifier)
	appendVersion(key, c.Timestamp, c.Type)
	op.Value[0] = headerPlain
	if header > 1 {
		op.Value[0] = headerExpiry
		binary.BigEndian.PutUint64(op.Value[1:], uint64(max(ttl.Milliseconds(), 1)))
	}
	copy(op.Value[header:], c.Value)
	w.size += int64(n + header + len(c.Value))
	return op.Finish()
}

// add puts a mutation's cells, as they are or with new values, into the batch. out, if not nil, gets the new values of
// an Increment or Append.
func (w *writer) add(st *stripe, m *Mutation, out *Result) error {
	now := w.region.store.now()
	switch m.Kind {
	case Put:
		at := st.value(now)
		for i := range m.Cells {
			c := m.Cells[i]
			c.Type = protocol.TypePut
			if c.Timestamp == protocol.LatestTimestamp {
				c.Timestamp = at
			}
			if err := w.put(m.Row, &c, m.TTL); err != nil {
				return err
			}
		}
		return nil
	case Delete:
		return w.delete(st.marker(now), m)
	case Increment, Append:
		return w.compute(st.value(now), m, out)
	default:
		return fmt.Errorf("%w: mutation of kind %d", ErrBadRequest, m.Kind)
	}
}

// value returns the timestamp of a value written now.
func (st *stripe) value(now int64) int64 {
	at := max(now, st.last)
	if st.lastMarker >= at {
		at = st.lastMarker + 1
	}
	st.last = at
	return at
}

// marker returns the timestamp of a marker written now.
func (st *stripe) marker(now int64) int64 {
	st.last = max(now, st.last)
	st.lastMarker = st.last
	return st.last
}

func (w *writer) delete(at int64, m *Mutation) error {
	if len(m.Cells) == 0 {
		for i := range w.definition.Families {
			c := protocol.Cell{Family: []byte(w.definition.Families[i].Name), Timestamp: m.Timestamp, Type: protocol.TypeDeleteFamily}
			if c.Timestamp == 0 || c.Timestamp == protocol.LatestTimestamp {
				c.Timestamp = at
			}
			if err := w.put(m.Row, &c, 0); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range m.Cells {
		c := m.Cells[i]
		c.Value = nil
		if c.Type == protocol.TypeDeleteFamily || c.Type == protocol.TypeDeleteFamilyVersion {
			c.Qualifier = nil
		}
		if c.Timestamp == protocol.LatestTimestamp {
			c.Timestamp = at
			if c.Type == protocol.TypeDelete {
				newest, err := w.newest(m.Row, &c)
				if err != nil {
					return err
				}
				c.Timestamp = newest
			}
		}
		if err := w.put(m.Row, &c, 0); err != nil {
			return err
		}
	}
	return nil
}

// newest is the timestamp of the column's latest value, or the cell's if the column has none.
func (w *writer) newest(row []byte, c *protocol.Cell) (int64, error) {
	var found Result
	get := Get{Row: row, Read: Read{Columns: []Columns{{Family: string(c.Family), Qualifiers: [][]byte{c.Qualifier}}}}}
	if err := w.read(&get, &found); err != nil {
		return 0, err
	}
	if len(found.Cells) == 0 {
		return c.Timestamp, nil
	}
	return found.Cells[0].Timestamp, nil
}

// read reads committed cells and those of the batch.
func (w *writer) read(get *Get, out *Result) error {
	if w.batch.Indexed() {
		return w.region.get(w.batch, get, out)
	}
	return w.region.get(w.region.store.db, get, out)
}

// compute adds to, or appends to, the latest values.
func (w *writer) compute(at int64, m *Mutation, out *Result) error {
	get := Get{Row: m.Row, Read: Read{Times: m.Times}}
	for i := range m.Cells {
		get.Columns = append(get.Columns, Columns{Family: string(m.Cells[i].Family), Qualifiers: [][]byte{m.Cells[i].Qualifier}})
	}
	var old Result
	if err := w.read(&get, &old); err != nil {
		return err
	}
	fresh := slices.Clone(m.Cells)
	for i := range fresh {
		if err := m.apply(&fresh[i], at, &old, w.region.store.opts.MaxCellBytes); err != nil {
			return err
		}
	}
	for i := range fresh {
		if err := w.put(m.Row, &fresh[i], m.TTL); err != nil {
			return err
		}
	}
	if out != nil {
		out.Reset()
		row := out.copy(m.Row)
		for i := range fresh {
			out.take(row, &fresh[i])
		}
	}
	return nil
}

// apply makes the result cell from the operand c.
func (m *Mutation) apply(c *protocol.Cell, at int64, old *Result, limit int) (err error) {
	c.Type = protocol.TypePut
	if c.Timestamp == protocol.LatestTimestamp || c.Timestamp == 0 {
		c.Timestamp = at
	}
	i := slices.IndexFunc(old.Cells, func(o protocol.Cell) bool {
		return string(o.Family) == string(c.Family) && string(o.Qualifier) == string(c.Qualifier)
	})
	if i < 0 {
		return nil
	}
	// A value with a timestamp in the future must not hide the new one.
	c.Timestamp = max(c.Timestamp, old.Cells[i].Timestamp)
	c.Value, err = m.combine(old.Cells[i].Value, c.Value)
	if err == nil && len(c.Value) > limit {
		err = fmt.Errorf("%w: row %q would have a value of %d bytes", ErrTooLarge, m.Row, len(c.Value))
	}
	return err
}

func (m *Mutation) combine(before, by []byte) ([]byte, error) {
	if m.Kind == Append {
		return slices.Concat(before, by), nil
	}
	if len(before) != 8 {
		return nil, fmt.Errorf("%w: row %q has %d bytes where an increment needs 8", ErrNotANumber, m.Row, len(before))
	}
	sum := binary.BigEndian.Uint64(before) + binary.BigEndian.Uint64(by)
	return binary.BigEndian.AppendUint64(nil, sum), nil
}

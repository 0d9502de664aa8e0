package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Get asks for one row.
type Get struct {
	Row []byte
	Read
}

// Get puts the row's cells into out, in HBase's order; none if the row does not exist.
func (r *Region) Get(g *Get, out *Result) error {
	r.reads.Add(1)
	return r.get(r.store.db, g, out)
}

func (r *Region) get(from pebble.Reader, g *Get, out *Result) (err error) {
	out.Reset()
	if err := r.serves(g.Row); err != nil {
		return err
	}
	definition := r.table.current.Load()
	if err := r.families(definition, g.Columns); err != nil {
		return err
	}
	if f := g.Filter; f != nil {
		f.Reset()
		if f.AllRemaining() || f.SkipRow(g.Row) {
			return nil
		}
	}
	rd := r.store.reader()
	defer r.store.release(rd)
	rd.reset(definition.Families, &g.Read, r.store.now())
	rd.single, rd.limits = true, bounds{}
	rd.prefix = appendRow(rd.prefix[:0], r.table.id, g.Row)
	rd.plain, rd.rowKey = append(rd.plain[:0], g.Row...), nil
	rd.it, err = from.NewIter(nil)
	if err != nil {
		return fmt.Errorf("read row %q: %w", g.Row, err)
	}
	if rd.it.SeekPrefixGE(rd.prefix) {
		_, err = rd.walk(out)
	}
	if closing := rd.it.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("read row %q: %w", g.Row, err)
	}
	if f := g.Filter; f != nil {
		out.Cells = f.RowCells(out.Cells)
		if len(out.Cells) > 0 && f.DropRow() {
			out.Cells = out.Cells[:0]
		}
	}
	return nil
}

func (s *Store) reader() *reader {
	rd, _ := s.readers.Get().(*reader)
	rd.nearby, rd.mostRow = int(s.nearby.Load()), s.opts.MaxRowBytes
	return rd
}

func (s *Store) release(rd *reader) {
	rd.release()
	rd.it, rd.rowKey = nil, nil
	s.readers.Put(rd)
}

package store

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Scan selects the rows of a range, within a region.
type Scan struct {
	Start, Stop   []byte // empty means the region's bounds
	StartExcluded bool   // the range begins after Start
	StopIncluded  bool   // the range ends with Stop
	Reversed      bool   // descending: Start is the highest row
	Batch         int    // maximum cells of a Row in a page; 0 means the whole row
	Read
}

// Limits end a page. A zero field sets no limit.
type Limits struct {
	Rows  int
	Bytes int       // approximate page size: the page ends with the row, or with the cell if rows may be split
	Parts bool      // a row may be split when a size or time limit is reached
	Until time.Time // the page ends then, even if it is empty
}

// Scanner reads a region as it was when it was opened. Between calls it holds only a snapshot number, which keeps
// compaction from removing cells that it may still read.
type Scanner struct {
	region *Region
	scan   Scan

	mu     sync.Mutex
	from   *pebble.Snapshot
	end    func() error // releases from
	rd     *reader
	table  []byte
	low    []byte // first key
	high   []byte // end of the keys, exclusive
	resume []byte // next key, if in the middle of a row
	inRow  bool
	done   bool
}

// Scan opens a scanner.
func (r *Region) Scan(scan Scan) (*Scanner, error) {
	from := r.store.db.NewSnapshot()
	s, err := r.scan(scan, from, from.Close)
	if err != nil {
		_ = from.Close() // it was not read
	}
	return s, err
}

// scan opens a scanner of a snapshot.
func (r *Region) scan(scan Scan, from *pebble.Snapshot, end func() error) (*Scanner, error) {
	if r.gone.Load() {
		return nil, about(ErrRegionGone, r.info.Encoded)
	}
	definition := r.table.current.Load()
	if err := r.families(definition, scan.Columns); err != nil {
		return nil, err
	}
	if scan.Filter != nil && scan.Batch > 0 && scan.Filter.WholeRows() {
		return nil, fmt.Errorf("%w: a filter on whole rows cannot be used with a batch", ErrBadRequest)
	}
	s := &Scanner{region: r, scan: scan, from: from, end: end, rd: r.store.reader(), table: appendTable(nil, r.table.id)}
	s.rd.single = false
	s.low, s.high = r.span()
	first, last := scan.Start, scan.Stop
	firstIn, lastIn := !scan.StartExcluded, scan.StopIncluded
	if scan.Reversed {
		first, last, firstIn, lastIn = last, first, lastIn, firstIn
	}
	if len(first) > 0 {
		key := appendRow(nil, r.table.id, first)
		if !firstIn {
			key = beyond(key)
		}
		s.raise(key)
	}
	if len(last) > 0 {
		key := appendRow(nil, r.table.id, last)
		if lastIn {
			key = beyond(key)
		}
		s.lower(key)
	}
	s.rd.reset(definition.Families, &s.scan.Read, r.store.now())
	if scan.Filter != nil {
		scan.Filter.SetReversed(scan.Reversed)
	}
	return s, nil
}

// raise and lower narrow the remaining range.
func (s *Scanner) raise(key []byte) {
	if bytes.Compare(key, s.low) > 0 {
		s.low = append(s.low[:0], key...)
	}
}

func (s *Scanner) lower(key []byte) {
	if bytes.Compare(key, s.high) < 0 {
		s.high = append(s.high[:0], key...)
	}
}

// Next fills the page with the next rows. more is false if none follows; a page may be empty although more is true.
func (s *Scanner) Next(l Limits, out *Page) (more bool, err error) {
	out.Reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		return false, about(ErrClosed, "scanner of region "+s.region.info.Encoded)
	}
	if s.region.gone.Load() {
		return false, about(ErrRegionGone, s.region.info.Encoded)
	}
	if s.done || bytes.Compare(s.low, s.high) >= 0 {
		s.done = true
		return false, nil
	}
	s.rd.it, err = s.from.NewIter(&pebble.IterOptions{LowerBound: s.low, UpperBound: s.high})
	if err != nil {
		return false, fmt.Errorf("scan region %s: %w", s.region.info.Encoded, err)
	}
	more, err = s.page(l, out)
	out.Last = append(out.Last, s.rd.plain...)
	if closing := s.rd.it.Close(); err == nil {
		err = closing
	}
	s.rd.it = nil
	if err != nil {
		return false, fmt.Errorf("scan region %s: %w", s.region.info.Encoded, err)
	}
	s.done = !more
	s.region.reads.Add(int64(len(out.Rows)))
	return more, nil
}

// page reads rows until a limit is reached or none is left.
func (s *Scanner) page(l Limits, out *Page) (more bool, err error) {
	size, looked := 0, 0
	parts := l.Parts && (s.scan.Filter == nil || !s.scan.Filter.WholeRows())
	for {
		if l.Rows > 0 && len(out.Rows) >= l.Rows || l.Bytes > 0 && size >= l.Bytes {
			return true, nil
		}
		if looked++; looked%64 == 0 && !l.Until.IsZero() && time.Now().After(l.Until) {
			return true, nil
		}
		found, err := s.position()
		if err != nil || !found {
			return false, err
		}
		if f := s.scan.Filter; f != nil && !s.inRow {
			f.Reset()
			if f.AllRemaining() {
				return false, nil
			}
			if f.SkipRow(s.rd.plain) {
				out.Scanned++
				out.Filtered++
				s.leave()
				continue
			}
		}
		s.rd.limits = bounds{cells: s.scan.Batch}
		if parts {
			s.rd.limits.until = l.Until
			if l.Bytes > 0 {
				s.rd.limits.bytes = l.Bytes - size
			}
		}
		before := len(out.Cells)
		end, err := s.rd.walk(&out.Result)
		if err != nil {
			return false, err
		}
		if end == rowEnd {
			s.finish(before, out)
		} else {
			s.pause(before, out)
		}
		for i := before; i < len(out.Cells); i++ {
			size += out.Cells[i].Size()
		}
		if f := s.scan.Filter; f != nil && f.AllRemaining() {
			return false, nil // before the filter gets a new row, which resets some filters
		}
		if end == late || end == tooMuch {
			return true, nil
		}
	}
}

// position finds the next row, unless the scan is in the middle of one.
func (s *Scanner) position() (found bool, err error) {
	it := s.rd.it
	switch {
	case s.inRow:
		found = it.SeekGE(s.resume)
		s.rd.rowKey = nil // the copy belonged to the last page
		if !found || !bytes.HasPrefix(it.Key(), s.rd.prefix) {
			return false, errKey // the snapshot contains it
		}
		return true, nil
	case !s.scan.Reversed:
		found = it.Valid() && bytes.Compare(it.Key(), s.low) >= 0 || it.SeekGE(s.low)
	default:
		if found = it.SeekLT(s.high); found {
			key := it.Key()
			s.resume = append(s.resume[:0], key[:splitKey(key)]...)
			found = it.SeekGE(s.resume)
		}
	}
	if !found {
		return false, it.Error()
	}
	return true, s.rd.enter(s.table)
}

// leave moves past the current row.
func (s *Scanner) leave() {
	s.inRow = false
	jump := s.rd.jump
	if s.scan.Reversed {
		s.lower(s.rd.prefix)
		if len(jump) > 0 {
			s.lower(beyond(appendRow(nil, s.region.table.id, jump)))
		}
		return
	}
	s.raise(beyond(append([]byte(nil), s.rd.prefix...)))
	if len(jump) > 0 {
		s.raise(appendRow(nil, s.region.table.id, jump))
	}
}

// finish ends a row.
func (s *Scanner) finish(before int, out *Page) {
	if f := s.scan.Filter; f != nil {
		kept := f.RowCells(out.Cells[before:])
		out.Cells = out.Cells[:before+len(kept)]
		if len(kept) > 0 && f.DropRow() {
			out.Cells = out.Cells[:before]
		}
	}
	out.Scanned++
	if len(out.Cells) > before {
		out.Rows = append(out.Rows, Row{End: len(out.Cells)})
	} else if s.scan.Filter != nil {
		out.Filtered++
	}
	s.leave()
}

// pause ends a part of a row.
func (s *Scanner) pause(before int, out *Page) {
	s.inRow = true
	s.resume = append(s.resume[:0], s.rd.it.Key()...)
	if len(out.Cells) > before {
		out.Rows = append(out.Rows, Row{End: len(out.Cells), More: true})
	}
}

// Close ends the scanner. It may be called at any time, and repeatedly.
func (s *Scanner) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		return nil
	}
	err := s.end()
	s.from = nil
	s.region.store.release(s.rd)
	s.rd = nil
	if err != nil {
		return fmt.Errorf("close a scanner: %w", err)
	}
	return nil
}

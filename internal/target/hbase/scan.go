package hbase

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/workload"
)

// scanRows reads rows from a key on, page by page and region by region. Each page is a request of its own that keeps no state on
// the server and begins after the last row received. When the region moves or splits, or an answer is lost, the page is
// requested again, and no row is skipped or counted twice.
func (s *session) scanRows(op *workload.Op) workload.Outcome {
	var got protocol.Tally
	s.start = append(s.start[:0], op.Key...)
	s.batched = false
	s.scan.alone = false
	s.scan.columns = appendColumns(s.scan.columns[:0], 1, s.t.family, op.Fields)
	s.scan.bytes = s.t.settings.Scan.MaxResultSize
	if s.timeline != nil {
		s.scan.columns = appendNumber(s.scan.columns, scanConsistency, timelineConsistency)
		s.timeline.begin(s.deadline.ctx, &s.timeline.scans)
	}
	for got.Rows < op.ScanLength {
		left := op.ScanLength - got.Rows
		s.scan.rows = left
		if c := s.t.settings.Scan.Caching; c > 0 {
			s.scan.rows = min(left, c)
		}
		s.scan.filter = s.scanFilter(left)
		s.scan.start = s.start
		err := s.fetch(s.start, encodeScan)
		if err != nil {
			return partly(got, err)
		}
		response, cells, _ := s.call.Answer()
		p, err := got.Scan(response, cells)
		if err != nil {
			return partly(got, err)
		}
		if p.Over {
			break // a filter has had enough
		}
		more, err := s.advance(&p)
		if err != nil {
			return partly(got, err)
		}
		if more {
			continue
		}
		if len(s.scanned.stop) == 0 {
			break // the last region
		}
		s.start = append(s.start[:0], s.scanned.stop...)
	}
	if got.Stale {
		s.t.answeredStale(got.Rows > 0)
	}
	return workload.Outcome{Code: workload.OK, Rows: int32(got.Rows), Bytes: got.Bytes}
}

// advance moves the scan past a page, and reports whether its region may have more rows. A limit of the server (bytes, block
// bytes, time) may end a page within a row or before the first row. The scan continues at that row. A row that is larger than a
// page is requested alone, as only pages of several rows have limits.
func (s *session) advance(p *protocol.Page) (more bool, err error) {
	if s.scan.alone {
		s.scan.alone = false
		s.start = append(s.start, 0)
		return true, nil
	}
	full := p.Rows >= s.scan.rows
	if p.Rows > 0 {
		s.start = append(append(s.start[:0], p.Last...), 0)
	}
	switch {
	case p.Part != nil:
		s.start = append(s.start[:0], p.Part...)
		s.scan.alone = p.Rows == 0
		return true, nil
	case !p.MoreInRegion && !full:
		return false, nil
	case bytes.Compare(p.Cursor, s.start) > 0:
		s.start = append(s.start[:0], p.Cursor...)
	case p.Rows > 0:
	case len(p.Cursor) > 0 && bytes.Equal(p.Cursor, s.start):
		s.scan.alone = true
	default:
		return false, fmt.Errorf("%w: an empty page that is not the last one and has no row to continue from", protocol.ErrMalformed)
	}
	return true, nil
}

// partly returns the outcome of an operation that failed after it had read something.
func partly(got protocol.Tally, err error) workload.Outcome {
	out := ended(err)
	out.Rows, out.Bytes = int32(got.Rows), got.Bytes
	return out
}

func encodeScan(s *session, r *region) {
	s.scanned = r
	s.call.Method = "Scan"
	s.call.Request = appendScanRequest(s.call.Request, r.field, &s.scan)
}

// The names of HBase's filters.
const (
	filters     = "org.apache.hadoop.hbase.filter."
	pageFilter  = filters + "PageFilter"
	valueFilter = filters + "ValueFilter"
	filterList  = filters + "FilterList"
)

// scanFilter returns the filter field of a Scan, or nil. As in YCSB's binding it is a list of all filters.
func (s *session) scanFilter(rows int) []byte {
	cfg := &s.t.settings.Scan
	if !cfg.PageFilter && !cfg.ValueFilter {
		return nil
	}
	list := appendNumber(s.filter[:0], 1, 1) // all must pass
	if cfg.PageFilter {
		serialized := 1 + protowire.SizeVarint(uint64(rows))
		list = protowire.AppendVarint(tag(list, 2), uint64(sizeField(len(pageFilter))+sizeField(serialized)))
		list = protowire.AppendString(tag(list, 1), pageFilter)
		list = protowire.AppendVarint(tag(list, 2), uint64(serialized))
		list = appendNumber(list, 1, uint64(rows))
	}
	if cfg.ValueFilter {
		list = append(list, s.t.valueFilter...)
	}
	inner := len(list)
	size := sizeField(len(filterList)) + sizeField(inner)
	// The list comes first in the buffer, because the lengths in the enclosing message depend on it.
	list = protowire.AppendVarint(tag(list, 5), uint64(size))
	list = protowire.AppendString(tag(list, 1), filterList)
	list = protowire.AppendVarint(tag(list, 2), uint64(inner))
	list = append(list, list[:inner]...)
	s.filter = list
	return list[inner:]
}

// newValueFilter returns the entry of a filter list that compares values.
func newValueFilter(cfg hbasespec.Scan) []byte {
	operators := map[string]uint64{
		"less": 0, "less_or_equal": 1, "equal": 2, "not_equal": 3, "greater_or_equal": 4, "greater": 5, "no_op": 6,
	}
	operand := appendField(nil, 1, appendField(nil, 1, cfg.Value))
	comparator := appendField(protowire.AppendString(tag(nil, 1), filters+"BinaryComparator"), 2, operand)
	compare := appendField(appendNumber(nil, 1, operators[cfg.Operator]), 2, comparator)
	serialized := appendField(nil, 1, compare)
	return appendField(nil, 2, appendField(protowire.AppendString(tag(nil, 1), valueFilter), 2, serialized))
}

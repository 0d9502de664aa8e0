package hbase

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/memory"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/workload"
)

// buffer holds the puts and deletes that a worker has not sent yet with client buffering.
type buffer struct {
	limit  int // bytes
	bytes  int
	writes int
	rows   []row // with copies of keys and cells
	memory *memory.Pool

	use  load.BufferUse // by the current operation
	lost []load.Lost    // of the last flush
}

func newBuffer(limit int, m *memory.Pool) *buffer { return &buffer{limit: limit, memory: m} }

// rowCost is what a row counts towards the limit in addition to its key and cells.
const rowCost = 64

// add copies a row of the current write.
func (b *buffer) add(key []byte, m mutation, cells []byte) {
	n := len(b.rows)
	if n < cap(b.rows) {
		b.rows = b.rows[:n+1]
	} else {
		b.rows = append(b.rows, row{})
	}
	r := &b.rows[n]
	own := b.memory.Grow(r.cells[:0], len(cells))
	*r = row{key: append(r.key[:0], key...), m: m, cells: append(own, cells...), write: b.writes}
	b.bytes += len(key) + len(cells) + rowCost
}

// keep adds a mutation with the session's cells to the buffer, and sends the buffer if it is full.
func (s *session) keep(key []byte, m mutation, bytes int64) workload.Outcome {
	s.call.Cells = s.appendPuts(s.call.Cells[:0], key)
	s.buffer.add(key, m, s.call.Cells)
	return s.kept(1, bytes)
}

// keepAll adds the session's rows to the buffer.
func (s *session) keepAll(n int, bytes int64) workload.Outcome {
	for i := range s.rows {
		s.buffer.add(s.rows[i].key, s.rows[i].m, s.rows[i].cells)
	}
	return s.kept(n, bytes)
}

// kept sends the buffer if it is full. The write that fills it waits for that.
func (s *session) kept(n int, bytes int64) workload.Outcome {
	b := s.buffer
	write := b.writes
	b.writes++
	out := workload.Outcome{Code: workload.BatchedOK, Rows: int32(n), Bytes: bytes}
	if b.bytes < b.limit {
		b.use = load.Held
		return out
	}
	b.use = load.Sent
	if s.flush() == nil {
		return out
	}
	if last := len(b.lost) - 1; b.lost[last].Write == write {
		own := b.lost[last]
		b.lost = b.lost[:last]
		out.Code, out.Err, out.Rows, out.Bytes = own.Code, own.Err, out.Rows-own.Rows, 0
	}
	return out
}

// flush sends the buffer. Writes to the same row keep their order.
func (s *session) flush() error {
	b := s.buffer
	n := len(b.rows)
	rows := s.rows
	s.rows = b.rows
	var failed int
	var err error
	if s.t.bulk != nil {
		failed, err = s.bulkLoad()
	} else {
		failed, err = s.carry(&protocol.Tally{})
	}
	b.rows, s.rows = s.rows, rows
	b.lost = b.lost[:0]
	if err != nil {
		what, by := "writes", "clientbuffering"
		if s.t.bulk != nil {
			what, by = "rows", "hbase.load.method=bulkload"
		}
		err = &Failure{Code: codeOf(err), Text: fmt.Sprintf("%d of %d buffered %s are lost (%s), the first of them", failed, n, what, by), Err: err}
		b.lose(err)
	}
	for i := range b.rows {
		b.rows[i].cells = b.memory.Release(b.rows[i].cells)
	}
	b.rows, b.bytes, b.writes = b.rows[:0], 0, 0
	return err
}

// lose lists the writes with rows that failed.
func (b *buffer) lose(err error) {
	for i := range b.rows {
		if r := &b.rows[i]; r.err != nil {
			b.lost = append(b.lost, load.Lost{Write: r.write, Rows: 1, Code: codeOf(r.err), Err: err})
		}
	}
	slices.SortFunc(b.lost, func(x, y load.Lost) int { return cmp.Compare(x.Write, y.Write) })
	several := b.lost
	b.lost = b.lost[:0]
	for _, l := range several {
		if last := len(b.lost) - 1; last >= 0 && b.lost[last].Write == l.Write {
			b.lost[last].Rows++
			continue
		}
		b.lost = append(b.lost, l)
	}
}

// Buffer reports what the last operation did with the buffer.
func (s *session) Buffer() load.BufferUse {
	if s.buffer == nil {
		return load.Unbuffered
	}
	return s.buffer.use
}

// Lost lists the writes that failed in the last flush.
func (s *session) Lost() []load.Lost {
	if s.buffer == nil {
		return nil
	}
	return s.buffer.lost
}

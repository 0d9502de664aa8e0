package hbase

import (
	"fmt"

	"github.com/benchd/benchd/internal/workload"
)

// buffer holds the puts and deletes that a worker has not sent yet, with client buffering.
type buffer struct {
	limit int // bytes
	bytes int
	rows  []row // their keys and cells are its own
}

func newBuffer(limit int) *buffer { return &buffer{limit: limit} }

// rowCost is what a row takes beside its key and cells, as far as the limit is concerned.
const rowCost = 64

// add copies a row.
func (b *buffer) add(key []byte, m mutation, cells []byte) {
	n := len(b.rows)
	if n < cap(b.rows) {
		b.rows = b.rows[:n+1]
	} else {
		b.rows = append(b.rows, row{})
	}
	r := &b.rows[n]
	*r = row{key: append(r.key[:0], key...), m: m, cells: append(r.cells[:0], cells...)}
	b.bytes += len(key) + len(cells) + rowCost
}

// keep puts a mutation, whose cells are the session's, into the buffer and sends all when it is full.
func (s *session) keep(key []byte, m mutation, bytes int64) workload.Outcome {
	s.call.Cells = s.call.Cells[:0]
	for _, c := range s.cells {
		s.call.Cells = appendCell(s.call.Cells, key, s.t.family, c[0], c[1])
	}
	s.buffer.add(key, m, s.call.Cells)
	return s.kept(1, bytes)
}

// keepAll puts the session's rows into the buffer.
func (s *session) keepAll(n int, bytes int64) workload.Outcome {
	for i := range s.rows {
		s.buffer.add(s.rows[i].key, s.rows[i].m, s.rows[i].cells)
	}
	return s.kept(n, bytes)
}

// kept sends the buffer if it is full. Who fills it waits for it, and is told what went wrong.
func (s *session) kept(n int, bytes int64) workload.Outcome {
	if s.buffer.bytes >= s.buffer.limit {
		if err := s.flush(); err != nil {
			return ended(err)
		}
	}
	return workload.Outcome{Code: workload.BatchedOK, Rows: int32(n), Bytes: bytes}
}

// flush sends all that is in the buffer, in the order in which it was written as far as one row is concerned.
func (s *session) flush() error {
	b := s.buffer
	n := len(b.rows)
	rows := s.rows
	s.rows = b.rows
	failed, err := s.carry(&tally{})
	b.rows, s.rows = s.rows[:0], rows
	b.bytes = 0
	if err != nil {
		return &Failure{Code: codeOf(err), Text: fmt.Sprintf("%d of %d buffered writes are lost (clientbuffering), the first of them", failed, n), Err: err}
	}
	return nil
}

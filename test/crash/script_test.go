//go:build integration

package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	writers    = 8
	rowsOfEach = 30
)

type kind int

const (
	put kind = iota
	remove
	increment
	appendText
	checkAndPut
	putTwo // in one atomic operation on two rows
	kinds
)

// op is one operation of a script.
type op struct {
	kind       kind
	row, other string
	value      string
}

// script returns a writer's i-th operation.
func script(writer, i int) op {
	r := rand.New(rand.NewPCG(uint64(writer), uint64(i)))
	return op{
		kind:  kind(r.IntN(int(kinds))),
		row:   rowName(writer, r.IntN(rowsOfEach)),
		other: rowName(writer, r.IntN(rowsOfEach)),
		value: fmt.Sprintf("%d-%s", i, strings.Repeat("v", r.IntN(300))),
	}
}

func rowName(writer, i int) string { return fmt.Sprintf("w%02d-%03d", writer, i) }

// row is the content of a row.
type row struct {
	text, tail string
	count      uint64
}

// state is a writer's rows after a number of its operations.
type state struct {
	writer, done int
	single       bool // it has no operations on two rows: only the first is put
	rows         map[string]row
}

func newState(writer int) *state { return &state{writer: writer, rows: map[string]row{}} }

// op is the next operation.
func (s *state) op() op {
	o := script(s.writer, s.done)
	if o.kind == putTwo && s.single {
		o.kind = put
	}
	return o
}

// next does the next operation.
func (s *state) next() {
	o := s.op()
	s.done++
	r := s.rows[o.row]
	switch o.kind {
	case remove:
		delete(s.rows, o.row)
		return
	case increment:
		r.count++
	case appendText:
		r.tail += o.value[:1]
	case putTwo:
		r.text = o.value
		s.rows[o.row] = r
		r = s.rows[o.other]
		r.text = o.value
		s.rows[o.other] = r
		return
	default:
		r.text = o.value
	}
	s.rows[o.row] = r
}

// to continues until a number of operations is done.
func (s *state) to(done int) {
	for s.done < done {
		s.next()
	}
}

// differs describes the first difference, or returns "".
func (s *state) differs(have map[string]row) string {
	for i := range rowsOfEach {
		name := rowName(s.writer, i)
		if have[name] != s.rows[name] {
			return fmt.Sprintf("row %s is %.80q, and should be %.80q after %d operations", name, fmt.Sprint(have[name]), fmt.Sprint(s.rows[name]), s.done)
		}
	}
	return ""
}

// settle finds the number of operations of a writer: the acknowledged ones, or one more.
func (s *state) settle(acknowledged int, have map[string]row) string {
	s.to(acknowledged)
	first := s.differs(have)
	if first == "" {
		return ""
	}
	s.next()
	if s.differs(have) == "" {
		return ""
	}
	return first
}

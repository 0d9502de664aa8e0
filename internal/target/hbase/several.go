package hbase

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/workload"
)

// row is one of several rows that are sent together: a Get, or a mutation with its cells.
type row struct {
	key   []byte
	get   bool
	m     mutation
	cells []byte // encoded

	columns []byte // of a Get: the columns field
	done    bool
	err     error // set when it has failed
	write   int   // in a buffer: the number of its write
}

// parcel is a request to one server, with its rows grouped by region.
type parcel struct {
	server *server
	conn   *rpc.Conn
	call   *rpc.Call
	rows   []int // of the session's
	spans  []span
	bytes  int
}

// span is a region's part of a parcel: rows[from:to].
type span struct {
	region   *region
	from, to int
}

// maxParcel is how many bytes of cells go into one request, as in HBase's own client. Further rows go into the next request.
const maxParcel = 4 << 20

// carry sends the session's rows to all servers at once, one request per server at a time, until each row is done or has
// failed for good. It returns the first failure and the number of failures.
func (s *session) carry(got *protocol.Tally) (failed int, first error) {
	slices.SortStableFunc(s.rows, func(x, y row) int { return bytes.Compare(x.key, y.key) })
	var try attempt
	for {
		left, done, err := s.round(got)
		if left > 0 && err == nil {
			continue // more than fits into one request
		}
		if left == 0 {
			break
		}
		if done > 0 {
			try.pause = 0
		}
		if err = s.again(&try, err, nil, nil); err != nil {
			for i := range s.rows {
				if r := &s.rows[i]; !r.done {
					r.done, r.err = true, err
				}
			}
			break
		}
	}
	for i := range s.rows {
		if err := s.rows[i].err; err != nil {
			failed++
			if first == nil {
				first = err
			}
		}
	}
	return failed, first
}

// round sends the rows that are not done yet. Err is an error after which the rest can be retried.
func (s *session) round(got *protocol.Tally) (left, done int, err error) {
	clear(s.parcels)
	used := 0
	for i := range s.rows {
		if s.rows[i].done {
			continue
		}
		r, conn, reachErr := s.reach(s.rows[i].key)
		if reachErr != nil {
			err = reachErr
			s.note(remedyOf(reachErr), reachErr, r, nil)
			if s.deadline.ctx.Err() != nil || overdue(reachErr) {
				break // the next look-up would take as long: send the rows that have a region
			}
			continue
		}
		p := s.parcels[r.server]
		if p == nil {
			p = s.parcel(used)
			used++
			p.server, p.conn = r.server, conn
			s.parcels[r.server] = p
		}
		p.add(i, r, &s.rows[i])
	}
	within := s.deadline.start()
	for _, p := range s.several[:used] {
		p.encode(s)
		p.call.Timeout = within
		p.conn.Send(p.call)
	}
	for _, p := range s.several[:used] {
		if answer := s.receive(p, got); answer != nil {
			err = answer
		}
	}
	for i := range s.rows {
		if !s.rows[i].done {
			left++
		}
	}
	for _, p := range s.several[:used] {
		done += len(p.rows)
	}
	return left, done - left, err
}

// parcel returns an empty parcel.
func (s *session) parcel(n int) *parcel {
	if n == len(s.several) {
		s.several = append(s.several, &parcel{call: rpc.NewCall()})
	}
	p := s.several[n]
	p.rows, p.spans, p.bytes = p.rows[:0], p.spans[:0], 0
	return p
}

// add includes a row if there is room for it.
func (p *parcel) add(i int, r *region, row *row) {
	if p.bytes == 0 || p.bytes+len(row.cells) <= maxParcel {
		p.include(i, r, row)
	}
}

// include adds a row. The caller adds the rows of a region one after another.
func (p *parcel) include(i int, r *region, row *row) {
	p.bytes += len(row.cells)
	if n := len(p.spans); n == 0 || p.spans[n-1].region != r {
		p.spans = append(p.spans, span{r, len(p.rows), len(p.rows)})
	}
	p.rows = append(p.rows, i)
	p.spans[len(p.spans)-1].to++
}

// regions lists the regions that have rows in the parcel.
func (p *parcel) regions() []*region {
	regions := make([]*region, len(p.spans))
	for i, sp := range p.spans {
		regions[i] = sp.region
	}
	return regions
}

// encode encodes the request.
func (p *parcel) encode(s *session) {
	c := p.call
	c.Method, c.Request, c.Cells = "Multi", c.Request[:0], s.t.memory.Grow(c.Cells[:0], p.bytes)
	nonces := false
	for _, sp := range p.spans {
		size := len(sp.region.field)
		for at, i := range p.rows[sp.from:sp.to] {
			size += sizeField(sizeAction(at, &s.rows[i]))
		}
		c.Request = protowire.AppendVarint(tag(c.Request, 1), uint64(size))
		c.Request = append(c.Request, sp.region.field...)
		for at, i := range p.rows[sp.from:sp.to] {
			row := &s.rows[i]
			c.Request = protowire.AppendVarint(tag(c.Request, 3), uint64(sizeAction(at, row)))
			c.Request = appendNumber(c.Request, 1, uint64(at))
			if row.get {
				c.Request = protowire.AppendVarint(tag(c.Request, 3), uint64(sizeGet(row.key, row.columns)))
				c.Request = appendGet(c.Request, row.key, row.columns)
				continue
			}
			c.Request = protowire.AppendVarint(tag(c.Request, 2), uint64(sizeMutation(row.key, row.m)))
			c.Request = appendMutation(c.Request, row.key, row.m)
			c.Cells = append(c.Cells, row.cells...)
			nonces = nonces || row.m.nonce != 0
		}
	}
	if nonces {
		c.Request = appendNumber(c.Request, 2, s.t.nonceGroup)
	}
}

// sizeAction returns the size of an Action message.
func sizeAction(index int, r *row) int {
	n := 1 + protowire.SizeVarint(uint64(index))
	if r.get {
		return n + sizeField(sizeGet(r.key, r.columns))
	}
	return n + sizeField(sizeMutation(r.key, r.m))
}

// receive waits for a parcel's answer and marks its rows. After an error, the rows that are not done can be retried.
func (s *session) receive(p *parcel, got *protocol.Tally) error {
	conn := p.conn
	if late := s.deadline.await(p.call); late != nil {
		return s.abandon(&p.call, conn, late, p.regions()...)
	}
	response, cells, err := p.call.Answer()
	if err != nil {
		return s.failed(p, p.rows, p.spans[0].region, conn, err)
	}
	var again error
	err = protocol.Multi(response, func(region, index int, r protocol.MultiResult) error {
		if region >= len(p.spans) {
			return protocol.ErrMalformed
		}
		sp := p.spans[region]
		if index >= sp.to-sp.from {
			return protocol.ErrMalformed
		}
		if index < 0 {
			if err := s.failed(p, p.rows[sp.from:sp.to], sp.region, conn, r.Err); err != nil {
				again = err
			}
			return nil
		}
		if r.Err != nil {
			if err := s.failed(p, p.rows[sp.from+index:sp.from+index+1], sp.region, conn, r.Err); err != nil {
				again = err
			}
			return nil
		}
		row := &s.rows[p.rows[sp.from+index]]
		row.done, row.err = true, nil
		var err error
		_, cells, err = got.Result(r.Result, cells, nil)
		return err
	})
	if err != nil {
		return s.failed(p, p.rows, p.spans[0].region, conn, err)
	}
	if again == nil {
		for _, i := range p.rows {
			if !s.rows[i].done {
				return fmt.Errorf("%w: no result for row %q", errMissingAnswer, s.rows[i].key)
			}
		}
	}
	return again
}

var errMissingAnswer = errors.New("incomplete answer to a batch")

// failed marks rows after an error. It returns the error if they can be retried.
func (s *session) failed(p *parcel, rows []int, r *region, conn *rpc.Conn, err error) error {
	what := remedyOf(err)
	if what == giveUp {
		for _, i := range rows {
			if row := &s.rows[i]; !row.done {
				row.done, row.err = true, err
			}
		}
		return nil
	}
	s.note(what, err, r, conn)
	if what == redial {
		for _, sp := range p.spans {
			sp.region.stale.Store(true)
		}
	}
	return err
}

// insertBatch writes several rows in as few requests as there are servers.
func (s *session) insertBatch(op *workload.Op) workload.Outcome {
	s.take(len(op.Keys))
	width := len(op.Fields)
	var bytes int64
	size := 0
	for _, key := range op.Keys {
		size += width * s.sizePut(key)
	}
	for _, value := range op.Values {
		size += len(value)
	}
	for _, field := range op.Fields {
		size += len(op.Keys) * len(field)
	}
	s.encoded = s.t.memory.Grow(s.encoded[:0], size)
	for i, key := range op.Keys {
		r, begin := &s.rows[i], len(s.encoded)
		r.key, r.get = key, false
		r.m = mutation{kind: mutatePut, durability: s.t.durability, cells: width}
		bytes += int64(len(key))
		for f, field := range op.Fields {
			value := op.Values[i*width+f]
			s.encoded = appendPut(s.encoded, key, s.t.family, field, value)
			bytes += int64(len(value))
		}
		r.cells = s.encoded[begin:]
	}
	if s.buffer != nil {
		return s.keepAll(len(op.Keys), bytes)
	}
	failed, err := s.carry(&protocol.Tally{})
	if err != nil {
		out := ended(fewer(failed, len(op.Keys), err))
		out.Rows = int32(len(op.Keys) - failed)
		return out
	}
	return workload.Outcome{Code: workload.OK, Rows: int32(len(op.Keys)), Bytes: bytes}
}

// fewer returns an error that has the number of failed rows.
func fewer(failed, of int, err error) error {
	return &Failure{Code: codeOf(err), Text: fmt.Sprintf("%d of %d rows failed, the first of them", failed, of), Err: err}
}

// take makes room for n rows.
func (s *session) take(n int) {
	s.rows = slices.Grow(s.rows[:0], n)[:n]
	clear(s.rows)
}

// multiGet reads several rows in as few requests as there are servers.
func (s *session) multiGet(op *workload.Op) workload.Outcome {
	s.take(len(op.Keys))
	s.columns = appendColumns(s.columns[:0], 2, s.t.family, op.Fields)
	for i, key := range op.Keys {
		s.rows[i].key, s.rows[i].get, s.rows[i].columns = key, true, s.columns
	}
	var got protocol.Tally
	failed, err := s.carry(&got)
	if err != nil {
		return partly(got, fewer(failed, len(op.Keys), err))
	}
	out := workload.Outcome{Code: workload.OK, Rows: int32(got.Rows), Bytes: got.Bytes}
	if got.Rows < len(op.Keys) {
		out.Code, out.Err = workload.NotFound, fmt.Errorf("%d of %d rows do not exist", len(op.Keys)-got.Rows, len(op.Keys))
	}
	return out
}

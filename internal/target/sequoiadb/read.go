package sequoiadb

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
	"github.com/benchd/benchd/internal/workload"
)

// idName is the field with the key.
const idName = "_id"

// pageFlags have the server send the first documents with the answer to the query, read ahead, and close the context itself. A
// query whose documents fit into one answer takes one round trip.
const pageFlags = wire.QueryReturnData | wire.QueryPrepareMore | wire.QueryCloseAtEnd

// matchKey appends the matcher {_id: key}.
func matchKey(m *wire.Message, key []byte) {
	m.Begin()
	m.Key(idName, key)
	m.End()
}

// selectFields appends the selector of fields; without any it selects all.
func selectFields(m *wire.Message, fields [][]byte) {
	m.Begin()
	for _, f := range fields {
		m.Field(f)
	}
	m.End()
}

// read reads one document.
func (s *session) read(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Query(s.t.collection, pageFlags, 0, 1)
	matchKey(m, op.Key)
	selectFields(m, op.Fields)
	m.Empty()
	m.Empty()
	r, err := s.conn.Call()
	if err != nil {
		return ended(err)
	}
	d, ok, err := r.Next()
	if err != nil {
		return ended(err)
	}
	open := r.Context
	out := workload.Outcome{Code: workload.NotFound, Err: errMissing}
	if ok {
		out = workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}
		if err := take(d, op.Collect, &out.Bytes); err != nil {
			out = ended(err)
		}
	}
	if open != wire.NoContext {
		if err := s.kill(open); err != nil {
			return ended(err)
		}
	}
	return out
}

// take adds the lengths of a document's fields to size, and passes the fields to collect if it is not nil.
func take(d wire.Document, collect func(field, value []byte), size *int64) error {
	all := d.Elements()
	var e wire.Element
	for all.Next(&e) {
		if string(e.Name) == idName {
			continue
		}
		value, is := e.Bytes()
		if !is {
			*size += 8 // a counter
			continue
		}
		*size += int64(len(value))
		if collect != nil {
			collect(e.Name, value)
		}
	}
	return all.Err() //nolint:wrapcheck // wire.ErrMalformed
}

// kill closes a context that is not read to its end.
func (s *session) kill(open int64) error {
	s.conn.Message.Kill(open)
	_, err := s.conn.Call()
	return err //nolint:wrapcheck // it names the address
}

// mostEmptyPages bounds the answers without a document that a query accepts.
const mostEmptyPages = 10

// pages sends the query in the connection's message and passes each of at most limit documents to each.
func (s *session) pages(limit int, each func(wire.Document) error) error {
	read, empty := 0, 0
	for {
		r, err := s.conn.Call()
		if err != nil {
			return err //nolint:wrapcheck // it names the address
		}
		open, before := r.Context, read
		for {
			d, ok, err := r.Next()
			if err != nil {
				return err //nolint:wrapcheck // wire.ErrMalformed
			}
			if !ok {
				break
			}
			if read++; read > limit {
				return fmt.Errorf("%w: more than %d documents", wire.ErrMalformed, limit)
			}
			if err := each(d); err != nil {
				return err
			}
		}
		switch {
		case open == wire.NoContext:
			return nil
		case read == limit:
			return s.kill(open)
		case read == before:
			if empty++; empty > mostEmptyPages {
				return fmt.Errorf("%w: %d answers without a document", wire.ErrMalformed, empty)
			}
		}
		s.conn.Message.GetMore(open, -1)
	}
}

// scan reads documents from a key on, in the order of the keys.
func (s *session) scan(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Query(s.t.collection, pageFlags, 0, int64(op.ScanLength))
	m.Begin()
	m.BeginDocument(idName)
	m.Key("$gte", op.Key)
	m.End()
	m.End()
	s.selectWithID(op.Fields)
	m.Begin()
	m.Int32(idName, 1)
	m.End()
	m.Empty()
	out := workload.Outcome{Code: workload.OK}
	err := s.pages(op.ScanLength, func(d wire.Document) error {
		out.Rows++
		return takeRow(d, &out.Bytes)
	})
	if err != nil {
		return partly(out, err)
	}
	return out
}

// selectWithID appends the selector of fields and the key.
func (s *session) selectWithID(fields [][]byte) {
	m := &s.conn.Message
	m.Begin()
	if len(fields) > 0 {
		m.Text(idName, "")
	}
	for _, f := range fields {
		m.Field(f)
	}
	m.End()
}

// takeRow adds the lengths of a document's key and fields to size.
func takeRow(d wire.Document, size *int64) error {
	*size += int64(len(keyOf(d)))
	return take(d, nil, size)
}

// keyOf returns a document's key, or nil.
func keyOf(d wire.Document) []byte {
	all := d.Elements()
	var e wire.Element
	for all.Next(&e) {
		if string(e.Name) == idName {
			key, _ := e.Bytes()
			return key
		}
	}
	return nil
}

// partly returns the outcome of an operation that failed after it had read something.
func partly(got workload.Outcome, err error) workload.Outcome {
	out := ended(err)
	out.Rows, out.Bytes = got.Rows, got.Bytes
	return out
}

// multiGet reads several documents in one query. A key that occurs twice counts twice.
func (s *session) multiGet(op *workload.Op) workload.Outcome {
	s.keys = append(s.keys[:0], op.Keys...)
	slices.SortFunc(s.keys, bytes.Compare)
	m := &s.conn.Message
	m.Query(s.t.collection, pageFlags, 0, -1)
	m.Begin()
	m.BeginDocument(idName)
	m.BeginArray("$in")
	distinct := 0
	for i, key := range s.keys {
		if i == 0 || !bytes.Equal(key, s.keys[i-1]) {
			m.Item(distinct, key)
			distinct++
		}
	}
	m.End()
	m.End()
	m.End()
	s.selectWithID(op.Fields)
	m.Empty()
	m.Empty()
	out := workload.Outcome{Code: workload.OK}
	err := s.pages(distinct, func(d wire.Document) error {
		var size int64
		if err := takeRow(d, &size); err != nil {
			return err
		}
		times := s.times(keyOf(d))
		if times == 0 {
			return fmt.Errorf("%w: a document with a key that was not asked for", wire.ErrMalformed)
		}
		out.Rows += int32(times)
		out.Bytes += int64(times) * size
		return nil
	})
	if err != nil {
		return partly(out, err)
	}
	if missing := len(op.Keys) - int(out.Rows); missing > 0 {
		out.Code, out.Err = workload.NotFound, fmt.Errorf("%d of %d documents do not exist", missing, len(op.Keys))
	}
	return out
}

// times returns how often a key occurs in the multi-get.
func (s *session) times(key []byte) (n int) {
	at, _ := slices.BinarySearchFunc(s.keys, key, bytes.Compare)
	for ; at < len(s.keys) && bytes.Equal(s.keys[at], key); at++ {
		n++
	}
	return n
}

package sequoiadb

import (
	"fmt"

	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
	"github.com/benchd/benchd/internal/workload"
)

// insert writes one document.
func (s *session) insert(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Insert(s.t.collection, s.insertFlags())
	size := document(m, op.Key, op.Fields, op.Values)
	if _, err := s.conn.Call(); err != nil {
		return ended(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: size}
}

func (s *session) insertFlags() uint32 {
	if s.t.settings.Upsert {
		return wire.InsertIDPresent | wire.InsertReplace
	}
	return wire.InsertIDPresent
}

// document appends a document, and returns the length of its key and values.
func document(m *wire.Message, key []byte, fields, values [][]byte) int64 {
	size := int64(len(key))
	m.Begin()
	m.Key(idName, key)
	for i, f := range fields {
		m.Binary(f, values[i])
		size += int64(len(values[i]))
	}
	m.End()
	return size
}

// insertBatch writes several documents in one request. A document whose key exists does not stop the others, as in YCSB's
// binding.
func (s *session) insertBatch(op *workload.Op) workload.Outcome {
	flags := s.insertFlags() | wire.InsertCounts
	if !s.t.settings.Upsert {
		flags |= wire.InsertContinue
	}
	m := &s.conn.Message
	m.Insert(s.t.collection, flags)
	width := len(op.Fields)
	var size int64
	for i, key := range op.Keys {
		size += document(m, key, op.Fields, op.Values[i*width:(i+1)*width])
	}
	counts, err := s.counts()
	if err != nil {
		return ended(err)
	}
	rows := int64(len(op.Keys))
	if s.t.settings.Upsert {
		return workload.Outcome{Code: workload.OK, Rows: int32(rows), Bytes: size}
	}
	inserted, ok := counts.Int("InsertedNum")
	if !ok || inserted < 0 || inserted > rows {
		return ended(errNoCounts)
	}
	if inserted < rows {
		return workload.Outcome{
			Code: workload.Error, Rows: int32(inserted),
			Err: fmt.Errorf("%d of %d documents have a key that exists (SequoiaDB error %d)", rows-inserted, rows, wire.CodeDuplicate),
		}
	}
	return workload.Outcome{Code: workload.OK, Rows: int32(rows), Bytes: size}
}

// errNoCounts is the error of an answer without the numbers that were asked for.
var errNoCounts = fmt.Errorf("%w: it lacks the number of documents that were written; SequoiaDB 3.4 and later return it", wire.ErrMalformed)

// counts sends the connection's message and returns the document with the numbers of what was written.
func (s *session) counts() (wire.Document, error) {
	r, err := s.conn.Call()
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the address
	}
	d, ok, err := r.Next()
	if err == nil && !ok {
		err = errNoCounts
	}
	return d, err //nolint:wrapcheck // wire.ErrMalformed
}

// written sends an update or a delete and returns its outcome: NotFound if it matched no document. The numbers are those of
// matched, and of inserted documents.
func (s *session) written(matched string, size int64) workload.Outcome {
	counts, err := s.counts()
	if err != nil {
		return ended(err)
	}
	n, ok := number(counts, matched)
	if !ok {
		return ended(errNoCounts)
	}
	if n == 0 {
		n, _ = number(counts, "InsertedNum")
	}
	if n <= 0 {
		return workload.Outcome{Code: workload.NotFound, Err: errMissing}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: size}
}

// number returns an integer of a document. It does what Int does without a list of names.
func number(d wire.Document, name string) (int64, bool) {
	all := d.Elements()
	var e wire.Element
	for all.Next(&e) {
		if string(e.Name) == name {
			return e.Int()
		}
	}
	return 0, false
}

// updateFlags are the flags of an update.
func (s *session) updateFlags() uint32 {
	if s.t.settings.Upsert {
		return wire.UpdateCounts | wire.UpdateUpsert
	}
	return wire.UpdateCounts
}

// set appends the modifier {$set: {field: value, …}}, and returns the length of the values.
func set(m *wire.Message, fields, values [][]byte) (size int64) {
	m.Begin()
	m.BeginDocument("$set")
	for i, f := range fields {
		m.Binary(f, values[i])
		size += int64(len(values[i]))
	}
	m.End()
	m.End()
	return size
}

// update writes fields of one document.
func (s *session) update(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Update(s.t.collection, s.updateFlags())
	matchKey(m, op.Key)
	size := set(m, op.Fields, op.Values)
	m.Empty()
	return s.written("UpdatedNum", int64(len(op.Key))+size)
}

// checkAndPut writes fields of one document if it has the first of them.
func (s *session) checkAndPut(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Update(s.t.collection, wire.UpdateCounts)
	m.Begin()
	m.Key(idName, op.Key)
	m.Exists(op.Fields[0])
	m.End()
	size := set(m, op.Fields, op.Values)
	m.Empty()
	out := s.written("UpdatedNum", int64(len(op.Key))+size)
	if out.Code == workload.NotFound {
		out.Err = fmt.Errorf("%w, or has no field %s", errMissing, op.Fields[0])
	}
	return out
}

// increment adds to the number in a field. A document or a field that does not exist is created.
func (s *session) increment(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Update(s.t.collection, wire.UpdateCounts|wire.UpdateUpsert)
	matchKey(m, op.Key)
	m.Begin()
	m.BeginDocument("$inc")
	m.Int64(op.Fields[0], op.Delta)
	m.End()
	m.End()
	m.Empty()
	return s.written("UpdatedNum", int64(len(op.Key))+8)
}

// remove deletes one document.
func (s *session) remove(op *workload.Op) workload.Outcome {
	m := &s.conn.Message
	m.Delete(s.t.collection, wire.DeleteCounts)
	matchKey(m, op.Key)
	m.Empty()
	return s.written("DeletedNum", int64(len(op.Key)))
}

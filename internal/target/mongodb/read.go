package mongodb

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/target/mongodb/bsonraw"
	"github.com/benchd/benchd/internal/workload"
)

var errMissing = errors.New("the document does not exist")

// nearlyFull is the size of a batch that the server may have ended before its last document: a batch has 16 MiB at most.
const nearlyFull = 8 << 20

// tally is what an operation has read.
type tally struct {
	rows  int32
	bytes int64
}

// read gets one document.
func (s *session) read(op *workload.Op) workload.Outcome {
	s.begin("find")
	b, filter := bsonraw.Document(s.command, "filter")
	b = bsonraw.String(b, "_id", op.Key)
	s.command = bsonraw.End(b, filter)
	s.project(op.Fields)
	s.command = bsonraw.Bool(bsonraw.Int32(s.command, "limit", 1), "singleBatch", true)
	s.end(s.t.readConcern)
	if err := s.run(); err != nil {
		return failed(err)
	}
	var got tally
	if err := s.batch(&got, op.Collect, nil); err != nil {
		return failed(err)
	}
	if got.rows == 0 {
		return workload.Outcome{Code: workload.NotFound, Err: errMissing}
	}
	return workload.Outcome{Code: workload.OK, Rows: got.rows, Bytes: got.bytes}
}

// project names the fields that are read. As in YCSB's binding the key is always among them.
func (s *session) project(fields [][]byte) {
	if fields == nil {
		return
	}
	b, projection := bsonraw.Document(s.command, "projection")
	for _, field := range fields {
		b = bsonraw.Int32(b, field, 1)
	}
	s.command = bsonraw.End(b, projection)
}

// scan reads documents in the order of their keys.
func (s *session) scan(op *workload.Op) workload.Outcome {
	var got tally
	from := op.Key
	operator := "$gte"
	for left := int32(op.ScanLength); left > 0; left = int32(op.ScanLength) - got.rows {
		s.begin("find")
		b, filter := bsonraw.Document(s.command, "filter")
		b, id := bsonraw.Document(b, "_id")
		b = bsonraw.End(bsonraw.End(bsonraw.String(b, operator, from), id), filter)
		b, order := bsonraw.Document(b, "sort")
		s.command = bsonraw.End(bsonraw.Int32(b, "_id", 1), order)
		s.project(op.Fields)
		b = bsonraw.Int32(bsonraw.Int32(s.command, "limit", left), "batchSize", left)
		s.command = bsonraw.Bool(b, "singleBatch", true)
		s.end(s.t.readConcern)
		if err := s.run(); err != nil {
			return partly(got, err)
		}
		before := got.rows
		if err := s.batch(&got, op.Collect, &s.last); err != nil {
			return partly(got, err)
		}
		if len(s.answer) < nearlyFull || got.rows == before {
			break // the collection ends here
		}
		from, operator = s.last, "$gt"
	}
	return workload.Outcome{Code: workload.OK, Rows: got.rows, Bytes: got.bytes}
}

// multiGet reads several documents in one request.
func (s *session) multiGet(op *workload.Op) workload.Outcome {
	var got tally
	keys := op.Keys
	for len(keys) > 0 {
		if err := s.findKeys(keys, op.Fields); err != nil {
			return partly(got, err)
		}
		before := got.rows
		if err := s.batch(&got, op.Collect, nil); err != nil {
			return partly(got, err)
		}
		if len(s.answer) < nearlyFull || int(got.rows-before) == len(keys) || got.rows == before {
			break
		}
		missing, err := s.missing(keys)
		if err != nil {
			return partly(got, err)
		}
		keys = missing
	}
	if n := len(op.Keys) - int(got.rows); n > 0 {
		return workload.Outcome{
			Code: workload.NotFound, Rows: got.rows, Bytes: got.bytes, Err: fmt.Errorf("%d of %d documents do not exist", n, len(op.Keys)),
		}
	}
	return workload.Outcome{Code: workload.OK, Rows: got.rows, Bytes: got.bytes}
}

// findKeys asks for the documents with some keys.
func (s *session) findKeys(keys, fields [][]byte) error {
	s.begin("find")
	b, filter := bsonraw.Document(s.command, "filter")
	b, id := bsonraw.Document(b, "_id")
	b, in := bsonraw.Array(b, "$in")
	for i, key := range keys {
		b = bsonraw.StringAt(b, i, key)
	}
	s.command = bsonraw.End(bsonraw.End(bsonraw.End(b, in), id), filter)
	s.project(fields)
	n := int32(len(keys))
	s.command = bsonraw.Bool(bsonraw.Int32(bsonraw.Int32(s.command, "limit", n), "batchSize", n), "singleBatch", true)
	s.end(s.t.readConcern)
	return s.run()
}

// missing lists the keys that are not in the answer.
func (s *session) missing(keys [][]byte) ([][]byte, error) {
	batch, err := bsonraw.FirstBatch(s.answer)
	if err != nil {
		return nil, err
	}
	left := make(map[string]struct{}, len(keys))
	for _, key := range keys {
		left[string(key)] = struct{}{}
	}
	for {
		document, ok, err := batch.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		id, err := bsonraw.Find(document.Value, "_id")
		if err != nil {
			return nil, err
		}
		delete(left, string(id.Value))
	}
	var missing [][]byte
	for _, key := range keys {
		if _, is := left[string(key)]; is {
			missing = append(missing, key)
		}
	}
	return missing, nil
}

// batch counts the documents of the answer, passes their fields to collect, and keeps the last key if last is not nil.
func (s *session) batch(got *tally, collect func(field, value []byte), last *[]byte) error {
	batch, err := bsonraw.FirstBatch(s.answer)
	if err != nil {
		return err
	}
	for {
		document, ok, err := batch.Next()
		if err != nil || !ok {
			return err
		}
		if err := got.document(document.Value, collect, last); err != nil {
			return err
		}
	}
}

// document counts a document. As in YCSB's binding only binary fields are values of the workload; the number of an increment is one
// that is not verified.
func (t *tally) document(document []byte, collect func(field, value []byte), last *[]byte) error {
	fields, err := bsonraw.NewReader(document)
	if err != nil {
		return err
	}
	t.rows++
	for {
		e, ok, err := fields.Next()
		if err != nil || !ok {
			return err
		}
		t.bytes += int64(len(e.Value))
		switch {
		case e.Kind == bsonraw.TypeBinary && collect != nil:
			collect(e.Name, e.Value)
		case last != nil && e.Kind == bsonraw.TypeString && bytes.Equal(e.Name, idName()):
			*last = append((*last)[:0], e.Value...)
		}
	}
}

func idName() []byte { return []byte("_id") }

// partly returns the outcome of an operation that failed after it had read something.
func partly(got tally, err error) workload.Outcome {
	out := failed(err)
	out.Rows, out.Bytes = got.rows, got.bytes
	return out
}

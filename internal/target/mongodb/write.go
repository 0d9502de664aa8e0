package mongodb

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/benchd/benchd/internal/target/mongodb/bsonraw"
	"github.com/benchd/benchd/internal/workload"
)

// fullCommand is the size at which a batch is continued by another command: a command has 16 MiB at most.
const fullCommand = 12 << 20

// insert writes one document, or a batch of them in as few commands as possible.
func (s *session) insert(op *workload.Op) workload.Outcome {
	keys := op.Keys
	if keys == nil {
		keys = [][]byte{op.Key}
	}
	out := workload.Outcome{Code: workload.OK}
	for first := 0; first < len(keys); {
		next, size := s.encodeInsert(op, keys, first)
		one := s.inserted(next-first, size)
		if one.Err != nil && out.Err == nil {
			out.Code, out.Err = one.Code, one.Err
		}
		out.Rows += one.Rows
		out.Bytes += one.Bytes
		if one.Rows == 0 && one.Err != nil && s.answer == nil {
			break // the server did not answer: it will not answer the rest either
		}
		first = next
	}
	if out.Err != nil && len(keys) > 1 {
		out.Err = fmt.Errorf("%d of %d documents were not written: %w", len(keys)-int(out.Rows), len(keys), out.Err)
	}
	return out
}

// encodeInsert makes the command for the documents from first on, and returns the number of the first document that it has no room for.
func (s *session) encodeInsert(op *workload.Op, keys [][]byte, first int) (next int, size int64) {
	name, list := "insert", "documents"
	if s.t.settings.Upsert {
		name, list = "update", "updates"
	}
	s.begin(name)
	b, documents := bsonraw.Array(s.command, list)
	for next = first; next < len(keys) && (next == first || len(b) < fullCommand); next++ {
		values := op.Values[next*len(op.Fields) : (next+1)*len(op.Fields)]
		if s.t.settings.Upsert {
			b = appendUpsert(b, next-first, keys[next], op.Fields, values, len(keys) > 1)
		} else {
			var begin int
			b, begin = bsonraw.DocumentAt(b, next-first)
			b = bsonraw.End(appendFields(bsonraw.String(b, "_id", keys[next]), op.Fields, values), begin)
		}
		size += sizeOf(keys[next], values)
	}
	s.command = bsonraw.Bool(bsonraw.End(b, documents), "ordered", len(keys) == 1)
	s.end(s.t.writeConcern)
	return next, size
}

// appendUpsert appends an update that inserts the document if it does not exist. As in YCSB's binding a single one replaces a document
// that exists, and one of a batch sets its fields.
func appendUpsert(b []byte, index int, key []byte, fields, values [][]byte, set bool) []byte {
	b, update := bsonraw.DocumentAt(b, index)
	b, query := bsonraw.Document(b, "q")
	b = bsonraw.End(bsonraw.String(b, "_id", key), query)
	b, change := bsonraw.Document(b, "u")
	begin := change
	if set {
		b, begin = bsonraw.Document(b, "$set")
	}
	b = bsonraw.End(appendFields(bsonraw.String(b, "_id", key), fields, values), begin)
	if set {
		b = bsonraw.End(b, change)
	}
	return bsonraw.End(bsonraw.Bool(b, "upsert", true), update)
}

func appendFields(b []byte, fields, values [][]byte) []byte {
	for i, field := range fields {
		b = bsonraw.Binary(b, field, values[i])
	}
	return b
}

func sizeOf(key []byte, values [][]byte) int64 {
	n := int64(len(key))
	for _, value := range values {
		n += int64(len(value))
	}
	return n
}

// inserted sends the command and returns the outcome of its documents.
func (s *session) inserted(documents int, size int64) workload.Outcome {
	err := s.write()
	if err == nil {
		return workload.Outcome{Code: workload.OK, Rows: int32(documents), Bytes: size}
	}
	out := failed(err)
	e, ok := errors.AsType[mongo.WriteException](err)
	if !ok {
		s.answer = nil
		return out
	}
	if e.WriteConcernError != nil {
		return out // written, but not by as many servers as the write concern asks for
	}
	s.answer = e.Raw
	out.Rows = int32(documents - len(e.WriteErrors))
	if out.Rows > 0 {
		out.Bytes = size * int64(out.Rows) / int64(documents)
	}
	return out
}

// update writes fields of a document.
func (s *session) update(op *workload.Op) workload.Outcome {
	return s.change(op, nil, "$set", func(b []byte) []byte { return appendFields(b, op.Fields, op.Values) }, sizeOf(op.Key, op.Values))
}

// checkAndPut writes fields of a document that has the first of them.
func (s *session) checkAndPut(op *workload.Op) workload.Outcome {
	return s.change(op, op.Fields[0], "$set", func(b []byte) []byte { return appendFields(b, op.Fields, op.Values) }, sizeOf(op.Key, op.Values))
}

// increment adds to a number.
func (s *session) increment(op *workload.Op) workload.Outcome {
	const word = 8
	return s.change(op, nil, "$inc", func(b []byte) []byte { return bsonraw.Int64(b, op.Fields[0], op.Delta) }, int64(len(op.Key)+word))
}

// change updates one document, if it has a field.
func (s *session) change(op *workload.Op, has []byte, operator string, fields func([]byte) []byte, size int64) workload.Outcome {
	s.begin("update")
	b, updates := bsonraw.Array(s.command, "updates")
	b, update := bsonraw.DocumentAt(b, 0)
	b, query := bsonraw.Document(b, "q")
	b = bsonraw.String(b, "_id", op.Key)
	if has != nil {
		var exists int
		b, exists = bsonraw.Document(b, has)
		b = bsonraw.End(bsonraw.Bool(b, "$exists", true), exists)
	}
	b = bsonraw.End(b, query)
	b, change := bsonraw.Document(b, "u")
	b, set := bsonraw.Document(b, operator)
	b = bsonraw.End(bsonraw.End(fields(b), set), change)
	s.command = bsonraw.End(bsonraw.End(b, update), updates)
	if s.t.unanswered != nil {
		return s.changeUnanswered(size)
	}
	s.end(s.t.writeConcern)
	return s.changed(size, has)
}

// remove deletes a document.
func (s *session) remove(op *workload.Op) workload.Outcome {
	if s.t.unanswered != nil {
		_, err := s.t.unanswered.DeleteOne(s.ctx, bson.D{{Key: "_id", Value: string(op.Key)}})
		return sent(err, 1, int64(len(op.Key)))
	}
	s.begin("delete")
	b, deletes := bsonraw.Array(s.command, "deletes")
	b, one := bsonraw.DocumentAt(b, 0)
	b, query := bsonraw.Document(b, "q")
	b = bsonraw.End(bsonraw.String(b, "_id", op.Key), query)
	s.command = bsonraw.End(bsonraw.End(bsonraw.Int32(b, "limit", 1), one), deletes)
	s.end(s.t.writeConcern)
	return s.changed(int64(len(op.Key)), nil)
}

// changed sends a command that changes one document.
func (s *session) changed(size int64, has []byte) workload.Outcome {
	if err := s.write(); err != nil {
		return failed(err)
	}
	n, err := bsonraw.Count(s.answer, "n")
	switch {
	case err != nil:
		return failed(err)
	case n == 0 && has != nil:
		return workload.Outcome{Code: workload.NotFound, Err: fmt.Errorf("%w, or has no field %s", errMissing, has)}
	case n == 0:
		return workload.Outcome{Code: workload.NotFound, Err: errMissing}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: size}
}

// sent returns the outcome of a write that the server does not answer.
func sent(err error, rows int32, size int64) workload.Outcome {
	if err != nil {
		return failed(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: rows, Bytes: size}
}

// changeUnanswered sends the update of the session's command without waiting for an answer.
func (s *session) changeUnanswered(size int64) workload.Outcome {
	s.end(nil)
	var c struct {
		Updates []struct {
			Q, U bson.Raw
		}
	}
	if err := bson.Unmarshal(s.command, &c); err != nil {
		return failed(err)
	}
	_, err := s.t.unanswered.UpdateOne(s.ctx, c.Updates[0].Q, c.Updates[0].U)
	return sent(err, 1, size)
}

// insertUnanswered sends documents without waiting for an answer.
func (s *session) insertUnanswered(op *workload.Op) workload.Outcome {
	keys := op.Keys
	if keys == nil {
		keys = [][]byte{op.Key}
	}
	documents := make([]any, len(keys))
	var size int64
	for i, key := range keys {
		values := op.Values[i*len(op.Fields) : (i+1)*len(op.Fields)]
		b, begin := bsonraw.Begin(nil)
		documents[i] = bson.Raw(bsonraw.End(appendFields(bsonraw.String(b, "_id", key), op.Fields, values), begin))
		size += sizeOf(key, values)
	}
	rows := int32(len(keys))
	if !s.t.settings.Upsert {
		_, err := s.t.unanswered.InsertMany(s.ctx, documents, options.InsertMany().SetOrdered(false))
		return sent(err, rows, size)
	}
	models := make([]mongo.WriteModel, len(keys))
	for i, key := range keys {
		models[i] = mongo.NewReplaceOneModel().SetFilter(bson.D{{Key: "_id", Value: string(key)}}).SetReplacement(documents[i]).SetUpsert(true)
	}
	_, err := s.t.unanswered.BulkWrite(s.ctx, models, options.BulkWrite().SetOrdered(false))
	return sent(err, rows, size)
}

package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/workload"
)

// ask sends a statement of a form on some fields.
func (s *session) ask(f form, fields [][]byte) (*statement, error) {
	p, err := s.statement(f, fields)
	if err != nil {
		return nil, err
	}
	return p, s.conn.execute(p, s.params)
}

// read reads a row.
func (s *session) read(op *workload.Op) workload.Outcome {
	s.params = append(s.params[:0], op.Key)
	p, err := s.ask(read, op.Fields)
	if err != nil {
		return ended(err)
	}
	out := workload.Outcome{Code: workload.OK, Bytes: int64(len(op.Key))}
	for {
		values, err := s.conn.row()
		switch {
		case err != nil:
			return ended(err)
		case values == nil && out.Rows == 0:
			return workload.Outcome{Code: workload.NotFound, Err: errMissing}
		case values == nil:
			return out
		}
		out.Rows++
		out.Bytes += size(values, p.key)
		if op.Collect != nil {
			if err := s.collect(p, values, op.Collect); err != nil {
				_, _ = s.conn.end()
				return ended(err)
			}
		}
	}
}

// size returns the number of bytes of a row's values, without the key's.
func size(values [][]byte, key int) (n int64) {
	for i, v := range values {
		if i != key {
			n += int64(len(v))
		}
	}
	return n
}

// collect passes the fields of a row on. NULL is a field that the row does not have.
func (s *session) collect(p *statement, values [][]byte, collect func(field, value []byte)) error {
	for i, v := range values {
		switch {
		case i == p.key || v == nil || i >= len(p.fields):
		case s.dialect.jsonb && string(p.fields[i]) == client.DocumentColumn:
			return collectDocument(v, collect)
		default:
			collect(p.fields[i], v)
		}
	}
	return nil
}

// collectDocument passes the fields of a document on. Workloads that verify rows name their fields, and read no documents.
func collectDocument(document []byte, collect func(field, value []byte)) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return fmt.Errorf("decode %s: %w", client.DocumentColumn, err)
	}
	for name, value := range fields {
		switch v := value.(type) {
		case string:
			collect([]byte(name), []byte(v))
		case json.Number:
			collect([]byte(name), []byte(v))
		}
	}
	return nil
}

// change writes fields of a row.
func (s *session) change(f form, op *workload.Op, missing error) workload.Outcome {
	s.params = append(s.params[:0], op.Key)
	out := workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}
	for _, v := range op.Values {
		out.Bytes += int64(len(v))
	}
	if s.dialect.jsonb {
		s.array = appendDocument(s.array[:0], op.Fields, op.Values)
		s.params = append(s.params, s.array)
	} else {
		s.params = append(s.params, op.Values...)
	}
	if _, err := s.ask(f, op.Fields); err != nil {
		return ended(err)
	}
	return s.changed(out, missing)
}

// changed returns the outcome of a statement that changes one row.
func (s *session) changed(out workload.Outcome, missing error) workload.Outcome {
	switch n, err := s.conn.end(); {
	case err != nil:
		return ended(err)
	case n == 0:
		return workload.Outcome{Code: workload.NotFound, Err: missing}
	}
	return out
}

// remove deletes a row.
func (s *session) remove(op *workload.Op) workload.Outcome {
	s.params = append(s.params[:0], op.Key)
	if _, err := s.ask(remove, nil); err != nil {
		return ended(err)
	}
	return s.changed(workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}, errMissing)
}

// compute changes a field by an argument and the field's old value.
func (s *session) compute(f form, op *workload.Op, argument []byte) workload.Outcome {
	s.params = append(s.params[:0], op.Key, argument)
	if _, err := s.ask(f, op.Fields); err != nil {
		return ended(err)
	}
	return s.changed(workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key) + len(argument))}, errMissing)
}

// scan reads rows in the order of their keys.
func (s *session) scan(op *workload.Op) workload.Outcome {
	s.number = strconv.AppendInt(s.number[:0], int64(op.ScanLength), 10)
	s.params = append(s.params[:0], op.Key, s.number)
	if _, err := s.ask(scan, op.Fields); err != nil {
		return ended(err)
	}
	return s.rows()
}

// rows counts the rows of an answer.
func (s *session) rows() workload.Outcome {
	out := workload.Outcome{Code: workload.OK}
	for {
		values, err := s.conn.row()
		if err != nil {
			return ended(err)
		}
		if values == nil {
			return out
		}
		out.Rows++
		out.Bytes += size(values, -1)
	}
}

// readSeveral reads the rows of some keys.
func (s *session) readSeveral(op *workload.Op) workload.Outcome {
	s.array = appendArray(s.array[:0], op.Keys, 0, 1)
	s.params = append(s.params[:0], s.array)
	if _, err := s.ask(readSeveral, op.Fields); err != nil {
		return ended(err)
	}
	out := s.rows()
	if out.Code == workload.OK && int(out.Rows) < len(op.Keys) && int(out.Rows) < s.distinct(op.Keys) {
		return workload.Outcome{Code: workload.NotFound, Rows: out.Rows, Bytes: out.Bytes, Err: errSome}
	}
	return out
}

// distinct returns the number of different keys: the server returns a row once, however often its key is named.
func (s *session) distinct(keys [][]byte) int {
	s.keys = append(s.keys[:0], keys...)
	slices.SortFunc(s.keys, bytes.Compare)
	return len(slices.CompactFunc(s.keys, bytes.Equal))
}

// insertSeveral writes a batch of rows in one statement: all of them or none. Each parameter is an array with a column of the batch.
func (s *session) insertSeveral(op *workload.Op) workload.Outcome {
	rows, columns := len(op.Keys), len(op.Fields)
	out := workload.Outcome{Code: workload.OK, Rows: int32(rows)}
	s.ends = s.ends[:0]
	s.array = appendArray(s.array[:0], op.Keys, 0, 1)
	s.ends = append(s.ends, len(s.array))
	if s.dialect.jsonb {
		s.array = appendDocuments(s.array, op.Fields, op.Values, rows)
		s.ends = append(s.ends, len(s.array))
	} else {
		for i := range columns {
			s.array = appendArray(s.array, op.Values, i, columns)
			s.ends = append(s.ends, len(s.array))
		}
	}
	s.params = s.params[:0]
	for i, end := range s.ends {
		begin := 0
		if i > 0 {
			begin = s.ends[i-1]
		}
		s.params = append(s.params, s.array[begin:end])
	}
	for _, k := range op.Keys {
		out.Bytes += int64(len(k))
	}
	for _, v := range op.Values {
		out.Bytes += int64(len(v))
	}
	if cap(s.array) > largest {
		s.array = nil // params has it
	}
	if _, err := s.ask(insertSeveral, op.Fields); err != nil {
		return ended(err)
	}
	return s.changed(out, errMissing)
}

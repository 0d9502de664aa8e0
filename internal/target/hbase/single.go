package hbase

import (
	"encoding/binary"
	"fmt"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/workload"
)

// read gets one row.
func (s *session) read(op *workload.Op) workload.Outcome {
	s.key, s.mutation, s.batched = op.Key, mutation{}, true
	s.columns = appendColumns(s.columns[:0], 2, s.t.family, op.Fields)
	if s.timeline != nil {
		s.columns = appendNumber(s.columns, getConsistency, timelineConsistency)
		s.timeline.begin(s.deadline.ctx, &s.timeline.gets)
	}
	if err := s.fetch(op.Key, encodeGet); err != nil {
		return ended(err)
	}
	var got protocol.Tally
	var err error
	if s.item != nil {
		_, _, err = got.Result(s.item.result, s.item.cells, op.Collect)
	} else {
		response, cells, _ := s.call.Answer()
		err = got.Get(response, cells, op.Collect)
	}
	if err != nil {
		return ended(err)
	}
	if got.Stale {
		s.t.answeredStale(got.Rows > 0)
	}
	if got.Rows == 0 {
		return workload.Outcome{Code: workload.NotFound, Err: errMissing}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: got.Bytes}
}

func encodeGet(s *session, r *region) {
	s.call.Method = "Get"
	s.call.Request = appendGetRequest(s.call.Request, r.field, s.key, s.columns)
}

// put writes columns of one row, or adds them to the buffer.
func (s *session) put(op *workload.Op) workload.Outcome {
	bytes := s.values(op.Key, op.Fields, op.Values)
	m := mutation{kind: mutatePut, durability: s.t.durability, cells: len(s.cells)}
	if s.buffer != nil {
		return s.keep(op.Key, m, bytes)
	}
	if err := s.mutate(op.Key, m); err != nil {
		return ended(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: bytes}
}

// remove deletes a whole row.
func (s *session) remove(op *workload.Op) workload.Outcome {
	s.cells = s.cells[:0]
	m := mutation{kind: mutateDelete, durability: s.t.durability}
	if s.buffer != nil {
		return s.keep(op.Key, m, int64(len(op.Key)))
	}
	if err := s.mutate(op.Key, m); err != nil {
		return ended(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}
}

// increment adds to a counter. Its nonce keeps it from taking effect twice when it is resent.
func (s *session) increment(op *workload.Op) workload.Outcome {
	binary.BigEndian.PutUint64(s.number[:], uint64(op.Delta))
	s.cells = append(s.cells[:0], [2][]byte{op.Fields[0], s.number[:]})
	err := s.mutate(op.Key, mutation{kind: mutateIncrement, durability: s.t.durability, cells: 1, nonce: s.t.nonce()})
	if err != nil {
		return ended(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key) + len(s.number))}
}

// add appends bytes to a value.
func (s *session) add(op *workload.Op) workload.Outcome {
	bytes := s.values(op.Key, op.Fields[:1], op.Values[:1])
	err := s.mutate(op.Key, mutation{kind: mutateAppend, durability: s.t.durability, cells: 1, nonce: s.t.nonce()})
	if err != nil {
		return ended(err)
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: bytes}
}

// checkAndPut writes a row if it has a value in the first field.
func (s *session) checkAndPut(op *workload.Op) workload.Outcome {
	bytes := s.values(op.Key, op.Fields, op.Values)
	s.condition = appendHas(s.condition[:0], op.Key, s.t.family, op.Fields[0])
	err := s.mutate(op.Key, mutation{kind: mutatePut, durability: s.t.durability, cells: len(s.cells)})
	s.condition = s.condition[:0]
	if err != nil {
		return ended(err)
	}
	response, _, _ := s.call.Answer()
	done, err := protocol.Processed(response)
	if err != nil {
		return ended(err)
	}
	if !done {
		return workload.Outcome{Code: workload.NotFound, Err: fmt.Errorf("%w, or has no value in column %s", errMissing, op.Fields[0])}
	}
	return workload.Outcome{Code: workload.OK, Rows: 1, Bytes: bytes}
}

// values sets the session's cells, and returns the number of bytes of key and values.
func (s *session) values(key []byte, fields, values [][]byte) int64 {
	s.cells = s.cells[:0]
	bytes := int64(len(key))
	for i, f := range fields {
		s.cells = append(s.cells, [2][]byte{f, values[i]})
		bytes += int64(len(values[i]))
	}
	return bytes
}

// mutate sends a mutation of one row with the session's cells.
func (s *session) mutate(key []byte, m mutation) error {
	s.key, s.mutation, s.batched = key, m, len(s.condition) == 0
	return s.single(key, encodeMutate)
}

func encodeMutate(s *session, r *region) {
	s.call.Method = "Mutate"
	s.call.Request = appendMutateRequest(s.call.Request, r.field, s.key, s.mutation, s.condition, s.t.nonceGroup)
	s.call.Cells = s.appendPuts(s.call.Cells, s.key)
}

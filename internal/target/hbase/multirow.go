package hbase

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// multiRow writes several rows of one region at once, by the plug-in of HBase for that. The rows are drawn in one region as it is in
// the cache; when it was split in the meantime, some are drawn again.
func (s *session) multiRow(op *workload.Op) workload.Outcome {
	s.multi = op
	var try attempt
	for {
		r, conn, err := s.reach(op.Keys[0])
		if err == nil {
			if !s.settle(r) {
				return ended(&Failure{Code: workload.BadRequest, Text: fmt.Sprintf(
					"region %s has fewer than the %d rows of one mutation: lower multirow.size, or use fewer regions", r.name, len(op.Keys))})
			}
			if err = s.alone(r, conn, encodeMultiRow); err == nil {
				break
			}
		}
		if end := s.again(&try, err, r, conn); end != nil {
			return ended(end)
		}
	}
	out := workload.Outcome{Code: workload.OK, Rows: int32(len(op.Keys))}
	for _, key := range op.Keys {
		out.Bytes += int64(len(key))
	}
	for _, value := range op.Values {
		out.Bytes += int64(len(value))
	}
	return out
}

// settle replaces the rows of the current MultiRow that are not in a region. It reports whether all are in it then.
func (s *session) settle(r *region) bool {
	s.place = r
	for _, key := range s.multi.Keys {
		if !r.holds(key) {
			return s.multi.Gather(s.holds)
		}
	}
	return true
}

// Place implements load.Placed. It makes no look-up.
func (s *session) Place(key []byte) func(key []byte) bool {
	if s.place = s.t.regions.find(key); s.place == nil {
		return nil
	}
	return s.holds
}

// encodeMultiRow encodes the call of the plug-in: a MutateRowsRequest whose mutations contain their cells, because a plug-in receives
// no block of cells.
func encodeMultiRow(s *session, r *region) {
	op, width := s.multi, len(s.multi.Fields)
	mutations := 0
	for i, key := range op.Keys {
		mutations += sizeField(s.sizePutMessage(key, op.Fields, op.Values[i*width:(i+1)*width]))
	}
	call := sizeField(len(op.Keys[0])) + sizeField(len(admin.MultiRowService)) + sizeField(len(admin.MultiRowMethod)) + sizeField(mutations)
	s.call.Method = "ExecService"
	out := s.t.memory.Grow(s.call.Request, len(r.field)+sizeField(call))
	out = append(out, r.field...)
	out = protowire.AppendVarint(tag(out, 2), uint64(call))
	out = appendField(out, 1, op.Keys[0])
	out = protowire.AppendString(tag(out, 2), admin.MultiRowService)
	out = protowire.AppendString(tag(out, 3), admin.MultiRowMethod)
	out = protowire.AppendVarint(tag(out, 4), uint64(mutations))
	for i, key := range op.Keys {
		out = s.appendPutMessage(tag(out, 1), key, op.Fields, op.Values[i*width:(i+1)*width])
	}
	s.call.Request = out
}

// sizePutMessage returns the length of a MutationProto of a Put with its cells.
func (s *session) sizePutMessage(key []byte, fields, values [][]byte) int {
	return sizeField(len(key)) + 4 + sizeField(s.sizeColumn(fields, values))
}

// sizeColumn returns the length of a MutationProto.ColumnValue.
func (s *session) sizeColumn(fields, values [][]byte) int {
	n := sizeField(len(s.t.family))
	for i, f := range fields {
		n += sizeField(sizeField(len(f)) + sizeField(len(values[i])))
	}
	return n
}

// appendPutMessage appends the length and the fields of a MutationProto.
func (s *session) appendPutMessage(out, key []byte, fields, values [][]byte) []byte {
	out = protowire.AppendVarint(out, uint64(s.sizePutMessage(key, fields, values)))
	out = appendField(out, 1, key)
	out = appendNumber(out, 2, mutatePut)
	out = protowire.AppendVarint(tag(out, 3), uint64(s.sizeColumn(fields, values)))
	out = appendField(out, 1, s.t.family)
	for i, f := range fields {
		out = protowire.AppendVarint(tag(out, 2), uint64(sizeField(len(f))+sizeField(len(values[i]))))
		out = appendField(out, 1, f)
		out = appendField(out, 2, values[i])
	}
	return appendNumber(out, 6, uint64(s.t.durability))
}

package gohbase

import (
	"bytes"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// existing is a put that requires a value in a column. gohbase's own CheckAndPut compares for equality only, and applications
// send other conditions by a call of their own, as here.
type existing struct {
	*hrpc.Mutate

	condition *pb.Condition
}

func newExisting(put *hrpc.Mutate, family string, column []byte) (*existing, error) {
	// The least value that is not empty is less than, or equal to, every other one; HBase 1.4 compares with an empty one differently.
	least, err := filter.NewBinaryComparator(filter.NewByteArrayComparable([]byte{0})).ConstructPBComparator()
	if err != nil {
		return nil, err //nolint:wrapcheck // it fails for no value
	}
	return &existing{put, &pb.Condition{
		Row: put.Key(), Family: []byte(family), Qualifier: bytes.Clone(column),
		CompareType: pb.CompareType_LESS_OR_EQUAL.Enum(), Comparator: least,
	}}, nil
}

// ToProto implements hrpc.Call.
func (e *existing) ToProto() proto.Message {
	m := e.Mutate.ToProto()
	if request, ok := m.(*pb.MutateRequest); ok {
		request.Condition = e.condition
	}
	return m
}

// CellBlocksEnabled makes gohbase call ToProto.
func (*existing) CellBlocksEnabled() bool { return false }

package hbase_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// rowsOf decodes the call of the plug-in: the region, and the mutations by gohbase's messages.
func rowsOf(t *testing.T, r *request) (region string, mutations []*pb.MutationProto) {
	t.Helper()
	var request hbasepb.CoprocessorServiceRequest
	require.NoError(t, proto.Unmarshal(r.param, &request))
	require.Equal(t, "MultiRowMutationService", request.GetCall().GetServiceName())
	require.Equal(t, "MutateRows", request.GetCall().GetMethodName())
	for b := request.GetCall().GetRequest(); len(b) > 0; {
		num, kind, n := protowire.ConsumeTag(b)
		require.True(t, n > 0 && num == 1 && kind == protowire.BytesType)
		message, m := protowire.ConsumeBytes(b[n:])
		require.Positive(t, m)
		b = b[n+m:]
		one := &pb.MutationProto{}
		require.NoError(t, proto.Unmarshal(message, one))
		mutations = append(mutations, one)
	}
	require.Equal(t, mutations[0].GetRow(), request.GetCall().GetRow())
	return string(request.GetRegion().GetValue()), mutations
}

func TestAMultiRowIsOneCallOfThePlugIn(t *testing.T) {
	f := newFake(t)
	var got []*request
	f.do(func(r *request) *reply {
		got = append(got, r)
		return &reply{message: &hbasepb.CoprocessorServiceResponse{}}
	})
	_, s := open(t, settings(t, "durability", "ASYNC_WAL"), one(f.addr()))
	op := &workload.Op{Kind: workload.MultiRow, Keys: b("k1", "k2", "k30"), Fields: b("f0", "f1"), Values: b("1", "22", "333", "", "5", "66")}
	out := s.Do(t.Context(), op)
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 3, Bytes: 7 + 9}, out)
	require.Len(t, got, 1)
	require.Equal(t, "ExecService", got[0].header.GetMethodName())
	require.Empty(t, got[0].cells)
	region, mutations := rowsOf(t, got[0])
	require.Equal(t, "usertable,,1.abc.", region)
	require.Len(t, mutations, 3)
	for i, m := range mutations {
		require.Equal(t, op.Keys[i], m.GetRow())
		require.Equal(t, pb.MutationProto_PUT, m.GetMutateType())
		require.Equal(t, pb.MutationProto_ASYNC_WAL, m.GetDurability())
		require.Len(t, m.GetColumnValue(), 1)
		require.Equal(t, "cf", string(m.GetColumnValue()[0].GetFamily()))
		for c, v := range m.GetColumnValue()[0].GetQualifierValue() {
			require.Equal(t, op.Fields[c], v.GetQualifier())
			require.Equal(t, op.Values[2*i+c], v.GetValue())
		}
	}
}

// A region that was split in the meantime no longer has all rows: some are drawn again, and the mutation goes to the new region.
func TestAMultiRowFollowsASplit(t *testing.T) {
	f := newFake(t)
	var split atomic.Bool
	places := table(func(context.Context) ([]hbase.Place, error) {
		if split.Load() {
			return []hbase.Place{{Name: "usertable,,2.low.", Stop: []byte("k5"), Addr: f.addr()}, {Name: "usertable,k5,2.high.", Start: []byte("k5"), Addr: f.addr()}}, nil
		}
		return []hbase.Place{{Name: "usertable,,1.abc.", Addr: f.addr()}}, nil
	})
	var last *request
	f.do(func(r *request) *reply {
		if !split.Swap(true) {
			return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: usertable,,1.abc. is not online"}
		}
		last = r
		return &reply{message: &hbasepb.CoprocessorServiceResponse{}}
	})
	_, s := open(t, settings(t), places)
	op := &workload.Op{Kind: workload.MultiRow, Keys: b("k1", "k9", "k3"), Fields: b("f"), Values: b("a", "b", "c")}
	op.Gather = func(holds func([]byte) bool) bool {
		require.True(t, holds([]byte("k1")))
		require.False(t, holds([]byte("k9")))
		op.Keys[1] = []byte("k2")
		return true
	}
	placed := s.(load.Placed)
	require.True(t, placed.Place(op.Keys[0])(op.Keys[1]), "before the split")
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 3, Bytes: 9}, s.Do(t.Context(), op))
	region, mutations := rowsOf(t, last)
	require.Equal(t, "usertable,,2.low.", region)
	require.Equal(t, "k2", string(mutations[1].GetRow()))

	op.Gather = func(func([]byte) bool) bool { return false }
	op.Keys[1] = []byte("k9")
	out := s.Do(t.Context(), op)
	require.Equal(t, workload.BadRequest, out.Code)
	require.EqualError(t, out.Err, "region usertable,,2.low. has fewer than the 3 rows of one mutation: lower multirow.size, or use fewer regions")
}

func TestAMultiRowAllocatesNothing(t *testing.T) {
	_, s := open(t, settings(t), one(canned(t)))
	op := &workload.Op{Kind: workload.MultiRow, Keys: b("k0", "k1", "k2"), Fields: b("f0"), Values: b("a", "b", "c")}
	require.Equal(t, workload.OK, s.Do(t.Context(), op).Code)
	allocated := testing.AllocsPerRun(2000, func() { s.Do(t.Context(), op) })
	require.Less(t, allocated, 0.5) // the server answers by goroutines of the same process
}

package hbase_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/workload"
)

// The server refuses two rows of a batch of three, and the last row of the buffer.
func TestLostWritesOfABufferAreReported(t *testing.T) {
	f := newFake(t)
	f.do(func(r *request) *reply {
		var m pb.MultiRequest
		require.NoError(t, proto.Unmarshal(r.param, &m))
		f.mu.Lock()
		a := f.multi(&m, r.cells)
		f.mu.Unlock()
		for _, row := range []int{1, 2, 4} { // b, c and z: they are sent in the order of their keys
			bad := a.message.(*pb.MultiResponse).GetRegionActionResult()[0].GetResultOrException()[row]
			bad.Result = nil
			bad.Exception = &pb.NameBytesPair{
				Name:  new("org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException"),
				Value: []byte("org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: no cf\n\tat a.b\n"),
			}
		}
		return a
	})
	_, s := open(t, settings(t, "clientbuffering", "true", "writebuffersize", "450"), one(f.addr()))
	buffering, is := s.(load.Buffering)
	require.True(t, is)
	require.NoError(t, s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("a"), Fields: b("f"), Values: b("v")}).Err)
	require.Equal(t, load.Held, buffering.Buffer())
	require.NoError(t, s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: b("d", "c", "b"), Fields: b("f"), Values: b("1", "2", "3")}).Err)
	require.Equal(t, load.Held, buffering.Buffer())
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("z"), Fields: b("f"), Values: b("v")})
	const text = "3 of 5 buffered writes are lost (clientbuffering), the first of them: NoSuchColumnFamilyException: no cf"
	require.EqualError(t, out.Err, text)
	require.Equal(t, load.Sent, buffering.Buffer())
	require.Zero(t, out.Rows)
	lost := buffering.Lost()
	require.Len(t, lost, 1, "the write that sent the buffer has its own outcome")
	require.EqualError(t, lost[0].Err, text)
	lost[0].Err = nil
	require.Equal(t, load.Lost{Write: 1, Rows: 2, Code: workload.BadRequest}, lost[0])
}

package hbase_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// A Multi's answer has the class of an exception but no DoNotRetry: the class decides.
func TestAFinalExceptionWithinAMultiEndsTheOperation(t *testing.T) {
	for class, code := range map[string]workload.Code{
		"org.apache.hadoop.hbase.quotas.SpaceLimitingException":    workload.ServiceUnavailable,
		"org.apache.hadoop.hbase.client.RowTooBigException":        workload.Error,
		"org.apache.hadoop.hbase.coprocessor.CoprocessorException": workload.Error,
	} {
		t.Run(class, func(t *testing.T) {
			f := newFake(t)
			f.do(func(*request) *reply {
				return &reply{message: &pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{{ResultOrException: []*pb.ResultOrException{{
					Index: new(uint32(0)), Exception: &pb.NameBytesPair{Name: &class, Value: []byte(class + ": no\n\tat a.b\n")},
				}}}}}}
			})
			insert := &workload.Op{Kind: workload.Insert, Keys: b("a"), Fields: b("f"), Values: b("1")}
			for _, pairs := range [][]string{nil, {"hbase.batch.size", "2"}} {
				_, s := open(t, settings(t, pairs...), one(f.addr()))
				if pairs != nil {
					insert = &workload.Op{Kind: workload.Update, Key: []byte("a"), Fields: b("f"), Values: b("1")}
				}
				before := len(f.requests())
				out := s.Do(t.Context(), insert)
				require.Equal(t, code, out.Code, "%v", out.Err)
				require.ErrorContains(t, out.Err, class[strings.LastIndexByte(class, '.')+1:]+": no")
				require.Len(t, f.requests(), before+1, "it is not sent again")
			}
		})
	}
}

// The regions of a disabled table have no server. An operation must not wait for that as for a recovery.
func TestADisabledTableIsNamedAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	box, c := sandboxTable(t, ctx, sandbox.Options{}, "usertable")
	target, err := hbase.Open(ctx, load.Settings{Properties: map[string]string{
		"columnfamily": "cf", "hbase.zookeeper.quorum": box.Quorum(), "hbase.client.operation.timeout": "10000",
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, target.Close()) }()
	s, err := target.Open(ctx, 0)
	require.NoError(t, err)
	update := &workload.Op{Kind: workload.Update, Key: []byte("k"), Fields: b("f"), Values: b("v")}
	batch := &workload.Op{Kind: workload.Insert, Keys: b("k", "l"), Fields: b("f"), Values: b("v", "w")}
	for range 2 {
		require.NoError(t, s.Do(ctx, update).Err)
		require.NoError(t, s.Do(ctx, batch).Err)
		require.NoError(t, c.Disable(ctx, "usertable"))
		for _, op := range []*workload.Op{update, read("k"), batch, update} {
			out := s.Do(ctx, op)
			require.Equal(t, workload.ServiceUnavailable, out.Code, "%s: %v", op.Kind, out.Err)
			require.ErrorContains(t, out.Err, "TableNotEnabledException: usertable")
		}
		require.NoError(t, c.Enable(ctx, "usertable"))
	}
	require.NoError(t, s.Close(ctx))
}

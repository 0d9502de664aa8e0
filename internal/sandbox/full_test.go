package sandbox

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// A full in-memory sandbox refuses writes with an exception that clients do not retry, both single writes and batches.
func TestAFullSandboxRefusesWritesAtOnce(t *testing.T) {
	s := start(t, Options{MaxMemory: 16 << 20})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	c := dial(t, s.Servers()[at].Address)
	value := make([]byte, 1<<20)
	for i := range value {
		value[i] = byte(i * i >> 3)
	}
	put := func(i int) *hbasepb.MutationProto {
		return &hbasepb.MutationProto{
			Row: fmt.Appendf(nil, "%05d", i), MutateType: hbasepb.MutationType_MUTATION_TYPE_PUT.Enum(),
			ColumnValue: []*hbasepb.ColumnValue{{Family: []byte("f"), QualifierValue: []*hbasepb.QualifierValue{{Qualifier: []byte("q"), Value: value}}}},
		}
	}
	var refused *hbasepb.ExceptionResponse
	for i := 0; refused == nil && i < 1000; i++ {
		c.send("Mutate", &hbasepb.MutateRequest{Region: region, Mutation: put(i)})
		refused = c.answer(&hbasepb.MutateResponse{})
	}
	require.NotNil(t, refused)
	require.Equal(t, "org.apache.hadoop.hbase.quotas.SpaceLimitingException", refused.GetExceptionClassName())
	require.True(t, refused.GetDoNotRetry())
	require.Regexp(t, `sandbox is full: \d+ MiB in memory of 16; delete, truncate or compact a table, or start the sandbox with --data or a larger --max-memory`,
		refused.GetStackTrace())

	var again *hbasepb.NameBytesPair
	for i := 5000; again == nil && i < 6000; i++ { // a flush may have made room meanwhile
		c.send("Multi", &hbasepb.MultiRequest{RegionAction: []*hbasepb.RegionAction{{Region: region, Action: []*hbasepb.Action{{Index: proto.Uint32(0), Mutation: put(i)}}}}})
		var out hbasepb.MultiResponse
		require.Nil(t, c.answer(&out))
		again = out.GetRegionActionResult()[0].GetResultOrException()[0].GetException()
	}
	require.Equal(t, refused.GetExceptionClassName(), again.GetName())
}

// A restarted region server is not also listed as dead, as in HBase.
func TestARestartedServerIsNotDead(t *testing.T) {
	s := start(t, Options{Detection: time.Millisecond})
	create(t, s, "t", "h", "p")
	dead := func() []string { return s.masterFigures().Master.Dead }
	before := s.masterFigures().Master.Requests
	require.NoError(t, s.KillServer(t.Context(), "1"))
	was := s.Servers()[0].Name
	require.Eventually(t, func() bool { return len(dead()) == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, []string{was}, dead())
	_, err := s.RestartServer(t.Context(), "1")
	require.NoError(t, err)
	require.Empty(t, dead())
	_, err = s.RestartServer(t.Context(), "2") // a live server
	require.NoError(t, err)
	require.Empty(t, dead())
	require.Len(t, s.masterFigures().Master.Live, 3)
	require.GreaterOrEqual(t, s.masterFigures().Master.Requests, before, "a counter does not decrease")
}

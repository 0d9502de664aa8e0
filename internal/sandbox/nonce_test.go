package sandbox

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

// numbered gives a mutation a nonce.
func numbered(m *hbasepb.MutateRequest, nonce uint64) *hbasepb.MutateRequest {
	m.NonceGroup, m.Mutation.Nonce = proto.Uint64(7), &nonce
	return m
}

// An increment whose answer is cut off is sent again with its nonce, as clients do. It takes effect once, on this
// server and on the one that replaces it.
func TestAnIncrementThatIsSentAgainTakesEffectOnce(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	number, err := s.faults.Add(fault.Fault{Kind: fault.Disconnect, Share: 1, Where: fault.Where{Ops: []fault.Op{fault.Increment}}})
	require.NoError(t, err)
	first := dial(t, s.Servers()[at].Address)
	first.send("Mutate", numbered(increment(region), 1))
	var part [1 << 10]byte
	for err == nil {
		_, err = first.conn.Read(part[:])
	}
	s.faults.Clear(number)
	require.EqualValues(t, 1, counted(t, s))

	again := func(nonce uint64) uint64 {
		c := dial(t, s.Servers()[at].Address)
		c.send("Mutate", numbered(increment(region), nonce))
		var out hbasepb.MutateResponse
		require.Nil(t, c.answer(&out))
		require.True(t, out.GetProcessed())
		return binary.BigEndian.Uint64(out.GetResult().GetCell()[0].GetValue())
	}
	require.EqualValues(t, 1, again(1), "the answer has the current value")
	require.EqualValues(t, 2, again(2))
	require.EqualValues(t, 2, again(1))
	require.NoError(t, s.cluster.Move(region.GetValue(), s.Servers()[(at+1)%3].Name))
	at = (at + 1) % 3
	require.EqualValues(t, 2, again(2), "another server knows the nonce, as if from the log")
	require.EqualValues(t, 2, counted(t, s))
}

// A failed increment has no effect, so a repeat is carried out.
func TestANonceThatFailedMayBeUsedAgain(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	c := dial(t, s.Servers()[at].Address)
	wrong := numbered(increment(region), 1)
	wrong.Mutation.ColumnValue[0].Family = []byte("none")
	c.send("Mutate", wrong)
	require.Contains(t, c.answer(nil).GetExceptionClassName(), "NoSuchColumnFamilyException")
	c.send("Mutate", numbered(increment(region), 1))
	require.Nil(t, c.answer(&hbasepb.MutateResponse{}))
	require.EqualValues(t, 1, counted(t, s))
}

// Increments and appends of a batch have their own nonces, and one nonce may occur twice.
func TestABatchThatIsSentAgainTakesEffectOnce(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t")
	region, at := regionOfTable(t, s), holder(t, s)
	mutation := func(nonce uint64) *hbasepb.MutationProto { return numbered(increment(region), nonce).Mutation }
	appended := &hbasepb.MutationProto{
		Row: []byte("a"), MutateType: hbasepb.MutationType_MUTATION_TYPE_APPEND.Enum(), Nonce: proto.Uint64(3),
		ColumnValue: []*hbasepb.ColumnValue{{Family: []byte("f"), QualifierValue: []*hbasepb.QualifierValue{{Qualifier: []byte("n"), Value: []byte("x")}}}},
	}
	batch := &hbasepb.MultiRequest{NonceGroup: proto.Uint64(7), RegionAction: []*hbasepb.RegionAction{{Region: region}}}
	for i, m := range []*hbasepb.MutationProto{mutation(1), mutation(2), appended, mutation(2), {
		Row: []byte("p"), MutateType: hbasepb.MutationType_MUTATION_TYPE_PUT.Enum(), ColumnValue: appended.GetColumnValue(),
	}} {
		batch.RegionAction[0].Action = append(batch.RegionAction[0].Action, &hbasepb.Action{Index: new(uint32(i)), Mutation: m})
	}
	c := dial(t, s.Servers()[at].Address)
	for range 2 {
		c.send("Multi", batch)
		var out hbasepb.MultiResponse
		require.Nil(t, c.answer(&out))
		results := out.GetRegionActionResult()[0].GetResultOrException()
		require.Len(t, results, 5)
		for i, r := range results {
			require.Nil(t, r.GetException(), i)
			require.EqualValues(t, i, r.GetIndex())
		}
		require.Equal(t, "x", string(results[2].GetResult().GetCell()[0].GetValue()))
	}
	require.EqualValues(t, 2, counted(t, s))
}

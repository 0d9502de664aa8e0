package admin

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

func zNode(t testing.TB, m proto.Message) []byte {
	t.Helper()
	text, err := proto.Marshal(m)
	require.NoError(t, err)
	writer := "master:1"
	b := binary.BigEndian.AppendUint32([]byte{0xFF}, uint32(len(writer)))
	return append(append(append(b, writer...), "PBUF"...), text...)
}

func TestTheZNodeOfTheMasterIsDecoded(t *testing.T) {
	name := &hbasepb.ServerName{HostName: new("h"), Port: proto.Uint32(16000)}
	var got hbasepb.MasterNode
	require.NoError(t, decodeZNode(zNode(t, &hbasepb.MasterNode{Master: name}), &got))
	require.Equal(t, "h:16000", address(got.GetMaster()))
	require.ErrorContains(t, decodeZNode([]byte("hello"), &got), "not written by HBase")
	require.ErrorContains(t, decodeZNode(nil, &got), "not written by HBase")
}

func FuzzZNode(f *testing.F) {
	f.Add(zNode(f, &hbasepb.MasterNode{}))
	f.Add([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 'P'})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_ = decodeZNode(b, &hbasepb.MasterNode{})
	})
}

func TestARowOfMetaIsARegion(t *testing.T) {
	info, err := proto.Marshal(&hbasepb.RegionInfo{
		RegionId: proto.Uint64(7), TableName: tableName("n:t"), StartKey: []byte("a"), EndKey: []byte("b"),
	})
	require.NoError(t, err)
	name := "n:t,a,7.0123456789abcdef0123456789abcdef."
	cells := func(more ...protocol.Cell) row {
		return row{key: []byte(name), cells: append([]protocol.Cell{{Family: []byte("info"), Qualifier: []byte("regioninfo"), Value: append([]byte("PBUF"), info...)}}, more...)}
	}
	of := func(qualifier, value string) protocol.Cell {
		return protocol.Cell{Family: []byte("info"), Qualifier: []byte(qualifier), Value: []byte(value)}
	}
	for state, tt := range map[string]struct {
		row    row
		server string
		open   bool
	}{
		"open":                 {cells(of("server", "h:16020"), of("serverstartcode", "\x00\x00\x00\x00\x00\x00\x00\x05"), of("state", "OPEN")), "h,16020,5", true},
		"of an HBase before 2": {cells(of("server", "h:16020")), "h,16020,0", true},
		"closed":               {cells(of("server", "h:16020"), of("state", "CLOSED")), "h,16020,0", false},
		"nowhere":              {cells(of("state", "OPENING")), "", false},
	} {
		t.Run(state, func(t *testing.T) {
			r, ok, err := fromMeta(tt.row)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, "n:t", r.Table)
			require.Equal(t, "0123456789abcdef0123456789abcdef", r.Encoded)
			require.Equal(t, tt.server, r.Server)
			require.Equal(t, tt.open, r.open())
			require.True(t, r.holds([]byte("a")))
			require.False(t, r.holds([]byte("b")))
		})
	}
	_, ok, err := fromMeta(row{key: []byte("t"), cells: []protocol.Cell{of("state", "ENABLED")}})
	require.NoError(t, err)
	require.False(t, ok, "hbase:meta has rows of tables, too")
}

func TestTheNearerEndBoundsACount(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a"}, {"b", "a", "a"}} {
		require.Equal(t, tt.want, string(nearer([]byte(tt.a), []byte(tt.b))), "%+v", tt)
	}
}

// FuzzMeta reads a row of hbase:meta, which names the servers that a client connects to.
func FuzzMeta(f *testing.F) {
	info, err := proto.Marshal(&hbasepb.RegionInfo{RegionId: proto.Uint64(7), TableName: tableName("n:t"), StartKey: []byte("a"), EndKey: []byte("b")})
	require.NoError(f, err)
	f.Add([]byte("n:t,a,7.0123456789abcdef0123456789abcdef."), append([]byte("PBUF"), info...), []byte("h:16020"), []byte("\x00\x00\x00\x00\x00\x00\x00\x05"), []byte("OPEN"))
	f.Add([]byte("..,"), []byte("PBUF"), []byte(":"), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, key, region, server, code, state []byte) {
		of := func(qualifier string, value []byte) protocol.Cell {
			return protocol.Cell{Family: []byte("info"), Qualifier: []byte(qualifier), Value: value}
		}
		r, ok, err := fromMeta(row{key: key, cells: []protocol.Cell{of("regioninfo", region), of("server", server), of("serverstartcode", code), of("state", state)}})
		if err != nil || !ok {
			return
		}
		_ = r.open()
		require.False(t, r.holds(r.EndKey) && len(r.EndKey) > 0)
	})
}

package regionserver

import (
	"log/slog"
	"maps"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// serving makes a region server with one region of table t and without ports, and returns it with that region.
func serving(t testing.TB) (*Server, *cluster.Region) {
	t.Helper()
	kept, err := store.Open(store.Options{MaxBytes: 64 << 20})
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	c := cluster.New(kept, logger, func(*cluster.Server) {})
	node := cluster.NewServer(1, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2}, time.Now())
	require.NoError(t, c.Begin(node))
	require.NoError(t, c.Create(store.Table{Name: store.Name{Qualifier: "t"}, Families: []store.Family{{Name: "f", MaxVersions: 3}}}, nil))
	s := New(Config{Cluster: c, Node: node, Begin: &Beginning{ClusterID: "c", Master: NameOf(node)}, Logger: logger})
	t.Cleanup(func() {
		s.Close()
		s.Wait()
		require.NoError(t, kept.Close())
	})
	for _, r := range node.Regions() {
		if r.Meta == nil {
			return s, r
		}
	}
	require.Fail(t, "no region")
	return nil, nil
}

// here is the region name of all fuzzed messages, so that most of them find the region.
func here(t testing.TB, r *cluster.Region, m proto.Message) []byte {
	t.Helper()
	specifier := &hbasepb.RegionSpecifier{Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: []byte(r.Info.Encoded)}
	switch m := m.(type) {
	case *hbasepb.GetRequest:
		m.Region = specifier
	case *hbasepb.MutateRequest:
		m.Region = specifier
	case *hbasepb.ScanRequest:
		m.Region = specifier
	case *hbasepb.MultiRequest:
		for _, a := range m.RegionAction {
			a.Region = specifier
		}
	}
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	return b
}

// Any message is answered without a panic: with a message or an exception.
func FuzzClientService(f *testing.F) {
	row := &hbasepb.MutationProto{
		Row: []byte("r"), MutateType: hbasepb.MutationType_MUTATION_TYPE_PUT.Enum(),
		ColumnValue: []*hbasepb.ColumnValue{{Family: []byte("f"), QualifierValue: []*hbasepb.QualifierValue{{Qualifier: []byte("q"), Value: []byte("v")}}}},
	}
	count := &hbasepb.MutationProto{Row: []byte("r"), MutateType: hbasepb.MutationType_MUTATION_TYPE_INCREMENT.Enum(), AssociatedCellCount: proto.Int32(1)}
	condition := &hbasepb.Condition{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), CompareType: hbasepb.CompareType_COMPARE_TYPE_EQUAL.Enum()}
	block := protocol.AppendCell(nil, &protocol.Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("n"), Timestamp: protocol.LatestTimestamp, Type: protocol.TypePut, Value: make([]byte, 8)})
	for i, m := range []proto.Message{
		&hbasepb.GetRequest{Get: &hbasepb.Get{Row: []byte("r"), MaxVersions: proto.Uint32(3)}},
		&hbasepb.MutateRequest{Mutation: row, Condition: condition},
		&hbasepb.ScanRequest{Scan: &hbasepb.Scan{Reversed: new(true), BatchSize: proto.Uint32(1)}, NumberOfRows: proto.Uint32(2), LimitOfRows: proto.Uint32(1)},
		&hbasepb.MultiRequest{RegionAction: []*hbasepb.RegionAction{
			{Action: []*hbasepb.Action{{Mutation: row}, {Get: &hbasepb.Get{Row: []byte("r")}}, {Mutation: count}}},
			{Action: []*hbasepb.Action{{Mutation: row}}, Condition: condition, Atomic: new(true)},
		}},
	} {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(uint8(i), b, block, i%2 == 0)
	}
	s, r := serving(f)
	conns := map[bool]*rpc.Conn{false: {}, true: {Plain: true}}
	f.Fuzz(func(t *testing.T, which uint8, param, cells []byte, plain bool) {
		methods := []struct {
			name string
			m    proto.Message
		}{
			{"Get", &hbasepb.GetRequest{}},
			{"Mutate", &hbasepb.MutateRequest{}},
			{"Scan", &hbasepb.ScanRequest{}},
			{"Multi", &hbasepb.MultiRequest{}},
			{"ExecService", &hbasepb.CoprocessorServiceRequest{}},
		}
		method := methods[int(which)%len(methods)]
		if proto.Unmarshal(param, method.m) == nil {
			param = here(t, r, method.m)
		}
		var a rpc.Answer
		client{s}.Serve(t.Context(), &rpc.Call{Conn: conns[plain], Method: []byte(method.name), Param: param, Cells: cells}, &a)
		require.True(t, a.Exception != nil || a.Message != nil || a.Body != nil || which%5 == 0)
		for id := range s.scanners.ids() {
			s.scanners.remove(id)
		}
	})
}

func (s *scanners) ids() map[uint64]*open {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.open)
}

// Any call of AdminService is answered.
func FuzzAdminService(f *testing.F) {
	names := []string{"GetRegionInfo", "FlushRegion", "CompactRegion", "GetRegionLoad", "GetOnlineRegion", "GetServerInfo", "Nothing"}
	s, r := serving(f)
	for i := range names {
		b, err := proto.Marshal(&hbasepb.GetRegionInfoRequest{Region: &hbasepb.RegionSpecifier{
			Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: []byte(r.Name),
		}})
		require.NoError(f, err)
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, which uint8, param []byte) {
		var a rpc.Answer
		admin{s}.Serve(t.Context(), &rpc.Call{Conn: &rpc.Conn{}, Method: []byte(names[int(which)%len(names)]), Param: param}, &a)
		require.NotEqual(t, (a.Exception == nil), (a.Message == nil))
	})
}

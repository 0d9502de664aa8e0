package master

import (
	"log/slog"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/cluster"
	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/regionserver"
	"github.com/benchd/benchd/internal/sandbox/rpc"
	"github.com/benchd/benchd/internal/sandbox/store"
)

func serving(t testing.TB) *Server {
	t.Helper()
	kept, err := store.Open(store.Options{})
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	c := cluster.New(kept, logger, func(*cluster.Server) {})
	node := cluster.NewServer(1, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2}, time.Now())
	require.NoError(t, c.Begin(node))
	s := New(Config{Cluster: c, Begin: &regionserver.Beginning{ClusterID: "c", Master: regionserver.NameOf(node)}, Started: time.Now(), Logger: logger})
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, kept.Close())
	})
	return s
}

func ask(t testing.TB, s *Server, method string, m proto.Message) rpc.Answer {
	t.Helper()
	param, err := proto.Marshal(m)
	require.NoError(t, err)
	var a rpc.Answer
	s.Serve(t.Context(), &rpc.Call{Conn: &rpc.Conn{}, Method: []byte(method), Param: param}, &a)
	return a
}

func schema(namespace, name string, attributes ...string) *hbasepb.TableSchema {
	f := &hbasepb.ColumnFamilySchema{Name: []byte("f")}
	for pair := range slices.Chunk(attributes, 2) {
		f.Attributes = append(f.Attributes, &hbasepb.BytesBytesPair{First: []byte(pair[0]), Second: []byte(pair[1])})
	}
	return &hbasepb.TableSchema{
		TableName: meta.TableName(store.Name{Namespace: namespace, Qualifier: name}), ColumnFamilies: []*hbasepb.ColumnFamilySchema{f},
	}
}

// The attributes of a family that limit the life of cells are used; invalid values are refused.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		attributes []string
		want       store.Family
		refused    string
	}{
		{nil, store.Family{Name: "f", MaxVersions: 1}, ""},
		{[]string{"VERSIONS", "5", "MIN_VERSIONS", "2", "TTL", "60"}, store.Family{Name: "f", MaxVersions: 5, MinVersions: 2, TTL: time.Minute}, ""},
		{[]string{"TTL", "FOREVER"}, store.Family{Name: "f", MaxVersions: 1}, ""},
		{[]string{"TTL", "2147483647"}, store.Family{Name: "f", MaxVersions: 1}, ""},
		{[]string{"COMPRESSION", "SNAPPY"}, store.Family{Name: "f", MaxVersions: 1}, ""},
		{[]string{"VERSIONS", "0"}, store.Family{}, "VERSIONS is 0"},
		{[]string{"VERSIONS", "x"}, store.Family{}, `VERSIONS is "x"`},
		{[]string{"TTL", "-1"}, store.Family{}, `TTL is "-1"`},
	} {
		got, err := familyOf(schema("", "t", c.attributes...).ColumnFamilies[0])
		if c.refused != "" {
			require.ErrorContains(t, err, c.refused)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Lists select by pattern, namespace and state; a table of the default namespace matches with and without its
// namespace.
func TestLists(t *testing.T) {
	s := serving(t)
	require.Nil(t, ask(t, s, "CreateNamespace", &hbasepb.CreateNamespaceRequest{NamespaceDescriptor: &hbasepb.NamespaceDescriptor{Name: []byte("ns")}}).Exception)
	for _, n := range []store.Name{{Qualifier: "a"}, {Qualifier: "b"}, {Namespace: "ns", Qualifier: "a"}} {
		require.Nil(t, ask(t, s, "CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema(n.Namespace, n.Qualifier)}).Exception)
	}
	require.Nil(t, ask(t, s, "DisableTable", &hbasepb.DisableTableRequest{TableName: meta.TableName(store.Name{Qualifier: "b"})}).Exception)
	names := func(method string, m proto.Message) (all []string) {
		a := ask(t, s, method, m)
		require.Nil(t, a.Exception)
		for _, n := range a.Message.(interface{ GetTableNames() []*hbasepb.TableName }).GetTableNames() {
			all = append(all, tableName(n).String())
		}
		return all
	}
	require.Equal(t, []string{"a", "b", "ns:a"}, names("GetTableNames", &hbasepb.GetTableNamesRequest{}))
	require.Equal(t, []string{"hbase:meta", "a", "b", "ns:a"}, names("GetTableNames", &hbasepb.GetTableNamesRequest{IncludeSysTables: new(true)}))
	require.Equal(t, []string{"a"}, names("GetTableNames", &hbasepb.GetTableNamesRequest{Regex: new("default:a")}))
	require.Equal(t, []string{"ns:a"}, names("GetTableNames", &hbasepb.GetTableNamesRequest{Regex: new(".*"), Namespace: new("ns")}))
	require.Equal(t, []string{"b"}, names("ListTableNamesByState", &hbasepb.ListTableNamesByStateRequest{IsEnabled: new(false)}))
	require.Contains(t, ask(t, s, "GetTableNames", &hbasepb.GetTableNamesRequest{Regex: new("(")}).Exception.Class, "PatternSyntax")
}

// Impossible requests are refused with the class that HBase clients know.
func TestRefusals(t *testing.T) {
	s := serving(t)
	require.Nil(t, ask(t, s, "CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("", "t")}).Exception)
	known, unknown := meta.TableName(store.Name{Qualifier: "t"}), meta.TableName(store.Name{Qualifier: "none"})
	for _, c := range []struct {
		method string
		m      proto.Message
		class  string
	}{
		{"CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("", "t")}, "TableExistsException"},
		{"CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("none", "t")}, "NamespaceNotFoundException"},
		{"CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("hbase", "t")}, "DoNotRetryIOException"},
		{"CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("", "a b")}, "IllegalArgumentException"},
		{"CreateTable", &hbasepb.CreateTableRequest{}, "IllegalArgumentException"},
		{"DeleteTable", &hbasepb.DeleteTableRequest{TableName: known}, "TableNotDisabledException"},
		{"DeleteTable", &hbasepb.DeleteTableRequest{TableName: unknown}, "TableNotFoundException"},
		{"EnableTable", &hbasepb.EnableTableRequest{TableName: known}, "TableNotDisabledException"},
		{"GetTableState", &hbasepb.GetTableStateRequest{TableName: unknown}, "TableNotFoundException"},
		{"ModifyTable", &hbasepb.ModifyTableRequest{TableName: known}, "DoNotRetryIOException"},
		{"DeleteNamespace", &hbasepb.DeleteNamespaceRequest{NamespaceName: new("default")}, "ConstraintException"},
		{"MoveRegion", &hbasepb.MoveRegionRequest{Region: &hbasepb.RegionSpecifier{Value: []byte("none")}}, "UnknownRegionException"},
		{"ExecProcedure", &hbasepb.ExecProcedureRequest{}, "DoNotRetryIOException"},
		{"Shutdown", &hbasepb.ShutdownRequest{}, "DoNotRetryIOException"},
	} {
		e := ask(t, s, c.method, c.m).Exception
		require.NotNil(t, e, c.method)
		require.Contains(t, e.Class, c.class, e.Message)
		require.True(t, e.DoNotRetry, c.method)
	}
}

// A split in a region's middle happens in the background, and the client gets the outcome by the procedure's number.
func TestProcedures(t *testing.T) {
	s := serving(t)
	require.Nil(t, ask(t, s, "CreateTable", &hbasepb.CreateTableRequest{TableSchema: schema("", "t")}).Exception)
	regions, err := s.Cluster.Store().Regions(store.Name{Namespace: store.DefaultNamespace, Qualifier: "t"})
	require.NoError(t, err)
	info := regions[0].Info()
	a := ask(t, s, "SplitRegion", &hbasepb.SplitTableRegionRequest{RegionInfo: meta.Message(&info)})
	require.Nil(t, a.Exception)
	s.procedures.wait()
	id := a.Message.(*hbasepb.SplitTableRegionResponse).GetProcId()
	result := ask(t, s, "getProcedureResult", &hbasepb.GetProcedureResultRequest{ProcId: &id}).Message.(*hbasepb.GetProcedureResultResponse)
	require.Equal(t, hbasepb.ProcedureState_PROCEDURE_STATE_FINISHED, result.GetState())
	require.Contains(t, result.GetException().GetGenericException().GetMessage(), "cannot be split")
	result = ask(t, s, "getProcedureResult", &hbasepb.GetProcedureResultRequest{ProcId: proto.Uint64(1 << 40)}).Message.(*hbasepb.GetProcedureResultResponse)
	require.Equal(t, hbasepb.ProcedureState_PROCEDURE_STATE_NOT_FOUND, result.GetState())
}

// The master answers any request without a panic.
func FuzzMasterService(f *testing.F) {
	s := serving(f)
	var names []string
	for name := range s.methods {
		names = append(names, name)
	}
	slices.Sort(names)
	b, err := proto.Marshal(&hbasepb.CreateTableRequest{TableSchema: schema("", "t"), SplitKeys: [][]byte{[]byte("m")}})
	require.NoError(f, err)
	for i := range names {
		f.Add(uint8(i), b)
	}
	f.Fuzz(func(t *testing.T, which uint8, param []byte) {
		var a rpc.Answer
		s.Serve(t.Context(), &rpc.Call{Conn: &rpc.Conn{}, Method: []byte(names[int(which)%len(names)]), Param: param}, &a)
		require.NotEqual(t, (a.Exception == nil), (a.Message == nil))
		if tables := s.Cluster.Store().Tables(); len(tables) > 20 {
			for _, table := range tables {
				_ = s.Cluster.Disable(table.Name) // it may be disabled already
				require.NoError(t, s.Cluster.Delete(table.Name))
			}
		}
	})
}

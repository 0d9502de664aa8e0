package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// mostMemory bounds the memory that one call may take in a sandbox of a few rows.
const mostMemory = 1 << 30

// exchange makes one call on its own connection, and waits until it is answered or the connection ends.
func exchange(t *testing.T, address, service, method string, param, cells []byte) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	greeting, err := proto.Marshal(&hbasepb.ConnectionHeader{
		ServiceName: new(service), CellBlockCodecClass: new("org.apache.hadoop.hbase.codec.KeyValueCodec"),
	})
	require.NoError(t, err)
	h := &hbasepb.RequestHeader{CallId: proto.Uint32(1), MethodName: &method, RequestParam: new(true), Timeout: proto.Uint32(100)}
	if len(cells) > 0 {
		h.CellBlockMeta = &hbasepb.CellBlockMeta{Length: new(uint32(len(cells)))}
	}
	header, err := proto.Marshal(h)
	require.NoError(t, err)
	frame := protowire.AppendBytes(protowire.AppendBytes(nil, header), param)
	frame = append(frame, cells...)
	out := append(binary.BigEndian.AppendUint32([]byte("HBas\x00\x50"), uint32(len(greeting))), greeting...)
	out = append(binary.BigEndian.AppendUint32(out, uint32(len(frame))), frame...)
	if _, err = conn.Write(out); err != nil {
		return // the call was refused before it was sent completely
	}
	var length [4]byte
	if _, err = io.ReadFull(conn, length[:]); err == nil {
		_, err = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(length[:])))
	}
	late, ok := errors.AsType[net.Error](err)
	require.False(t, ok && late.Timeout(), "%s of %s is not answered", method, service)
}

// seeds are valid calls for the fuzzer to mutate.
func seeds(f *testing.F, s *Sandbox) {
	regions, err := s.store.Regions(store.Name{Namespace: store.DefaultNamespace, Qualifier: "t"})
	require.NoError(f, err)
	info := regions[0].Info()
	region := &hbasepb.RegionSpecifier{Type: hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(), Value: info.RegionName()}
	add := func(service uint8, method string, m proto.Message, cells []byte) {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(service, method, b, cells)
	}
	one := protocol.AppendCell(nil, &protocol.Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 7, Type: protocol.TypePut, Value: []byte("v")})
	put := &hbasepb.MutationProto{
		Row: []byte("r"), MutateType: hbasepb.MutationType_MUTATION_TYPE_PUT.Enum(), AssociatedCellCount: proto.Int32(1),
	}
	add(0, "Get", &hbasepb.GetRequest{Region: region, Get: &hbasepb.Get{Row: []byte("r")}}, nil)
	add(0, "Mutate", &hbasepb.MutateRequest{Region: region, Mutation: put}, one)
	add(0, "Scan", &hbasepb.ScanRequest{Region: region, Scan: &hbasepb.Scan{}, NumberOfRows: proto.Uint32(10)}, nil)
	add(0, "Scan", &hbasepb.ScanRequest{ScannerId: proto.Uint64(1), NumberOfRows: proto.Uint32(1 << 31), Renew: new(true)}, nil)
	add(0, "Multi", &hbasepb.MultiRequest{RegionAction: []*hbasepb.RegionAction{{Region: region, Action: []*hbasepb.Action{
		{Index: proto.Uint32(0), Mutation: put}, {Index: proto.Uint32(1), Get: &hbasepb.Get{Row: []byte("r")}},
	}}}}, one)
	add(1, "FlushRegion", &hbasepb.FlushRegionRequest{Region: region}, nil)
	add(1, "CompactRegion", &hbasepb.CompactRegionRequest{Region: region, Major: new(true)}, nil)
	add(1, "GetRegionInfo", &hbasepb.GetRegionInfoRequest{Region: region}, nil)
	add(2, "GetClusterStatus", &hbasepb.GetClusterStatusRequest{}, nil)
	add(2, "GetTableState", &hbasepb.GetTableStateRequest{TableName: &hbasepb.TableName{Namespace: []byte("default"), Qualifier: []byte("t")}}, nil)
	add(2, "CreateNamespace", &hbasepb.CreateNamespaceRequest{NamespaceDescriptor: &hbasepb.NamespaceDescriptor{Name: []byte("n")}}, nil)
	add(2, "SplitRegion", &hbasepb.SplitTableRegionRequest{RegionInfo: &hbasepb.RegionInfo{
		RegionId: new(uint64(info.ID)), TableName: &hbasepb.TableName{Namespace: []byte("default"), Qualifier: []byte("t")},
	}, SplitRow: []byte("m")}, nil)
}

// For any call, the sandbox sends an answer or ends the connection, takes bounded memory, and keeps serving other
// clients.
func FuzzCalls(f *testing.F) {
	s := start(f, Options{Servers: 1})
	create(f, s, "t")
	create(f, s, "good")
	good := connect(f, s)
	put, err := hrpc.NewPutStr(patient(f), "good", "r", values("v"))
	require.NoError(f, err)
	_, err = good.Put(put)
	require.NoError(f, err)
	seeds(f, s)
	server := s.Servers()[0].Address
	masterAddress := net.JoinHostPort(s.host, strconv.Itoa(int(s.begin.Master.GetPort())))
	f.Fuzz(func(t *testing.T, service uint8, method string, param, cells []byte) {
		switch service % 3 {
		case 0:
			exchange(t, server, "ClientService", method, param, cells)
		case 1:
			exchange(t, server, "AdminService", method, param, cells)
		default:
			exchange(t, masterAddress, "MasterService", method, param, cells)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		get, err := hrpc.NewGetStr(ctx, "good", "r")
		require.NoError(t, err)
		got, err := good.Get(get)
		require.NoError(t, err)
		require.Len(t, got.Cells, 1)
		used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(used)
		require.Less(t, used[0].Value.Uint64(), uint64(mostMemory))
	})
}

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// socket is a connection to a region server.
type socket struct {
	conn     net.Conn
	requests [][]byte // for each key
	answer   []byte
}

// newSocket connects to the server of the table's region, and encodes a request for each key.
func newSocket(ctx context.Context, a arguments, keys []string) (*socket, error) {
	region, err := onlyRegion(ctx, a)
	if err != nil {
		return nil, err
	}
	server := strings.Split(region.Server, ",")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(server[0], server[1]))
	if err != nil {
		return nil, fmt.Errorf("connect to the server of region %s: %w", region.Name, err)
	}
	const most = 1 << 20
	s := &socket{conn: conn, answer: make([]byte, most)}
	greeting := frame(&pb.ConnectionHeader{
		UserInfo: &pb.UserInformation{EffectiveUser: new("app")}, ServiceName: new("ClientService"),
		CellBlockCodecClass: new("org.apache.hadoop.hbase.codec.KeyValueCodec"),
	}, nil)
	const patience = 5 * time.Minute // for all reads: a deadline for each takes time
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := conn.Write(append([]byte("HBas\x00P"), greeting...)); err != nil {
		return nil, fmt.Errorf("greet the server: %w", err)
	}
	for i, key := range keys {
		s.requests = append(s.requests, frame(
			&pb.RequestHeader{CallId: new(uint32(i)), MethodName: new("Get"), RequestParam: new(true)},
			&pb.GetRequest{
				Region: &pb.RegionSpecifier{Type: pb.RegionSpecifier_REGION_NAME.Enum(), Value: []byte(region.Name)},
				Get:    &pb.Get{Row: []byte(key), Column: []*pb.Column{{Family: []byte(a.family)}}},
			}))
	}
	return s, nil
}

func onlyRegion(ctx context.Context, a arguments) (admin.Region, error) {
	cluster, err := admin.Connect(ctx, admin.Config{Quorum: a.quorum})
	if err != nil {
		return admin.Region{}, fmt.Errorf("connect to HBase: %w", err)
	}
	defer cluster.Close()
	regions, err := cluster.Regions(ctx, a.table)
	if err != nil || len(regions) != 1 {
		return admin.Region{}, fmt.Errorf("table %s has %d regions, want 1: %w", a.table, len(regions), err)
	}
	return regions[0], nil
}

// frame encodes a header alone, or a request.
func frame(header, param proto.Message) []byte {
	var body []byte
	h, err := proto.Marshal(header)
	if err != nil {
		panic(err) // it has all of its fields
	}
	if param == nil {
		body = h
	} else {
		p, err := proto.Marshal(param)
		if err != nil {
			panic(err)
		}
		body = protowire.AppendBytes(protowire.AppendBytes(nil, h), p)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func (s *socket) close() { _ = s.conn.Close() }

// read sends a request, and waits for the whole answer.
func (s *socket) read(_ context.Context, key int) error {
	if _, err := s.conn.Write(s.requests[key]); err != nil {
		return err
	}
	const prefix = 4
	have, want := 0, prefix
	for have < want {
		n, err := s.conn.Read(s.answer[have:])
		if err != nil {
			return err
		}
		if have += n; have >= prefix {
			want = prefix + int(binary.BigEndian.Uint32(s.answer))
		}
		if want > len(s.answer) {
			return io.ErrShortBuffer
		}
	}
	return nil
}

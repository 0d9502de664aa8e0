package mongodb_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/internal/workload"
)

// replyServer answers every OP_MSG with the same document of ten fields of 100 bytes, without an allocation, so that the figures are those
// of the client. Handshakes go to a scripted server.
func replyServer(b *testing.B) string {
	b.Helper()
	hello, err := bson.Marshal(mongodbtest.Hello(nil))
	require.NoError(b, err)
	document := bson.D{{Key: "_id", Value: "user6284781860667377211"}}
	for i := range 10 {
		document = append(document, bson.E{Key: "field" + string(rune('0'+i)), Value: make([]byte, 100)})
	}
	found, err := bson.Marshal(mongodbtest.Batch(document))
	require.NoError(b, err)
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveReplies(conn, hello, found)
		}
	}()
	return l.Addr().String()
}

func serveReplies(conn net.Conn, hello, found []byte) {
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, 64<<10)
	answer := make([]byte, 0, 4096)
	for {
		if _, err := io.ReadFull(conn, buffer[:16]); err != nil {
			return
		}
		size := binary.LittleEndian.Uint32(buffer)
		if _, err := io.ReadFull(conn, buffer[16:size]); err != nil {
			return
		}
		id, opcode := binary.LittleEndian.Uint32(buffer[4:]), binary.LittleEndian.Uint32(buffer[12:])
		document := found
		if opcode != 2013 || buffer[26] == 'h' { // hello, or a query
			document = hello
		}
		answer = append(answer[:0], make([]byte, 16)...)
		binary.LittleEndian.PutUint32(answer[8:], id)
		binary.LittleEndian.PutUint32(answer[12:], 2013)
		if opcode == 2013 {
			answer = append(answer, 0, 0, 0, 0, 0)
		} else {
			binary.LittleEndian.PutUint32(answer[12:], 1)
			answer = append(answer, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
		}
		answer = append(answer, document...)
		binary.LittleEndian.PutUint32(answer, uint32(len(answer)))
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// processorTime returns the time of the process in nanoseconds.
func processorTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRead compares a read by a session with one by the driver's own FindOne, and with the bytes of both on a bare connection, which
// is the part of the reply server and the kernel.
func BenchmarkRead(b *testing.B) {
	key := []byte("user6284781860667377211")
	for _, c := range []struct {
		name string
		open func(b *testing.B, address string) func() bool
	}{
		{"session", func(b *testing.B, address string) func() bool {
			b.Helper()
			target, err := mongodb.Open(b.Context(), load.Settings{Properties: map[string]string{"mongodb.url": "mongodb://" + address + "/ycsb"}})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, target.Close()) })
			s, err := target.Open(b.Context(), 0)
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, s.Close(context.Background())) })
			op := &workload.Op{Kind: workload.Read, Key: key}
			ctx := context.Background()
			return func() bool { return s.Do(ctx, op).Code == workload.OK }
		}},
		{"driver", func(b *testing.B, address string) func() bool {
			b.Helper()
			m, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + address))
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, m.Disconnect(context.Background())) })
			collection := m.Database("ycsb").Collection("usertable")
			ctx := context.Background()
			return func() bool {
				raw, err := collection.FindOne(ctx, bson.D{{Key: "_id", Value: string(key)}}).Raw()
				return err == nil && len(raw) > 1000
			}
		}},
		{"connection", func(b *testing.B, address string) func() bool {
			b.Helper()
			conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", address)
			require.NoError(b, err)
			b.Cleanup(func() { _ = conn.Close() })
			command, err := bson.Marshal(bson.D{
				{Key: "find", Value: "usertable"}, {Key: "filter", Value: bson.D{{Key: "_id", Value: string(key)}}}, {Key: "limit", Value: int32(1)}, {Key: "singleBatch", Value: true}, {Key: "$db", Value: "ycsb"},
			})
			require.NoError(b, err)
			message := append(make([]byte, 21), command...)
			binary.LittleEndian.PutUint32(message, uint32(len(message)))
			binary.LittleEndian.PutUint32(message[12:], 2013)
			answer := make([]byte, 4096)
			return func() bool {
				if _, err := conn.Write(message); err != nil {
					return false
				}
				if _, err := io.ReadFull(conn, answer[:4]); err != nil {
					return false
				}
				_, err := io.ReadFull(conn, answer[4:binary.LittleEndian.Uint32(answer)])
				return err == nil
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			read := c.open(b, replyServer(b))
			require.True(b, read())
			b.ReportAllocs()
			begin := processorTime()
			for b.Loop() {
				if !read() {
					b.Fatal("a read failed")
				}
			}
			b.ReportMetric((processorTime()-begin)/float64(b.N), "cpu-ns/op")
		})
	}
}

package hdfs

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A length may arrive in any pieces.
func TestMessagesThatAreTooLong(t *testing.T) {
	message := func(prefix []byte, n int) []byte { return append(prefix, make([]byte, n)...) }
	four := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for name, test := range map[string]struct {
		length prefix
		bytes  []byte
		good   bool
	}{
		"messages of a namenode":      {ofNamenode, append(message(four(0), 0), append(message(four(300), 300), message(four(2), 2)...)...), true},
		"the longest of a namenode":   {ofNamenode, message(four(longest), 0), true},
		"a long one of a namenode":    {ofNamenode, append(message(four(3), 3), four(longest+1)...), false},
		"messages of a datanode":      {ofDatanode, append(message([]byte{0}, 0), append(message([]byte{0xac, 2}, 300), message([]byte{2}, 2)...)...), true},
		"the longest of a datanode":   {ofDatanode, binary.AppendUvarint(nil, longest), true},
		"a long one of a datanode":    {ofDatanode, append(message([]byte{1}, 1), binary.AppendUvarint(nil, longest+1)...), false},
		"a length that does not end":  {ofDatanode, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, false},
		"an answer of an HTTP server": {ofNamenode, []byte("HTTP/1.1 400 Bad Request\r\n"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for piece := 1; piece <= len(test.bytes); piece++ {
				f := frames{length: test.length}
				var err error
				for rest := test.bytes; len(rest) > 0 && err == nil; rest = rest[min(piece, len(rest)):] {
					err = f.add(rest[:min(piece, len(rest))])
				}
				require.Equal(t, test.good, err == nil, "in pieces of %d: %v", piece, err)
			}
		})
	}
}

// serve listens on loopback, and lets answer have each connection.
func serve(t *testing.T, answer func(conn net.Conn)) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		<-done
	})
	return l.Addr().String()
}

func TestServersThatAreNoNamenodes(t *testing.T) {
	dial, err := outbound.New(nil)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		answer func(conn net.Conn)
		want   string
	}{
		"one that is silent": {func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, "i/o timeout"},
		"one that wants Kerberos": {func(conn net.Conn) {
			// A fatal answer to call -1, as a namenode gives to clients without Kerberos.
			_, _ = conn.Write([]byte{0, 0, 0, 9, 8, 8, 0xff, 0xff, 0xff, 0xff, 0xf, 0x10, 2})
			_, _ = io.Copy(io.Discard, conn)
		}, "refuses the connection: if it requires Kerberos"},
		"one that closes": {func(net.Conn) {}, "HDFS at 127.0.0.1:"},
		"one that speaks HTTP": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n")
			_, _ = io.Copy(io.Discard, conn)
		}, "is it one of HDFS?"},
		"one that announces much": {func(conn net.Conn) {
			_, _ = conn.Write([]byte{0xff, 0xff, 0xff, 0xff})
			_, _ = io.Copy(io.Discard, conn)
		}, "more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tolerance.Patience)
			defer cancel()
			_, err := Open(ctx, Config{Namenodes: []string{serve(t, test.answer)}, User: "alice", Top: "/", Way: "x", Dial: dial, Timeout: 200 * time.Millisecond})
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "closed network connection")
		})
	}
	_, err = Open(t.Context(), Config{Namenodes: []string{"203.0.113.1:8020"}, User: "alice", Top: "/", Way: "x", Dial: dial, Timeout: time.Second})
	require.ErrorContains(t, err, "refuse to connect to 203.0.113.1:8020, which hbase.bulkload.directory names")
}

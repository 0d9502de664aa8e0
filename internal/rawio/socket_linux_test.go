package rawio

import (
	"bytes"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sockets returns both ends of a connection, and a socket of the first.
func sockets(t *testing.T) (tcp, peer *net.TCPConn, s net.Conn) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	other, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	t.Cleanup(func() { _, _ = c.Close(), other.Close() })
	s = Conn(c)
	require.IsType(t, &Socket{}, s)
	return c.(*net.TCPConn), other.(*net.TCPConn), s
}

func TestASocketCarriesMoreThanTheKernelTakesAtOnce(t *testing.T) {
	tcp, peer, s := sockets(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	echoed := make(chan error, 1)
	go func() {
		_, err := io.Copy(peer, struct{ io.Reader }{peer}) // not spliced: with splice both directions sometimes get stuck
		_ = peer.CloseWrite()
		echoed <- err
	}()
	wrote := make(chan error, 1)
	go func() {
		n, err := s.Write(want)
		if err == nil && n != len(want) {
			err = io.ErrShortWrite
		}
		_ = tcp.CloseWrite()
		wrote <- err
	}()
	got, err := io.ReadAll(s)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
	require.NoError(t, <-wrote)
	require.NoError(t, <-echoed)
}

func TestASocketFailsAsAConnectionDoes(t *testing.T) {
	b := make([]byte, 10)
	for name, test := range map[string]struct {
		end  func(s net.Conn, peer *net.TCPConn)
		does func(s net.Conn) (int, error)
		want error
	}{
		"read what the peer has ended": {
			end:  func(_ net.Conn, peer *net.TCPConn) { _ = peer.CloseWrite() },
			does: func(s net.Conn) (int, error) { return s.Read(b) },
			want: io.EOF,
		},
		"read what the peer has cut off": {
			end:  func(_ net.Conn, peer *net.TCPConn) { _, _ = peer.SetLinger(0), peer.Close() },
			does: func(s net.Conn) (int, error) { return s.Read(b) },
			want: syscall.ECONNRESET,
		},
		"read beyond the deadline": {
			end:  func(s net.Conn, _ *net.TCPConn) { _ = s.SetReadDeadline(time.Unix(1, 0)) },
			does: func(s net.Conn) (int, error) { return s.Read(b) },
			want: os.ErrDeadlineExceeded,
		},
		"read what is closed": {
			end:  func(s net.Conn, _ *net.TCPConn) { _ = s.Close() },
			does: func(s net.Conn) (int, error) { return s.Read(b) },
			want: net.ErrClosed,
		},
		"write beyond the deadline": {
			end:  func(s net.Conn, _ *net.TCPConn) { _ = s.SetWriteDeadline(time.Unix(1, 0)) },
			does: func(s net.Conn) (int, error) { return s.Write(b) },
			want: os.ErrDeadlineExceeded,
		},
		"write to what is closed": {
			end:  func(s net.Conn, _ *net.TCPConn) { _ = s.Close() },
			does: func(s net.Conn) (int, error) { return s.Write(b) },
			want: net.ErrClosed,
		},
		"write to what nobody reads any more": {
			end: func(s net.Conn, peer *net.TCPConn) {
				_, _ = peer.SetLinger(0), peer.Close()
				_, _ = s.Read(b) // the reset arrives
			},
			does: func(s net.Conn) (int, error) { return s.Write(b) },
			want: syscall.EPIPE,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, peer, s := sockets(t)
			test.end(s, peer)
			n, err := test.does(s)
			require.ErrorIs(t, err, test.want)
			require.Zero(t, n)
		})
	}
}

func TestAWaitingSocketCanBeInterrupted(t *testing.T) {
	_, peer, s := sockets(t)
	b := make([]byte, 10)
	read := make(chan error, 1)
	go func() {
		_, err := s.Read(b)
		read <- err
	}()
	require.NoError(t, s.SetReadDeadline(time.Unix(1, 0)))
	require.ErrorIs(t, <-read, os.ErrDeadlineExceeded)
	require.NoError(t, s.SetReadDeadline(time.Time{}))
	_, err := peer.Write([]byte("on"))
	require.NoError(t, err)
	n, err := s.Read(b)
	require.NoError(t, err)
	require.Equal(t, "on", string(b[:n]))
}

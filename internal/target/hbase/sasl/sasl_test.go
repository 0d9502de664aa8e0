package sasl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connections returns both ends of a connection.
func connections(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	client, err = new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	server, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	for _, c := range []net.Conn{client, server} {
		require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	}
	return client, server
}

// keys are those of the AES option, as one side sees them.
func keys(server bool) *hbasepb.CryptoCipherMeta {
	one, two := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)
	if server {
		one, two = two, one
	}
	return &hbasepb.CryptoCipherMeta{Transformation: new(transformation), OutKey: one, OutIv: one, InKey: two, InIv: two}
}

// ciphered returns two connections that have agreed on keys.
func ciphered(t *testing.T) (client, server *Conn) {
	t.Helper()
	a, b := connections(t)
	client, server = &Conn{Conn: a, transformation: transformation}, &Conn{Conn: b}
	require.NoError(t, client.Agree(keys(false)))
	require.NoError(t, server.Agree(keys(true)))
	return client, server
}

func TestASealedConnectionCarriesBytesOfAnyLength(t *testing.T) {
	client, server := ciphered(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var want []byte
	sent := make(chan error, 1)
	lengths := []int{1, 4, 1000, 65_536, portion, portion + 1, 3*portion + 7, 5}
	for _, n := range lengths {
		part := make([]byte, n)
		for i := range part {
			part[i] = byte(rng.Uint32())
		}
		want = append(want, part...)
	}
	go func() {
		rest := want
		for _, n := range lengths {
			if _, err := client.Write(rest[:n]); err != nil {
				sent <- err
				return
			}
			rest = rest[n:]
		}
		sent <- nil
	}()
	got := make([]byte, len(want))
	for at := 0; at < len(got); {
		n, err := server.Read(got[at:min(len(got), at+1+rng.IntN(100_000))])
		require.NoError(t, err)
		at += n
	}
	require.NoError(t, <-sent)
	require.True(t, bytes.Equal(want, got))
}

// A worker that reads is interrupted by a deadline in the past, in the middle of a message, too.
func TestAnInterruptedReadLosesNothing(t *testing.T) {
	a, b := connections(t)
	server := &Conn{Conn: b}
	require.NoError(t, server.Agree(keys(true)))
	out, err := newAES(keys(false))
	require.NoError(t, err)
	payload := bytes.Repeat([]byte("payload "), 1000)
	sealed := out.seal(nil, payload)
	wire := append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...)
	var got []byte
	part := make([]byte, 500)
	for len(got) < len(payload) {
		n := min(len(wire), 700)
		_, err := a.Write(wire[:n])
		require.NoError(t, err)
		wire = wire[n:]
		require.NoError(t, b.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
		for {
			n, err := server.Read(part)
			got = append(got, part[:n]...)
			if err != nil {
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				break
			}
			if len(got) == len(payload) {
				break
			}
		}
	}
	require.Equal(t, payload, got)
}

func TestChangedMessagesEndAConnection(t *testing.T) {
	for _, position := range []int{0, 20, -1, -5} {
		a, b := connections(t)
		server := &Conn{Conn: b}
		require.NoError(t, server.Agree(keys(true)))
		out, err := newAES(keys(false))
		require.NoError(t, err)
		sealed := out.seal(nil, bytes.Repeat([]byte{7}, 100))
		if position < 0 {
			position += len(sealed)
		}
		sealed[position] ^= 1
		_, err = a.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...))
		require.NoError(t, err)
		_, err = server.Read(make([]byte, 10))
		require.ErrorIs(t, err, errForged)
	}
}

// A server that announces a large message and sends little gets little memory.
func TestAnnouncedLengthsAreNotAllocated(t *testing.T) {
	a, b := connections(t)
	server := &Conn{Conn: b}
	require.NoError(t, server.Agree(keys(true)))
	_, err := a.Write(append(binary.BigEndian.AppendUint32(nil, most), 1, 2, 3))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	_, err = server.Read(make([]byte, 10))
	require.ErrorIs(t, err, io.EOF)
	require.LessOrEqual(t, cap(server.in), 2*buffer)

	a, b = connections(t)
	server = &Conn{Conn: b}
	_, err = a.Write(binary.BigEndian.AppendUint32(nil, most+1))
	require.NoError(t, err)
	_, err = server.Read(make([]byte, 10))
	require.ErrorIs(t, err, errAnswer)
}

// A connection gives the memory of a large message back as soon as it is read, and that of a large write as soon as it is written.
func TestAConnectionKeepsNoLargeBuffers(t *testing.T) {
	client, server := ciphered(t)
	text := bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	written := make(chan error, 1)
	go func() {
		_, err := client.Conn.Write(aSingleMessage(client, text))
		written <- err
	}()
	got := make([]byte, len(text))
	_, err := io.ReadFull(server, got)
	require.NoError(t, err)
	require.NoError(t, <-written)
	require.True(t, bytes.Equal(text, got))
	require.LessOrEqual(t, cap(server.in), buffer)

	go func() {
		_, err := client.Write(text)
		written <- err
	}()
	_, err = io.ReadFull(server, got)
	require.NoError(t, err)
	require.NoError(t, <-written)
	require.True(t, bytes.Equal(text, got))
	require.LessOrEqual(t, cap(client.out), buffer)
}

// aSingleMessage seals a payload as a server may do: in one message of any length.
func aSingleMessage(c *Conn, payload []byte) []byte {
	sealed := c.cover.seal(nil, payload)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...)
}

func TestKeysOfAnotherCipherAreRefused(t *testing.T) {
	require.ErrorIs(t, new(Conn).Agree(nil), errNoKeys)
	other := keys(false)
	other.Transformation = new("DES")
	require.ErrorContains(t, new(Conn).Agree(other), `"DES"`)
	short := keys(false)
	short.OutKey = short.OutKey[:3]
	require.Error(t, new(Conn).Agree(short))
	short = keys(false)
	short.InIv = nil
	require.Error(t, new(Conn).Agree(short))
}

// fixed begins contexts whose token is always the same.
type fixed struct{ err error }

func (f fixed) Initiate(context.Context, string) (*kerberos.Context, []byte, error) {
	return new(kerberos.Context), []byte("ticket"), f.err
}

// answered begins at a server that answers a ticket with some bytes and closes the connection.
func answered(t *testing.T, c Config, answer []byte) (string, error) {
	t.Helper()
	client, server := connections(t)
	done := make(chan error, 1)
	go func() {
		hello := make([]byte, len(preamble)+4+len("ticket"))
		_, err := io.ReadFull(server, hello)
		if err == nil && string(hello) != preamble+"\x00\x00\x00\x06ticket" {
			err = errors.New("unexpected " + string(hello))
		}
		_, failed := server.Write(answer)
		done <- errors.Join(err, failed, server.(*net.TCPConn).CloseWrite())
	}()
	_, protection, err := Begin(t.Context(), client, "hbase/host", c)
	require.NoError(t, <-done)
	return protection, err
}

func TestRefusalsNameTheCure(t *testing.T) {
	c := Config{Tickets: fixed{}, Protections: []string{Authentication}}
	numbers := func(ns ...int32) (b []byte) {
		for _, n := range ns {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	const class, text = "javax.security.sasl.SaslException", "GSS initiate failed"
	exception := append(numbers(1, int32(len(class))), class...)
	exception = append(append(exception, numbers(int32(len(text)))...), text...)
	_, err := answered(t, c, exception)
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "GSS initiate failed): its principal in the settings is not its own")
	for n := 4; n < len(exception); n++ {
		_, err := answered(t, c, exception[:n])
		require.ErrorAs(t, err, &refused, "%d bytes", n)
	}

	_, err = answered(t, c, numbers(0, simpler))
	require.ErrorIs(t, err, ErrSimple)
	require.True(t, rpc.IsFinal(err))
	c.Fallback = true
	protection, err := answered(t, c, numbers(0, simpler))
	require.NoError(t, err)
	require.Empty(t, protection)

	_, err = answered(t, c, nil)
	require.ErrorContains(t, err, "is it an HBase with Kerberos?")
	for _, size := range []int32{-1, longest + 1} {
		_, err = answered(t, c, numbers(0, size))
		require.ErrorIs(t, err, errAnswer)
	}
	_, err = answered(t, c, append(numbers(0, 3), "abc"...))
	require.ErrorContains(t, err, "verify the server")
	problem := errors.New("no ticket")
	_, _, err = Begin(t.Context(), nil, "hbase/host", Config{Tickets: fixed{problem}})
	require.ErrorIs(t, err, problem)
}

func TestAConnectionAllocatesNothing(t *testing.T) {
	client, server := ciphered(t)
	payload, got := make([]byte, 1000), make([]byte, 1000)
	allocations := testing.AllocsPerRun(100, func() {
		_, err := client.Write(payload)
		if err == nil {
			_, err = io.ReadFull(server, got)
		}
		if err != nil {
			t.Error(err)
		}
	})
	require.LessOrEqual(t, allocations, 0.0)
}

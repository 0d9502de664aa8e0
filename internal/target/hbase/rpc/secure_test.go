package rpc

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/target/hbase/memory"
)

// tlsListener accepts connections with TLS, with a certificate that nobody checks.
func tlsListener(t *testing.T) net.Listener {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	certificate := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	require.NoError(t, err)
	return tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS13})
}

// tlsClient makes a connection secure by TLS alone.
func tlsClient(ctx context.Context, conn net.Conn, host, service string) (net.Conn, error) {
	if host != "127.0.0.1" || service != "ClientService" {
		return nil, errors.New("unexpected " + host + " " + service)
	}
	c := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13, DynamicRecordSizingDisabled: true})
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	_, err := io.WriteString(c, Simple)
	return c, err
}

func echo(c net.Conn, h *pb.RequestHeader, rest []byte) bool {
	param, _ := protowire.ConsumeBytes(rest)
	_, err := c.Write(reply(h.GetCallId(), param, nil, nil))
	return err == nil
}

func TestASecureConnectionCarriesTheCallsOfManyWorkers(t *testing.T) {
	for _, known := range []bool{false, true} {
		addr := serveOn(t, tlsListener(t), func(net.Conn) {}, echo)
		c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", KnownIO: known, Secure: tlsClient})
		require.NoError(t, err)
		var work sync.WaitGroup
		for worker := range 8 {
			work.Go(func() {
				call := NewCall()
				for i := range 200 {
					call.Request = bytes.Repeat([]byte{byte(worker), byte(i)}, 1+i*i/8)
					c.Do(call, never)
					<-call.Done()
					response, _, err := call.Answer()
					if err != nil || !bytes.Equal(response, call.Request) {
						t.Errorf("worker %d, call %d: %d bytes (%v)", worker, i, len(response), err)
						return
					}
				}
			})
		}
		work.Wait()
		c.Close()
	}
}

// After large requests and answers, a connection with TLS or without keeps only small buffers.
func TestAConnectionKeepsNoLargeBuffers(t *testing.T) {
	for name, secure := range map[string]Secure{"plain": nil, "TLS": tlsClient} {
		t.Run(name, func(t *testing.T) {
			l := listen(t)
			if secure != nil {
				l = tlsListener(t)
			}
			addr := serveOn(t, l, func(net.Conn) {}, echo)
			pool := &memory.Pool{}
			c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", Secure: secure, Memory: pool})
			require.NoError(t, err)
			defer c.Close()
			var work sync.WaitGroup
			for worker := range 8 {
				work.Go(func() {
					call := NewCall()
					for i := range 20 {
						want := bytes.Repeat([]byte{byte(worker), byte(i)}, 100_000*(1+i%5))
						call.Request = append(call.Request[:0], want...)
						call.Cells = pool.Grow(nil, len(want))[:len(want)]
						c.Do(call, never)
						<-call.Done()
						response, _, err := call.Answer()
						if err != nil || !bytes.Equal(response, want) {
							t.Errorf("worker %d, call %d: %d bytes (%v)", worker, i, len(response), err)
							return
						}
						call.Release(pool)
						for _, b := range [][]byte{call.Request, call.Cells, call.buffer, call.spare} {
							if cap(b) > memory.Keep {
								t.Errorf("the call keeps %d bytes", cap(b))
							}
						}
					}
				})
			}
			work.Wait()
			eventually(t, func() bool {
				c.mu.Lock()
				defer c.mu.Unlock()
				return !c.writing
			}, "all is written")
			c.mu.Lock()
			defer c.mu.Unlock()
			require.Empty(t, c.full)
			kept := [][]byte{c.out, c.batch, c.spare, c.left}
			if c.sealed != nil {
				kept = append(kept, c.sealed.lower.kept, c.sealed.lower.spare)
			}
			for i, b := range kept {
				require.LessOrEqual(t, cap(b), memory.Keep, i)
			}
		})
	}
}

// A worker that reads can be asked to stop in the middle of a record: nothing of it may be lost.
func TestASecureConnectionYieldsWithoutLoss(t *testing.T) {
	addr := serveOn(t, tlsListener(t), func(net.Conn) {}, func(c net.Conn, h *pb.RequestHeader, rest []byte) bool {
		<-time.After(time.Millisecond)
		return echo(c, h, rest)
	})
	c, err := Dial(t.Context(), addr, Config{User: "me", Service: "ClientService", Secure: tlsClient})
	require.NoError(t, err)
	defer c.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
				c.Yield()
			}
		}
	}()
	call := NewCall()
	for i := range 300 {
		call.Request = bytes.Repeat([]byte{byte(i)}, 20_000)
		c.Do(call, never)
		<-call.Done()
		response, _, err := call.Answer()
		require.NoError(t, err)
		require.Equal(t, call.Request, response)
	}
	close(stop)
	<-stopped
}

func TestAFailureToSecureAConnectionIsReturned(t *testing.T) {
	refusal := errors.New("refused")
	addr := serve(t, func(net.Conn) {}, echo)
	_, err := Dial(t.Context(), addr, Config{Secure: func(context.Context, net.Conn, string, string) (net.Conn, error) { return nil, refusal }})
	require.ErrorIs(t, err, refusal)
}

// A handshake ends with its context, also if the peer says nothing.
func TestAHandshakeObeysItsContext(t *testing.T) {
	l := listen(t)
	defer func() { require.NoError(t, l.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := Dial(ctx, l.Addr().String(), Config{Service: "ClientService", Secure: tlsClient})
	require.Error(t, err)
	require.NoError(t, t.Context().Err())
}

// masked is a connection whose bytes are masked after the server has named a mask.
type masked struct {
	net.Conn

	mask byte
}

func (*masked) Transformation() string { return "mask" }

func (m *masked) Agree(keys *hbasepb.CryptoCipherMeta) error {
	m.mask = keys.GetOutKey()[0]
	return nil
}

func (m *masked) Write(b []byte) (int, error) { return m.Conn.Write(mask(b, m.mask)) }

func (m *masked) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	copy(b[:n], mask(b[:n], m.mask))
	return n, err
}

func mask(b []byte, mask byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] ^ mask
	}
	return out
}

func TestKeysAreAgreedUponAfterTheHeader(t *testing.T) {
	const key = 0x5a
	l := listen(t)
	defer func() { require.NoError(t, l.Close()) }()
	served := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer func() { _ = c.Close() }()
		served <- func() error {
			hello := make([]byte, 10)
			if _, err := io.ReadFull(c, hello); err != nil {
				return err
			}
			greeting := make([]byte, binary.BigEndian.Uint32(hello[6:]))
			if _, err := io.ReadFull(c, greeting); err != nil {
				return err
			}
			var header hbasepb.ConnectionHeader
			if err := proto.Unmarshal(greeting, &header); err != nil || header.GetRpcCryptoCipherTransformation() != "mask" || header.UserInfo != nil {
				return errors.New("unexpected header " + header.String())
			}
			keys, err := proto.Marshal(&hbasepb.ConnectionHeaderResponse{CryptoCipherMeta: &hbasepb.CryptoCipherMeta{OutKey: []byte{key}}})
			if err != nil {
				return err
			}
			if _, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(keys))), keys...)); err != nil {
				return err
			}
			frame := make([]byte, 4)
			if _, err := io.ReadFull(c, frame); err != nil {
				return err
			}
			request := make([]byte, binary.BigEndian.Uint32(mask(frame, key)))
			if _, err := io.ReadFull(c, request); err != nil {
				return err
			}
			_, err = c.Write(mask(reply(0, []byte("good"), nil, nil), key))
			return err
		}()
	}()
	c, err := Dial(t.Context(), l.Addr().String(), Config{Service: "ClientService", Secure: func(_ context.Context, conn net.Conn, _, _ string) (net.Conn, error) {
		_, err := io.WriteString(conn, Simple)
		return &masked{Conn: conn}, err
	}})
	require.NoError(t, err)
	defer c.Close()
	response, _, err := ask(c, NewCall())
	require.NoError(t, err)
	require.Equal(t, "good", string(response))
	require.NoError(t, <-served)
}

// anonymous is a connection of which the server does not know the user.
type anonymous struct{ net.Conn }

func (anonymous) User() string { return "me" }

func TestTheHeaderNamesTheUserOfAnUnknownClient(t *testing.T) {
	addr := serve(t, func(net.Conn) {}, echo) // it expects the user
	c, err := Dial(t.Context(), addr, Config{Service: "ClientService", Secure: func(_ context.Context, conn net.Conn, _, _ string) (net.Conn, error) {
		_, err := io.WriteString(conn, Simple)
		return anonymous{conn}, err
	}})
	require.NoError(t, err)
	defer c.Close()
	call := NewCall()
	call.Request = []byte("request")
	response, _, err := ask(c, call)
	require.NoError(t, err)
	require.Equal(t, "request", string(response))
}

package relay_test

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/benchd/benchd/test/relay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frame returns a frame of delimited messages.
func frame(parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = protowire.AppendBytes(body, p)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// requestHeader has a call id, a field that the relay skips, and a method.
func requestHeader(id uint64, method string) []byte {
	h := protowire.AppendVarint([]byte{1 << 3}, id)
	h = protowire.AppendBytes(append(h, 2<<3|2), []byte("trace"))
	return protowire.AppendString(append(h, 3<<3|2), method)
}

func answerHeader(id uint64) []byte { return protowire.AppendVarint([]byte{1 << 3}, id) }

// pair is a client, and the server that it reaches through a relay.
type pair struct {
	relay          *relay.Relay
	client, server net.Conn
}

func connect(t *testing.T, config relay.Config) pair {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	config.Host, config.Name, config.Ports = "127.0.0.2", "localhost", []int{n}
	r, err := relay.Start(t.Context(), config)
	require.NoError(t, err)
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.2:"+port)
	require.NoError(t, err)
	server, err := l.Accept()
	require.NoError(t, err)
	for _, c := range []net.Conn{client, server} {
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	}
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		require.NoError(t, r.Close())
		require.NoError(t, server.Close())
		require.NoError(t, l.Close())
	})
	return pair{r, client, server}
}

// passes requires that what one side writes is read by the other, in pieces.
func passes(t *testing.T, from, to net.Conn, sent, want []byte) {
	t.Helper()
	var work sync.WaitGroup
	work.Go(func() {
		for len(sent) > 0 {
			n, err := from.Write(sent[:min(len(sent), 1000)])
			if err != nil {
				t.Error(err)
				return
			}
			sent = sent[n:]
		}
	})
	got := make([]byte, len(want))
	_, err := io.ReadFull(to, got)
	work.Wait()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// greet begins the connection to HBase, and waits until the kernel notes times: it begins to do so after the first socket has asked.
func (p pair) greet(t *testing.T) {
	t.Helper()
	hello := append([]byte("HBas\x00P"), frame([]byte("the header of the connection"))...)
	passes(t, p.client, p.server, hello, hello)
	request, answer := frame(requestHeader(1, "Get")), frame(answerHeader(1))
	require.Eventually(t, func() bool {
		passes(t, p.client, p.server, request, request)
		passes(t, p.server, p.client, answer, answer)
		return len(p.exchanges(t, 1)) > 0
	}, time.Minute, time.Millisecond)
}

// exchanges waits for n exchanges, and returns those that have a time.
func (p pair) exchanges(t *testing.T, n int) (timed []relay.Exchange) {
	t.Helper()
	require.Eventually(t, func() bool {
		more, untimed := p.relay.Take()
		timed = append(timed, more...)
		n -= len(more) + untimed
		return n <= 0
	}, time.Minute, time.Millisecond)
	return timed
}

func TestCallsPassUnchangedAndAreNoted(t *testing.T) {
	p := connect(t, relay.Config{})
	p.greet(t)
	value := []byte(strings.Repeat("v", 300_000))
	for id, method := range []string{"Get", "Mutate", "Scan"} {
		request := frame(requestHeader(uint64(id), method), value)
		passes(t, p.client, p.server, request, request)
	}
	const wait = 20 * time.Millisecond
	<-time.After(wait)
	for _, id := range []uint64{2, 0, 7, 1} { // 7 was never asked
		answer := frame(answerHeader(id), value)
		passes(t, p.server, p.client, answer, answer)
	}
	all := p.exchanges(t, 3)
	require.Len(t, all, 3)
	for i, method := range []string{"Scan", "Get", "Mutate"} {
		require.Equal(t, method, all[i].Call)
		require.GreaterOrEqual(t, all[i].Took, wait)
	}
}

// ZooKeeper's frames have no preamble, and the addresses in them are replaced.
func TestAddressesOfServersAreReplaced(t *testing.T) {
	p := connect(t, relay.Config{})
	hello := frame([]byte("a session"))
	passes(t, p.client, p.server, hello, hello)
	passes(t, p.server, p.client, frame([]byte("at localhost,16020, and at localhost")), frame([]byte("at 127.0.0.2,16020, and at 127.0.0.2")))
	all, _ := p.relay.Take()
	require.Empty(t, all)
}

// A client that is slower than the relay notes does not agree with it.
func TestTimeThatAClientTakesIsNotNoted(t *testing.T) {
	const hold = 50 * time.Millisecond
	p := connect(t, relay.Config{Hold: hold})
	p.greet(t)
	request, answer := frame(requestHeader(1, "Get")), frame(answerHeader(1))
	sent := time.Now()
	passes(t, p.client, p.server, request, request)
	passes(t, p.server, p.client, answer, answer)
	took := time.Since(sent)
	all := p.exchanges(t, 1)
	require.GreaterOrEqual(t, took-all[0].Took, hold)
}

func TestAHostOfAnotherLengthIsRefused(t *testing.T) {
	_, err := relay.Start(t.Context(), relay.Config{Host: "127.0.0.2", Name: "rs1.example.com"})
	require.EqualError(t, err, "replace host rs1.example.com by 127.0.0.2: they differ in length")
}

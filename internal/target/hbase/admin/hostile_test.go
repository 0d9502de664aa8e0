package admin_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// keeper is a scripted ZooKeeper: it sends its greeting, and to each request what answer returns.
type keeper struct {
	greeting []byte
	answer   func(number []byte, kind uint32, path string) []byte
}

func (k keeper) start(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work, serving sync.WaitGroup
	var conns []net.Conn
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			serving.Go(func() { k.serve(c) })
		}
	})
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		work.Wait()
		for _, c := range conns {
			_ = c.Close()
		}
		serving.Wait()
	})
	return l.Addr().String()
}

func (k keeper) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	for greeted := false; ; greeted = true {
		var size [4]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		request := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		out := k.greeting
		if greeted {
			path := ""
			if len(request) > 12 {
				path = string(request[12 : 12+binary.BigEndian.Uint32(request[8:])])
			}
			out = k.answer(request[:4], binary.BigEndian.Uint32(request[4:]), path)
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

func be(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func frame(parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	return append(be(uint32(len(body))), body...)
}

// welcome is the greeting of an honest ZooKeeper.
func welcome() []byte { return frame(be(0), be(10_000), be(0), be(7), be(16), make([]byte, 16)) }

// replied is an answer without an error.
func replied(number []byte, body ...[]byte) []byte {
	return frame(append([][]byte{number, make([]byte, 8), be(0)}, body...)...)
}

// content is the answer to a request for a znode with a message of HBase.
func content(number []byte, m proto.Message) []byte {
	encoded, err := proto.Marshal(m)
	if err != nil {
		return nil
	}
	data := append(append([]byte{0xFF}, be(0)...), "PBUF"...)
	data = append(data, encoded...)
	return replied(number, be(uint32(len(data))), data, make([]byte, 68))
}

func allocates(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A ZooKeeper announces lengths before it sends anything. They must neither become allocations nor end the process.
func TestAHostileZooKeeperIsRefused(t *testing.T) {
	always := func(out func(number []byte) []byte) func([]byte, uint32, string) []byte {
		return func(number []byte, _ uint32, _ string) []byte { return out(number) }
	}
	missing := func(number []byte) []byte { return frame(number, make([]byte, 8), be(0xFFFFFF9B)) } // -101: no such znode
	for name, k := range map[string]keeper{
		"a greeting of 4 GiB":        {be(0xFFFFFFFF), nil},
		"a greeting of 64 MiB":       {be(64 << 20), nil},
		"a short greeting":           {frame(be(0)), nil},
		"a password of 2 GiB":        {frame(be(0), be(10_000), make([]byte, 8), be(0x7FFFFFFF), make([]byte, 16)), nil},
		"an answer of 4 GiB":         {welcome(), always(func([]byte) []byte { return be(0xFFFFFFFF) })},
		"an answer without a header": {welcome(), always(func(number []byte) []byte { return frame(number) })},
		"an empty answer":            {welcome(), always(func([]byte) []byte { return frame() })},
		"an event without content":   {welcome(), always(func([]byte) []byte { return replied(be(0xFFFFFFFF)) })},
		"a znode of 2 GiB":           {welcome(), always(func(number []byte) []byte { return replied(number, be(0x7FFFFFFF), make([]byte, 100)) })},
		"a znode without a length":   {welcome(), always(func(number []byte) []byte { return replied(number, make([]byte, 2)) })},
		"4 billion children": {welcome(), func(number []byte, kind uint32, _ string) []byte {
			if kind == 8 || kind == 12 {
				return replied(number, be(0xFFFFFFFF), make([]byte, 100))
			}
			return missing(number)
		}},
		"500 million children": {welcome(), func(number []byte, kind uint32, _ string) []byte {
			if kind == 8 || kind == 12 {
				return replied(number, be(500_000_000), make([]byte, 100))
			}
			return missing(number)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			at := k.start(t)
			begin := time.Now()
			grown := allocates(func() {
				_, err := admin.Connect(t.Context(), admin.Config{Quorum: at, ConnectTimeout: time.Minute})
				require.ErrorContains(t, err, "malformed answer of ZooKeeper: the server at "+at)
			})
			require.Less(t, grown, uint64(32<<20))
			require.Less(t, time.Since(begin), 30*time.Second, "it is not tried until the time is over")
		})
	}
}

func server(t *testing.T, address string) *hbasepb.ServerName {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	number, err := strconv.ParseUint(port, 10, 16)
	require.NoError(t, err)
	return &hbasepb.ServerName{HostName: &host, Port: new(uint32(number))}
}

// The canary listens where the operator allows no connection: a quorum, or what a ZooKeeper names, must not lead there.
func TestServersThatZooKeeperNamesAreDialledOnlyIfAllowed(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.99:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	canary := l.Addr().String()
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	honest, err := admin.Connect(t.Context(), admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	master := honest.Master()
	honest.Close()

	names := func(master, meta string) string {
		return keeper{welcome(), func(number []byte, _ uint32, path string) []byte {
			if strings.HasSuffix(path, "/master") {
				return content(number, &hbasepb.MasterNode{Master: server(t, master)})
			}
			return content(number, &hbasepb.MetaRegionServer{Server: server(t, meta)})
		}}.start(t)
	}
	dial, err := outbound.New([]string{"127.0.0.1/32"})
	require.NoError(t, err)
	for name, quorum := range map[string]string{
		"hbase.zookeeper.quorum": "127.0.0.1:1," + canary,
		"ZooKeeper":              names(canary, master),
		"ZooKeeper or":           names(master, canary),
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := admin.Connect(t.Context(), admin.Config{Quorum: quorum, Dial: dial, ConnectTimeout: time.Minute})
			var refused *outbound.RefusedError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, "refuse to connect to "+canary+", which "+name)
			require.Less(t, time.Since(begin), 30*time.Second, "it is not retried")
		})
	}
	require.NoError(t, l.(*net.TCPListener).SetDeadline(time.Unix(1, 0)))
	_, err = l.Accept()
	require.ErrorContains(t, err, "timeout", "no connection waits")
}

// The master and region servers also name the ports of their pages.
func TestPagesOfServersAreBounded(t *testing.T) {
	var followed bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer elsewhere.Close()
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	c, err := admin.Connect(t.Context(), admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	defer c.Close()
	for name, test := range map[string]struct {
		page    http.HandlerFunc
		problem string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "redirects to " + elsewhere.URL},
		"an endless list": {func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write([]byte(`{"beans":[`))
			for ; err == nil; _, err = w.Write([]byte(strings.Repeat("{},", 10_000))) {
			}
		}, "unexpected end of JSON input"},
		"an endless text": {func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write([]byte(`{"beans":[{"tag.serverName":"`))
			for ; err == nil; _, err = w.Write([]byte(strings.Repeat("x", 30_000))) {
			}
		}, "unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			page := httptest.NewServer(test.page)
			defer page.Close()
			at := server(t, strings.TrimPrefix(page.URL, "http://"))
			grown := allocates(func() {
				_, err = c.Queues(t.Context(), admin.Server{Name: at.GetHostName() + ",1,1", InfoPort: int(at.GetPort())})
				require.ErrorContains(t, err, test.problem)
			})
			require.Less(t, grown, uint64(64<<20))
		})
	}
	require.False(t, followed)
}

// FuzzZooKeeper lets a ZooKeeper send arbitrary data: a greeting, and an answer to each request. Whatever it sends, connecting ends.
func FuzzZooKeeper(f *testing.F) {
	f.Add(welcome(), replied(be(1), be(4), []byte("PBUF"), make([]byte, 68)))
	f.Add(welcome(), frame(be(1), make([]byte, 8), be(0xFFFFFF9B)))
	f.Add(welcome(), replied(be(0xFFFFFFFF), make([]byte, 12)))
	f.Add(be(0xFFFFFFFF), []byte{})
	f.Fuzz(func(t *testing.T, greeting, answer []byte) {
		at := keeper{greeting, func([]byte, uint32, string) []byte { return answer }}.start(t)
		client, err := admin.Connect(t.Context(), admin.Config{Quorum: at, ConnectTimeout: 50 * time.Millisecond})
		if err == nil {
			client.Close()
		}
	})
}

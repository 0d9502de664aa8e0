package admin

import (
	"encoding/binary"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
	"github.com/benchd/benchd/internal/sandbox/zookeeper"
)

// Vendors add to the number of a version.
func TestAReleaseIsKnownByItsNumber(t *testing.T) {
	for version, one := range map[release]bool{
		"1.4.14": true, "1.2.0-cdh5.16.2": true, "2.1.10": false, "2.4.6.7.1.7.0-551": false, "10.1": false, "3.0.0-beta-1": false, "": false,
	} {
		require.Equal(t, one, version.isOne(), version)
	}
}

// HBase 1 has the states of tables in ZooKeeper, below the znode of the cluster.
func TestTheStatesOfTablesOfHBase1AreInZooKeeper(t *testing.T) {
	tree := zookeeper.NewTree()
	for name, state := range map[string]hbasepb.TableNodeState{
		"on": hbasepb.TableNodeState_TABLE_NODE_STATE_ENABLED, "ns:off": hbasepb.TableNodeState_TABLE_NODE_STATE_DISABLED,
		"falling": hbasepb.TableNodeState_TABLE_NODE_STATE_DISABLING, "rising": hbasepb.TableNodeState_TABLE_NODE_STATE_ENABLING,
	} {
		message, err := proto.Marshal(&hbasepb.TableNode{State: &state})
		require.NoError(t, err)
		const writer = "master:16000"
		data := binary.BigEndian.AppendUint32([]byte{0xFF}, uint32(len(writer)))
		tree.Set("/prod/table/"+name, append(append(data, writer+"PBUF"...), message...), false)
	}
	tree.Set("/prod/table/broken", []byte("ENABLED"), false)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := zookeeper.NewServer(tree, slog.New(slog.DiscardHandler), nil)
	server.Start(listener)
	t.Cleanup(server.Close)

	c := master(t, func(conn net.Conn) { // it has no descriptor of any table
		for answer(conn) == nil {
		}
	})
	c.registry, err = newZooKeeper(Config{Quorum: listener.Addr().String(), Parent: "/prod"}.withDefaults())
	require.NoError(t, err)
	c.version = "1.4.14"
	for name, state := range map[string]State{"on": Enabled, "ns:off": Disabled, "falling": Disabling, "rising": Enabling} {
		got, err := c.State(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, state, got, name)
	}
	_, err = c.State(t.Context(), "none")
	require.ErrorIs(t, err, ErrNoTable)
	require.EqualError(t, err, "read state of table none: no such table")
	_, err = c.State(t.Context(), "broken")
	require.ErrorContains(t, err, "read znode /prod/table/broken: not written by HBase")
	c.registry = nil
	_, err = c.State(t.Context(), "on")
	require.EqualError(t, err, "read state of table on: HBase 1.4.14 has the states of tables in ZooKeeper: find the cluster by hbase.zookeeper.quorum")
}

// HBase 1 splits a region after its answer, and ignores a key that is not inside the region.
func TestAKeyOutsideOfARegionIsRefused(t *testing.T) {
	c := master(t, func(net.Conn) { t.Error("a call was made") })
	region := Region{Encoded: "abc", Table: "t", StartKey: []byte("f"), EndKey: []byte("m"), Server: "localhost,1,1"}
	for _, key := range []string{"a", "f", "m", "z"} {
		_, err := c.splitOnServers(t.Context(), "1.4.14", []Region{region}, []byte(key))
		require.ErrorContains(t, err, `is not inside it: want one above "f" and below "m"`, key)
	}
}

// page serves one page after another, and the last one again.
func page(t *testing.T, pages ...func(w http.ResponseWriter)) Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages[0](w)
		pages = pages[min(1, len(pages)-1):]
	}))
	t.Cleanup(s.Close)
	return Server{Name: "127.0.0.1,16020,7", InfoPort: s.Listener.Addr().(*net.TCPAddr).Port}
}

func text(body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = w.Write([]byte(body)) }
}

// HBase 1.4 writes numbers as strings.
func TestQueuesOfEachVersionAreRead(t *testing.T) {
	c := master(t, func(net.Conn) {})
	for _, quote := range []string{"", `"`} {
		number := func(n string) string { return quote + n + quote }
		got, err := c.Queues(t.Context(), page(t, text(`{"beans":[{"tag.serverName":"127.0.0.1,16020,7","compactionQueueLength":`+number("3")+
			`,"flushQueueLength":`+number("2")+`,"splitQueueLength":`+number("1")+`,"totalRequestCount":`+number("4000000000")+`}]}`)))
		require.NoError(t, err)
		require.Equal(t, Queues{Compactions: 3, Flushes: 2, Splits: 1, Requests: 4_000_000_000}, got)
	}
	_, err := c.Queues(t.Context(), page(t, text(`{"beans":[{"compactionQueueLength":"many","flushQueueLength":"0"}]}`)))
	require.ErrorContains(t, err, "many")
}

// HBase has no beans for half a second when a region is opened or closed.
func TestQueuesAreReadAgainWhileHBaseHasNoBeans(t *testing.T) {
	c := master(t, func(net.Conn) {})
	begin := time.Now()
	got, err := c.Queues(t.Context(), page(t, text(`{"beans":[]}`), text(`{"beans":[{"compactionQueueLength":5,"flushQueueLength":0}]}`)))
	require.NoError(t, err)
	require.Equal(t, 5, got.Compactions)
	require.GreaterOrEqual(t, time.Since(begin), queuesEvery)
	_, err = c.Queues(t.Context(), page(t, text(`{"beans":[]}`)))
	require.EqualError(t, err, "the pages of 127.0.0.1,16020,7 have no figures of a region server")
}

// HBase 1 may have no library for JSON, but always one for XML.
func TestSettingsOfEachVersionAreRead(t *testing.T) {
	c := master(t, func(net.Conn) {})
	fails := func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }
	const key = "hbase.regionserver.handler.count"
	for name, pages := range map[string][]func(http.ResponseWriter){
		"JSON": {text(`{"properties":[{"key":"` + key + `","value":" 42 ","isFinal":false},{"key":"other","value":"1"}]}`)},
		"XML":  {fails, text(`<?xml version="1.0"?><configuration><property><name>` + key + `</name><value>42</value></property></configuration>`)},
	} {
		s := page(t, pages...)
		got, err := c.settings(t.Context(), s.Host(), s.InfoPort)
		require.NoError(t, err, name)
		require.Equal(t, map[string]string{key: "42"}, got, name)
	}
	s := page(t, fails)
	_, err := c.settings(t.Context(), s.Host(), s.InfoPort)
	require.ErrorContains(t, err, "500 Internal Server Error")
}

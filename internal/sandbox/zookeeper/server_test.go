package zookeeper

import (
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type silent struct{}

func (silent) Printf(string, ...any) {}

func serve(t *testing.T, tree *Tree) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := NewServer(tree, slog.New(slog.DiscardHandler), nil)
	server.Start(listener)
	t.Cleanup(server.Close)
	return listener.Addr().String()
}

func connect(t *testing.T, address string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogger(silent{}))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn
}

// A client of ZooKeeper's own protocol reads, lists and checks nodes, and gets errors for missing ones.
func TestClientReads(t *testing.T) {
	tree := NewTree()
	tree.Set("/hbase/master", []byte("here"), true)
	tree.Set("/hbase/rs/a", nil, true)
	tree.Set("/hbase/rs/b", nil, true)
	conn := connect(t, serve(t, tree))

	data, st, err := conn.Get("/hbase/master")
	require.NoError(t, err)
	require.Equal(t, "here", string(data))
	require.EqualValues(t, 4, st.DataLength)
	require.NotZero(t, st.EphemeralOwner)

	children, st, err := conn.Children("/hbase/rs")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, children)
	require.EqualValues(t, 2, st.NumChildren)

	_, _, err = conn.Get("/hbase/nothing")
	require.ErrorIs(t, err, zk.ErrNoNode)
	there, _, err := conn.Exists("/hbase/nothing")
	require.NoError(t, err)
	require.False(t, there)
	_, err = conn.Create("/hbase/mine", nil, 0, zk.WorldACL(zk.PermAll))
	require.ErrorIs(t, err, zk.ErrNoAuth)
}

// Each kind of watch fires once for its change.
func TestWatches(t *testing.T) {
	for _, c := range []struct {
		name   string
		leave  func(*zk.Conn) (<-chan zk.Event, error)
		change func(*Tree)
		want   zk.EventType
	}{
		{
			"data", func(c *zk.Conn) (<-chan zk.Event, error) { _, _, ch, err := c.GetW("/hbase/master"); return ch, err },
			func(t *Tree) { t.Set("/hbase/master", []byte("there"), true) }, zk.EventNodeDataChanged,
		},
		{
			"deleted", func(c *zk.Conn) (<-chan zk.Event, error) { _, _, ch, err := c.GetW("/hbase/master"); return ch, err },
			func(t *Tree) { t.Delete("/hbase/master") }, zk.EventNodeDeleted,
		},
		{
			"created", func(c *zk.Conn) (<-chan zk.Event, error) { _, _, ch, err := c.ExistsW("/hbase/new"); return ch, err },
			func(t *Tree) { t.Set("/hbase/new", nil, false) }, zk.EventNodeCreated,
		},
		{
			"children", func(c *zk.Conn) (<-chan zk.Event, error) { _, _, ch, err := c.ChildrenW("/hbase"); return ch, err },
			func(t *Tree) { t.Set("/hbase/new", nil, false) }, zk.EventNodeChildrenChanged,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := NewTree()
			tree.Set("/hbase/master", []byte("here"), true)
			events, err := c.leave(connect(t, serve(t, tree)))
			require.NoError(t, err)
			c.change(tree)
			select {
			case e := <-events:
				require.Equal(t, c.want, e.Type)
			case <-time.After(30 * time.Second):
				require.Fail(t, "the watch did not fire")
			}
		})
	}
}

// A reconnecting client sets its watches again, and missed events are delivered.
func TestMissedChangesAreDelivered(t *testing.T) {
	tree := NewTree()
	tree.Set("/a", []byte("1"), false)
	since := tree.last()
	tree.Set("/a", []byte("2"), false)
	tree.Set("/b", nil, false)
	w := &recorder{}
	tree.again(w, since, []string{"/a", "/gone", "/b"}, []string{"/b", "/later"}, []string{"/"})
	require.Equal(t, []string{"3 /a", "2 /gone", "3 /b", "1 /b", "4 /"}, w.events)
	tree.Set("/later", nil, false)
	require.Equal(t, "1 /later", w.events[len(w.events)-1])
	tree.forget(w)
	require.Empty(t, tree.onNode)
}

type recorder struct{ events []string }

func (w *recorder) changed(what event, name string) {
	w.events = append(w.events, string(rune('0'+what))+" "+name)
}

package admin_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// deaf accepts connections and never answers.
func deaf(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var conns []net.Conn
		for {
			conn, err := listener.Accept()
			if err != nil {
				break
			}
			conns = append(conns, conn)
		}
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		<-done
	})
	return listener.Addr().String()
}

// closed is an address where nothing listens.
func closed(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return address
}

// gohbase would retry forever, or end the program.
func TestConnectFailsInTimeWithoutACluster(t *testing.T) {
	for name, tt := range map[string]struct {
		quorum string
		want   string
	}{
		"nothing listens":  {closed(t), "no ZooKeeper server of hbase.zookeeper.quorum="},
		"an unknown host":  {"host.invalid", "no ZooKeeper server of hbase.zookeeper.quorum=host.invalid:2181"},
		"no answer":        {deaf(t), "opens no session"},
		"nothing is named": {" , ", "hbase.zookeeper.quorum"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			_, err := admin.Connect(t.Context(), admin.Config{Quorum: tt.quorum, ConnectTimeout: 2 * time.Second})
			require.ErrorContains(t, err, tt.want)
			require.Less(t, time.Since(begin), 8*time.Second)
		})
	}
}

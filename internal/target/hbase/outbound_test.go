package hbase_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// A row of hbase:meta decides to which server an operation is sent. It must not be any machine.
func TestAServerThatMetaNamesIsDialledOnlyIfAllowed(t *testing.T) {
	canary, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.99:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, canary.Close()) }()
	dial, err := outbound.New([]string{"127.0.0.1/32"})
	require.NoError(t, err)
	begin := time.Now()
	target := hbase.New(settings(t), load.Settings{Dial: dial}, one(canary.Addr().String()))
	defer func() { require.NoError(t, target.Close()) }()
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	outcome := session.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("user1")})
	require.NotEqual(t, workload.OK, outcome.Code)
	require.ErrorContains(t, outcome.Err, "refuse to connect to "+canary.Addr().String()+", which hbase:meta names")
	require.Less(t, time.Since(begin), 5*time.Second, "it is not retried")
	require.NoError(t, session.Close(t.Context()))
	require.NoError(t, canary.(*net.TCPListener).SetDeadline(time.Unix(1, 0)))
	_, err = canary.Accept()
	require.ErrorContains(t, err, "timeout", "no connection waits")
}

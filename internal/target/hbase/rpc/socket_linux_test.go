package rpc

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/rawio"
)

func TestKnownIOMakesNoRawCalls(t *testing.T) {
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	for _, known := range []bool{false, true} {
		c, err := Dial(t.Context(), l.Addr().String(), Config{User: "u", Service: "ClientService", KnownIO: known})
		require.NoError(t, err)
		_, raw := c.conn.(*rawio.Socket)
		require.Equal(t, !known, raw)
		c.Close()
	}
}

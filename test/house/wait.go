package house

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patience bounds every wait for something that should happen at once.
const Patience = 30 * time.Second

// Eventually waits until something holds.
func Eventually(t *testing.T, within time.Duration, ok func() bool, format string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, fmt.Sprintf(format, args...))
		}
	}
}

// Port finds a port that is free now.
func Port(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	_, p, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return p
}

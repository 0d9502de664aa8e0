package client

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/benchd/benchd/internal/outbound"
)

// Events counts what the driver does besides operations.
type Events struct {
	connected, refused atomic.Uint64
}

// dialer counts the connections that the driver makes. A monitor of the driver's pools would cost several allocations for each operation.
type dialer struct {
	dial   *outbound.Dialer
	events *Events
}

// DialContext connects to HOST:PORT.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial.DialContext(ctx, network, address)
	if err != nil {
		d.events.refused.Add(1)
		return nil, fmt.Errorf("connect: %w", err)
	}
	d.events.connected.Add(1)
	return conn, nil
}

// Counts returns how often the driver has connected to a server, and how often that failed. Its monitor connects, too.
func (e *Events) Counts() map[string]uint64 {
	return map[string]uint64{"connect": e.connected.Load(), "failed_connect": e.refused.Load()}
}

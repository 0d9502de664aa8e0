package cluster

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/benchd/benchd/internal/credential"
)

// encrypt begins TLS on a connection to a node.
func (c *Cluster) encrypt(ctx context.Context, conn net.Conn, name string) (net.Conn, error) {
	config := c.config.TLS.Clone()
	config.DynamicRecordSizingDisabled = true // the first requests are not more urgent than others
	config.ServerName = hostOf(name)
	if !c.config.Settings.VerifyHost {
		credential.AnyName(config)
	}
	sealed := tls.Client(conn, config)
	if err := sealed.HandshakeContext(ctx); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the node
	}
	state := sealed.ConnectionState()
	c.agreed.Store(new(tls.VersionName(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite)))
	return sealed, nil
}

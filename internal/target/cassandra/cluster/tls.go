package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
)

// encrypt begins TLS on a connection to a node.
func (c *Cluster) encrypt(ctx context.Context, conn net.Conn, name string) (net.Conn, error) {
	config := c.config.TLS.Clone()
	config.DynamicRecordSizingDisabled = true // the first requests are not more urgent than others
	config.ServerName = hostOf(name)
	if !c.config.Settings.VerifyHost {
		config.InsecureSkipVerify = true // VerifyConnection does all but the name
		config.VerifyConnection = func(state tls.ConnectionState) error { return issued(state, config.RootCAs) }
	}
	sealed := tls.Client(conn, config)
	if err := sealed.HandshakeContext(ctx); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the node
	}
	state := sealed.ConnectionState()
	c.agreed.Store(new(tls.VersionName(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite)))
	return sealed, nil
}

// issued checks that an authority has issued the certificate of a node.
func issued(state tls.ConnectionState, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	if err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return nil
}

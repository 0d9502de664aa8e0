package coordinator

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"

	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
)

// Credentials returns the credentials of a listener, which also record the handshakes that they refuse in the audit log, and bound what a
// peer without a certificate can send.
func (c *Coordinator) Credentials(of credentials.TransportCredentials) credentials.TransportCredentials {
	return recordedHandshakes{of, c}
}

// recordedHandshakes are credentials whose refusals are in the audit log of a coordinator.
type recordedHandshakes struct {
	credentials.TransportCredentials
	c *Coordinator
}

// ServerHandshake records a peer that is refused, and bounds one without a certificate.
func (r recordedHandshakes) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := r.TransportCredentials.ServerHandshake(conn)
	if err != nil && r.c.audit != nil && !peerLeft(err) {
		r.c.audit.Write(audit.Record{
			Time: r.c.clock.Wall().UTC(), Role: string(identity.Anonymous), Claims: claimed(err), From: conn.RemoteAddr().String(),
			Call: "handshake", Outcome: audit.Refused, Reason: err.Error(),
		})
	}
	if err == nil && stranger(info) {
		secured = &strangersConn{Conn: secured, left: maxFromStranger}
	}
	return secured, info, err //nolint:wrapcheck // gRPC asks for the error of the credentials
}

// maxFromStranger bounds the bytes that a connection without a certificate may send, of which an agent that joins needs a few thousand: gRPC
// keeps a message in memory until it is complete, before the guard can refuse the call.
const maxFromStranger = 64 << 10

// stranger reports whether a peer has been asked for a certificate, and has none.
func stranger(info credentials.AuthInfo) bool {
	of, is := info.(credentials.TLSInfo)
	return is && !certs.PeerIdentity(of.State).Verified()
}

// strangersConn is the connection of a stranger. It has one reader, that of gRPC.
type strangersConn struct {
	net.Conn
	left int // bytes that the peer may still send
}

// Read reads, until the peer has sent too much.
func (s *strangersConn) Read(to []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("a peer without a certificate has sent %d bytes, the maximum", maxFromStranger)
	}
	n, err := s.Conn.Read(to[:min(len(to), s.left)])
	s.left -= n
	return n, err //nolint:wrapcheck // gRPC compares it
}

// claimed returns who the peer is by a certificate that could not be verified.
func claimed(err error) string {
	if failed, is := errors.AsType[*tls.CertificateVerificationError](err); is && len(failed.UnverifiedCertificates) > 0 {
		if id, err := identity.FromCertificate(failed.UnverifiedCertificates[0]); err == nil {
			return id.String()
		}
	}
	return ""
}

// Clone returns a copy.
func (r recordedHandshakes) Clone() credentials.TransportCredentials {
	return recordedHandshakes{r.TransportCredentials.Clone(), r.c}
}

// peerLeft reports whether a handshake failed because of the network or the peer, which refuses the server or checks only whether the port is
// open.
func peerLeft(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF)
}

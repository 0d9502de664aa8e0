package coordinator

import (
	"crypto/tls"
	"errors"
	"io"
	"net"

	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/identity"
)

// Credentials returns the credentials of a listener, which also record the handshakes that they refuse in the audit log.
func (c *Coordinator) Credentials(of credentials.TransportCredentials) credentials.TransportCredentials {
	return recordedHandshakes{of, c}
}

// recordedHandshakes are credentials whose refusals are in the audit log of a coordinator.
type recordedHandshakes struct {
	credentials.TransportCredentials
	c *Coordinator
}

// ServerHandshake records a peer that is refused.
func (r recordedHandshakes) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := r.TransportCredentials.ServerHandshake(conn)
	if err != nil && r.c.audit != nil && !peerLeft(err) {
		r.c.audit.Write(audit.Record{
			Time: r.c.clock.Wall().UTC(), Role: string(identity.Anonymous), Claims: claimed(err), From: conn.RemoteAddr().String(),
			Call: "handshake", Outcome: audit.Refused, Reason: err.Error(),
		})
	}
	return secured, info, err //nolint:wrapcheck // gRPC asks for the error of the credentials
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

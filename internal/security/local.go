package security

import (
	"context"
	"fmt"
	"net"
	"os/user"
	"strconv"

	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/identity"
)

// Local is a peer on this machine, as the operating system knows it.
type Local struct {
	credentials.CommonAuthInfo

	UID  uint32
	User string // the user's name
}

// AuthType returns the name of this kind of authentication.
func (Local) AuthType() string { return "local" }

// Identity returns the identity of the peer: an admin with the user's name.
func (l Local) Identity() identity.Identity {
	return identity.Identity{Role: identity.Admin, Name: l.User}
}

// localCredentials are those of a server on a unix socket.
type localCredentials struct{ own uint32 }

// LocalCredentials returns the credentials of a server on a unix socket: it accepts peers with its own user, and root.
func LocalCredentials() credentials.TransportCredentials { return localCredentials{own: ownUID()} }

// ServerHandshake asks the operating system for the peer.
func (c localCredentials) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	uid, err := peerUID(conn)
	if err != nil {
		return nil, nil, fmt.Errorf("identify the peer of a unix socket: %w", err)
	}
	if !c.accepts(uid) {
		return nil, nil, fmt.Errorf("refuse %s on a unix socket: only the user of this process and root may connect", userName(uid))
	}
	return conn, Local{
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, UID: uid, User: userName(uid),
	}, nil
}

// accepts reports whether a user may connect.
func (c localCredentials) accepts(uid uint32) bool { return uid == c.own || uid == 0 }

// ClientHandshake does nothing: the permissions of the socket protect its clients.
func (localCredentials) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return conn, Local{CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}, nil
}

// Info describes the protocol.
func (localCredentials) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "local"}
}

// Clone returns a copy.
func (c localCredentials) Clone() credentials.TransportCredentials { return c }

// OverrideServerName has no effect.
func (localCredentials) OverrideServerName(string) error { return nil }

// userName returns the name of a user, or one made of the number.
func userName(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil && identity.CheckName(u.Username) == nil {
		return u.Username
	}
	return "uid-" + number
}

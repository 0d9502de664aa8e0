package roster

import (
	"net"
	"strings"

	"github.com/benchd/benchd/internal/security"
)

// TLSScheme begins the address of metrics that are served with TLS.
const TLSScheme = "https://"

// localPeer is the address of the peers of a unix socket, which are processes of this machine.
const localPeer = "@"

// scrapeAddress returns the address at which others can fetch the metrics of an agent that reports the address said and
// connects from source, with the scheme that it has there. It is empty where they cannot: the loopback of this machine is not the
// agent's.
func scrapeAddress(said, source string) string {
	if address, tls := strings.CutPrefix(said, TLSScheme); tls {
		if found := scrapeAddress(address, source); found != "" {
			return TLSScheme + found
		}
		return ""
	}
	host, port, err := net.SplitHostPort(said)
	if err != nil {
		return ""
	}
	if source == localPeer {
		source = net.JoinHostPort("127.0.0.1", "0")
	}
	from, _, err := net.SplitHostPort(source)
	switch {
	case host != "" && (!security.Loopback(said) || err == nil && security.Loopback(source)):
		return said
	case host != "" || err != nil:
		return ""
	}
	return net.JoinHostPort(from, port)
}

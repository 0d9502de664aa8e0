package roster

import (
	"net"

	"github.com/benchd/benchd/internal/security"
)

// scrapeAddress is where others reach the metrics of an agent that says where they are and connects from source; empty
// where they cannot: this machine's loopback is not the agent's.
func scrapeAddress(said, source string) string {
	host, port, err := net.SplitHostPort(said)
	if err != nil {
		return ""
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

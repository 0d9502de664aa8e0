package roster

import (
	"net"

	"github.com/benchd/benchd/internal/security"
)

// scrapeAddress returns the address at which others can fetch the metrics of an agent that reports the address said and
// connects from source. It is empty where they cannot: the loopback of this machine is not the agent's.
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

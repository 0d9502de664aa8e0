package roster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The address for Prometheus is one where it can reach the agent, seen from the coordinator's side of the network.
func TestWhereAnAgentsMetricsAreReached(t *testing.T) {
	for name, test := range map[string]struct{ said, source, want string }{
		"an address of its own":          {"10.0.0.5:9100", "10.0.0.5:40000", "10.0.0.5:9100"},
		"one that it advertises":         {"client-1.example:9100", "10.0.0.5:40000", "client-1.example:9100"},
		"all interfaces":                 {":9100", "10.0.0.5:40000", "10.0.0.5:9100"},
		"all interfaces, IPv6":           {":9100", "[2001:db8::5]:40000", "[2001:db8::5]:9100"},
		"on the coordinator's machine":   {"127.0.0.1:9100", "127.0.0.1:40000", "127.0.0.1:9100"},
		"another machine's loopback":     {"127.0.0.1:9100", "10.0.0.5:40000", ""},
		"none":                           {"", "10.0.0.5:40000", ""},
		"in this process":                {":9100", "bufconn", ""},
		"its own, from within a process": {"127.0.0.1:9100", "bufconn", ""},
		"by a unix socket":               {"127.0.0.1:9100", "@", "127.0.0.1:9100"},
		"all, by a unix socket":          {":9100", "@", "127.0.0.1:9100"},
		"with TLS":                       {"https://:9100", "10.0.0.5:40000", "https://10.0.0.5:9100"},
		"loopback with TLS":              {"https://127.0.0.1:9100", "10.0.0.5:40000", ""},
		"an invalid one":                 {"9100", "10.0.0.5:40000", ""},
	} {
		require.Equal(t, test.want, scrapeAddress(test.said, test.source), name)
	}
}

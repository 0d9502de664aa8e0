package admin

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// Config is where the cluster is and how to connect to it.
type Config struct {
	// Quorum lists ZooKeeper's servers as HOST[:PORT], separated by commas.
	Quorum string
	// Port is the port of servers in Quorum without one; 0 is 2181.
	Port int
	// Bootstrap lists servers of HBase that are asked in place of ZooKeeper; without any, ZooKeeper is asked.
	Bootstrap Bootstrap
	// Parent is the znode below which HBase publishes its servers; empty is /hbase.
	Parent string
	// MetaReplicas lets look-ups of regions read a replica of hbase:meta while the server of the table itself does not serve it.
	MetaReplicas bool
	// User is the user that HBase sees; empty is root, or without a user in the header with Secure.
	User string
	// Secure makes connections to masters and region servers secure; nil for none.
	Secure rpc.Secure
	// SecureZooKeeper makes connections to ZooKeeper secure; nil for none.
	SecureZooKeeper func(ctx context.Context, conn net.Conn, host string) (net.Conn, error)
	// Web makes the client of the servers' pages, and Scheme is that of their addresses; the default is plain HTTP.
	Web    func(dial *outbound.Dialer, timeout time.Duration) *http.Client
	Scheme string
	// ConnectTimeout limits the search for the cluster and its master, and later each new connection; 0 is 8 s.
	ConnectTimeout time.Duration
	// RecoveryTimeout limits the wait for hbase:meta to be served; 0 is a minute.
	RecoveryTimeout time.Duration
	// CallTimeout limits a call that should be answered at once; 0 is 30 s. Calls that wait for work of the cluster end only
	// with their context.
	CallTimeout time.Duration
	// Dial connects to all servers; the default reaches private networks and loopback.
	Dial *outbound.Dialer
	// Logger receives messages that are not errors; nil discards them.
	Logger *slog.Logger
}

const (
	defaultConnect = 8 * time.Second
	defaultCall    = 30 * time.Second

	// DefaultRecovery is enough for HBase to notice that a region server has died and to open its regions elsewhere.
	DefaultRecovery = time.Minute
)

func (c Config) withDefaults() Config {
	c.Port = cmp.Or(c.Port, 2181)
	c.Parent = "/" + strings.Trim(cmp.Or(c.Parent, "/hbase"), "/")
	if c.Secure == nil {
		c.User = cmp.Or(c.User, "root")
	}
	if c.Web == nil {
		c.Web = outbound.Client
	}
	c.Scheme = cmp.Or(c.Scheme, "http")
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, defaultConnect)
	c.RecoveryTimeout = cmp.Or(c.RecoveryTimeout, DefaultRecovery)
	c.CallTimeout = cmp.Or(c.CallTimeout, defaultCall)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// servers lists the quorum's addresses.
func (c Config) servers() ([]string, error) {
	var out []string
	for part := range strings.SplitSeq(c.Quorum, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(part); err != nil {
			part = net.JoinHostPort(strings.Trim(part, "[]"), itoa(c.Port))
		}
		out = append(out, part)
	}
	if len(out) == 0 {
		return nil, errors.New("no ZooKeeper server: set hbase.zookeeper.quorum to HOST[:PORT],…")
	}
	return out, nil
}

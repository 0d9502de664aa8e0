package admin

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"
)

// Config says where the cluster is.
type Config struct {
	// Quorum is ZooKeeper's servers, HOST[:PORT] with commas between them.
	Quorum string
	// Port is for servers of Quorum that have none; 0 is 2181.
	Port int
	// Parent is the znode below which HBase keeps what clients must know; empty is /hbase.
	Parent string
	// User is who the calls are made for; empty is root.
	User string
	// ConnectTimeout bounds the search for the cluster and its master, and later each new connection; 0 is 8 s.
	ConnectTimeout time.Duration
	// RecoveryTimeout bounds the wait for hbase:meta to be served; 0 is a minute.
	RecoveryTimeout time.Duration
	// CallTimeout bounds a call that ought to be answered at once; 0 is 30 s. Calls that wait for the cluster's work
	// end with their context alone.
	CallTimeout time.Duration
	// Logger takes what is worth knowing and no error; nil is none.
	Logger *slog.Logger
}

const (
	defaultConnect = 8 * time.Second
	defaultCall    = 30 * time.Second

	// DefaultRecovery is long enough for HBase to notice that a region server has died, and to open its regions elsewhere.
	DefaultRecovery = time.Minute
)

func (c Config) withDefaults() Config {
	c.Port = cmp.Or(c.Port, 2181)
	c.Parent = "/" + strings.Trim(cmp.Or(c.Parent, "/hbase"), "/")
	c.User = cmp.Or(c.User, "root")
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
		return nil, errors.New("no ZooKeeper server is named: set hbase.zookeeper.quorum to HOST[:PORT],…")
	}
	return out, nil
}

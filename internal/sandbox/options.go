package sandbox

import (
	"fmt"
	"log/slog"
	"net"
	"path"
	"strconv"
	"time"

	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/master"
	"github.com/benchd/benchd/internal/sandbox/service"
)

// Options are the settings of a sandbox. The zero value is a sandbox in memory with three region servers, on ports of
// 127.0.0.1 that the system chooses.
type Options struct {
	// ZooKeeper is the address for clients; 127.0.0.1:0 by default. All other ports are on the same host.
	ZooKeeper string
	// Root is the znode of the cluster; /hbase by default.
	Root string
	// Servers is the number of region servers; 3 by default.
	Servers int
	// MetaReplicas is the number of copies of hbase:meta, each on a server of its own; 1 by default. Copies are never behind.
	MetaReplicas int
	// Data is the folder for tables; empty keeps them in memory.
	Data string
	// MaxMemory bounds the bytes of tables in memory; 1 GiB by default. Writes beyond it are refused.
	MaxMemory int64
	// Detection is how long the master takes to notice that a region server was killed; 1 s by default. In real clusters
	// it is the ZooKeeper session timeout.
	Detection time.Duration
	// ReplicaAge is how old the cells are at most that replicas of regions return; 1 s by default. In HBase they return what was
	// flushed.
	ReplicaAge time.Duration
	// Lease is how long an unread scanner stays open; 60 s by default, as in HBase.
	Lease time.Duration
	// Info is the address of the master's pages: its metrics, its settings, and the control API (package control). By
	// default the system chooses the port.
	Info string
	// Faults are active from the start.
	Faults []fault.Fault
	// Service is the service-time model of the region servers; by default they serve as fast as they can.
	Service service.Config
	// Program is the version of the program that contains the sandbox.
	Program string
	// Logger logs events; by default nothing is logged.
	Logger *slog.Logger
}

// Version is the version of HBase that a sandbox reports to clients.
const Version = master.Version

// DefaultMemory is the default of Options.MaxMemory.
const DefaultMemory = 1 << 30

// minMemory is the smallest Options.MaxMemory: an empty store must fit.
const minMemory = 16 << 20

// maxServers bounds Options.Servers and the servers added later.
const maxServers = 100

func (o *Options) ensureDefaults() {
	if o.ZooKeeper == "" {
		o.ZooKeeper = "127.0.0.1:0"
	}
	if o.Root == "" {
		o.Root = "/hbase"
	}
	if o.Servers == 0 {
		o.Servers = 3
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = DefaultMemory
	}
	if o.Detection == 0 {
		o.Detection = time.Second
	}
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

func (o *Options) validate() error {
	if o.Servers < 1 || o.Servers > maxServers {
		return fmt.Errorf("start sandbox: %d region servers: want 1 to %d", o.Servers, maxServers)
	}
	if !path.IsAbs(o.Root) || path.Clean(o.Root) != o.Root || o.Root == "/" {
		return fmt.Errorf("start sandbox: znode %q: want a path such as /hbase", o.Root)
	}
	if o.Detection < 0 || o.Lease < 0 {
		return fmt.Errorf("start sandbox: times must not be negative: detection %v, lease %v", o.Detection, o.Lease)
	}
	if o.MaxMemory < minMemory {
		return fmt.Errorf("start sandbox: memory of %d bytes for tables: want at least %d MiB", o.MaxMemory, minMemory>>20)
	}
	host, port, err := net.SplitHostPort(o.ZooKeeper)
	if err != nil {
		return fmt.Errorf("start sandbox: address %q: want HOST:PORT such as 127.0.0.1:2181: %w", o.ZooKeeper, err)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 || net.ParseIP(host) == nil && host != "localhost" {
		return fmt.Errorf("start sandbox: address %q: want an IP address or localhost, and a port such as 127.0.0.1:2181", o.ZooKeeper)
	}
	return o.Service.Validate()
}

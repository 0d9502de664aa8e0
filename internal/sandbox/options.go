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

// Options are the settings of a sandbox. The zero value is one in memory with three region servers, on ports of
// 127.0.0.1 that the system chooses.
type Options struct {
	// ZooKeeper is the address that clients are given; 127.0.0.1:0 by default. All other ports are of the same host.
	ZooKeeper string
	// Root is the znode below which the cluster is found; /hbase by default.
	Root string
	// Servers is the number of region servers; 3 by default.
	Servers int
	// Data is the folder to keep tables in; empty keeps them in memory.
	Data string
	// MaxMemory bounds in bytes what tables in memory take; 1 GiB by default. Writes beyond it are refused.
	MaxMemory int64
	// Detection is how long it takes the master to notice that a region server was killed; 1 s by default. Real
	// clusters take as long as their ZooKeeper sessions last.
	Detection time.Duration
	// Lease is how long a scanner stays open that nobody reads; 60 s by default, as in HBase.
	Lease time.Duration
	// Info is the address of the master's pages: its metrics, its settings, and what steers the sandbox (package
	// control); by default the system chooses the port.
	Info string
	// Faults go wrong from the start on.
	Faults []fault.Fault
	// Service is how the region servers serve; by default as fast as they can.
	Service service.Config
	// Program is the version of the program that the sandbox is part of.
	Program string
	// Logger logs what happens; by default nothing is logged.
	Logger *slog.Logger
}

// Version is the version of HBase that a sandbox reports to clients.
const Version = master.Version

// DefaultMemory is Options.MaxMemory by default.
const DefaultMemory = 1 << 30

// minMemory is the least Options.MaxMemory: what an empty store takes must fit.
const minMemory = 16 << 20

// maxServers bounds Options.Servers, and how many may be added.
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
		return fmt.Errorf("start sandbox: %d region servers; 1 to %d are possible", o.Servers, maxServers)
	}
	if !path.IsAbs(o.Root) || path.Clean(o.Root) != o.Root || o.Root == "/" {
		return fmt.Errorf("start sandbox: znode %q: it must be a path such as /hbase", o.Root)
	}
	if o.Detection < 0 || o.Lease < 0 {
		return fmt.Errorf("start sandbox: times must not be negative: detection %v, lease %v", o.Detection, o.Lease)
	}
	if o.MaxMemory < minMemory {
		return fmt.Errorf("start sandbox: memory of %d bytes for tables; it must be at least %d MiB", o.MaxMemory, minMemory>>20)
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

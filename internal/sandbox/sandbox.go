package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/service"
)

// Options are the settings of a sandbox. The zero value is one in memory with three region servers, on ports of
// 127.0.0.1 that the system chooses.
type Options struct {
	// ZooKeeper is the address that clients are given; 127.0.0.1:0 by default.
	ZooKeeper string
	// Root is the znode below which the cluster is found; /hbase by default.
	Root string
	// Servers is the number of region servers; 3 by default.
	Servers int
	// Data is the folder to keep tables in; empty keeps them in memory.
	Data string
	// Detection is how long it takes the master to notice that a region server was killed; 1 s by default. Real
	// clusters take as long as their ZooKeeper sessions last.
	Detection time.Duration
	// Info is the address of the master's pages: its metrics, its settings, and what steers the sandbox (package
	// control); 127.0.0.1:0 by default.
	Info string
	// Faults go wrong from the start on.
	Faults []fault.Fault
	// Service is how the region servers serve; by default as fast as they can.
	Service service.Config
	// Logger is told what happens; by default nobody is.
	Logger *slog.Logger
}

// Version is what a sandbox tells clients as its version of HBase.
const Version = "2.6.4-benchd-sandbox"

// Server tells of one region server.
type Server struct {
	// Name is the server's name as HBase writes it: host,port,startcode.
	Name string
	// Address is where its regions are served.
	Address string
	// Info is where its metrics are served over HTTP.
	Info string
	// Alive is false from the moment it is killed.
	Alive bool
	// Regions is the number of regions that it serves.
	Regions int
}

// Sandbox is a running cluster.
type Sandbox struct {
	options Options

	mu      sync.Mutex
	servers []Server
}

// ErrUnknownServer is returned for a server that the sandbox does not have.
var ErrUnknownServer = errors.New("no such region server")

// Start brings a cluster up and returns when it serves.
func Start(_ context.Context, options Options) (*Sandbox, error) {
	return &Sandbox{options: options}, nil
}

// Quorum is the address to give to clients as hbase.zookeeper.quorum.
func (s *Sandbox) Quorum() string { return s.options.ZooKeeper }

// Info is the address of the master's pages.
func (s *Sandbox) Info() string { return s.options.Info }

// Servers tells of all region servers, the killed ones included, in the order in which they were added.
func (s *Sandbox) Servers() []Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Server(nil), s.servers...)
}

// KillServer ends a region server as a crash does: its connections break at once, and its regions are served again
// when the master has noticed. The server is named by its name or its address, or by its number from 1.
func (s *Sandbox) KillServer(_ context.Context, name string) error {
	_, err := s.find(name)
	return err
}

// AddServer starts one more region server. The balancer gives it regions.
func (s *Sandbox) AddServer(context.Context) (Server, error) {
	return Server{}, nil
}

// RestartServer starts a killed region server again at the same address, under a new start code. One that is alive is
// killed first.
func (s *Sandbox) RestartServer(_ context.Context, name string) (Server, error) {
	return s.find(name)
}

// Close ends the cluster and its connections, and keeps what Options.Data asks to keep.
func (s *Sandbox) Close() error { return nil }

func (s *Sandbox) find(name string) (Server, error) {
	for i, server := range s.Servers() {
		if server.Name == name || server.Address == name || strconv.Itoa(i+1) == name {
			return server, nil
		}
	}
	return Server{}, fmt.Errorf("find region server %q: %w", name, ErrUnknownServer)
}

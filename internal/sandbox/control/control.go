package control

import (
	"context"

	"github.com/benchd/benchd/internal/sandbox/fault"
)

// Server describes one region server.
type Server struct {
	Name    string `json:"name"`    // as HBase writes it: host,port,startcode
	Address string `json:"address"` // where its regions are served
	Info    string `json:"info"`    // where its metrics are served over HTTP
	Alive   bool   `json:"alive"`   // false from the moment it is killed
	Silent  bool   `json:"silent"`  // it is stopped: its connections stay open, and nothing is answered
	Regions int    `json:"regions"` // that it serves
}

// Cluster is a sandbox as Handler needs it. Its servers have numbers from 1, in the order of Servers.
type Cluster interface {
	Servers() []Server
	KillServer(ctx context.Context, name string) error
	RestartServer(ctx context.Context, name string) (Server, error)
	SilenceServer(ctx context.Context, name string) error
	ResumeServer(ctx context.Context, name string) (Server, error)
	AddServer(ctx context.Context) (Server, error)
}

// Sandbox is all that can be steered.
type Sandbox struct {
	Version string
	Quorum  string
	Cluster Cluster
	Faults  *fault.Plan
}

// Paths of the interface.
const (
	pathSandbox = "/sandbox"
	pathServers = pathSandbox + "/servers"
	pathFaults  = pathSandbox + "/faults"
)

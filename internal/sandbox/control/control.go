package control

import (
	"context"

	"github.com/benchd/benchd/internal/sandbox/fault"
)

// Server describes one region server.
type Server struct {
	Name    string `json:"name"`    // HBase's form: host,port,startcode
	Address string `json:"address"` // address at which its regions are served
	Info    string `json:"info"`    // address of its metrics over HTTP
	Alive   bool   `json:"alive"`   // false after a kill
	Silent  bool   `json:"silent"`  // stopped: its connections stay open, and nothing is answered
	Regions int    `json:"regions"` // number of its regions
}

// Cluster is the part of a sandbox that Handler needs. Servers have numbers from 1, in the order of Servers.
type Cluster interface {
	Servers() []Server
	KillServer(ctx context.Context, name string) error
	RestartServer(ctx context.Context, name string) (Server, error)
	SilenceServer(ctx context.Context, name string) error
	ResumeServer(ctx context.Context, name string) (Server, error)
	AddServer(ctx context.Context) (Server, error)
}

// Sandbox holds everything that Handler controls.
type Sandbox struct {
	Version string
	Quorum  string
	Cluster Cluster
	Faults  *fault.Plan
}

// Paths of the API.
const (
	pathSandbox = "/sandbox"
	pathServers = pathSandbox + "/servers"
	pathFaults  = pathSandbox + "/faults"
)

// Package embed starts a sandbox in the process of a run.
package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/service"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// Open is the load.Embed of target sandbox.
func Open(properties map[string]string, s load.EmbedSettings) (load.Start, error) {
	settings, err := hbasespec.ReadSandbox(properties)
	if err != nil {
		return nil, err
	}
	o := sandbox.Options{
		ZooKeeper: s.Listen["zookeeper"], Info: s.Listen["info"],
		Servers: settings.RegionServers, MaxMemory: int64(settings.Memory) << 20,
		Service: service.Config{Time: settings.Service, Handlers: settings.Handlers, Seed: settings.Seed},
		Program: s.Program,
		Logger:  s.Logger,
	}
	if s.Servers > 0 {
		o.Servers = s.Servers
	}
	if settings.Faults != "" {
		if o.Faults, err = fault.ReadFile(settings.Faults); err != nil {
			return nil, err
		}
	}
	return Start(o), nil
}

// Start returns a load.Start that starts a sandbox with these options.
func Start(o sandbox.Options) load.Start {
	return func(ctx context.Context) (load.System, error) {
		s, err := sandbox.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		host, port, err := net.SplitHostPort(s.Quorum())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("find the sandbox's ZooKeeper: %w", err), s.Close())
		}
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return &System{Sandbox: s, host: host, port: port}, nil
	}
}

// System is a sandbox as a load.System.
type System struct {
	*sandbox.Sandbox
	host, port string // of its ZooKeeper
}

// Supplied implements load.System.
func (s *System) Supplied() map[string]map[string]string {
	return map[string]map[string]string{hbasespec.SandboxName: {
		"hbase.zookeeper.quorum": s.host, "hbase.zookeeper.property.clientPort": s.port,
	}}
}

// Attrs implements load.System.
func (s *System) Attrs() []slog.Attr {
	return []slog.Attr{
		slog.String("quorum", s.Quorum()), slog.String("info", s.Info()), slog.String("steer_with", "benchctl sandbox servers --sandbox "+s.Info()),
	}
}

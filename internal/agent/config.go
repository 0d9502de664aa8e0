package agent

import (
	"cmp"
	"errors"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Config configures an Agent. Coordinator, Dial, Reader and Drivers are required.
type Config struct {
	// Coordinator is the address of the coordinator, in the form of gRPC's resolvers.
	Coordinator string
	// Others are the addresses of further coordinators that share its archive. The agent serves the one that leads. Default: none.
	Others []string
	// Dial has transport credentials, and a dialer where the network is in memory.
	Dial []grpc.DialOption
	// DialTo returns further options for an address, or refuses it: a standby may name a leader that is none of the addresses.
	// Default: none.
	DialTo func(address string) ([]grpc.DialOption, error)
	// Reader reads the properties of runs; it has at least the targets of Drivers.
	Reader *spec.Reader
	// Drivers are the targets of this build, by name.
	Drivers map[string]load.Driver
	// Actors execute actions on targets, by name of the target. Default: none.
	Actors map[string]load.OpenActor

	// Sources watch the targets of runs, by name of the target. Default: none.
	Sources map[string]observe.Opener

	// Outbound makes all connections to targets and endpoints. Default: one that reaches private networks and loopback.
	Outbound *outbound.Dialer

	// Hooks are commands that runs may request by name, split into words. Default: none.
	Hooks map[string][]string

	// Name is unique among the coordinator's agents. Default: the host's name.
	Name string
	// Labels are the labels by which runs select agents.
	Labels map[string]string
	// Version is the version of the build.
	Version string
	// MetricsAddress is the address at which the agent serves its metrics, if any.
	MetricsAddress string

	// OrphanTimeout is how long work goes on without a coordinator. Default 10 min.
	OrphanTimeout time.Duration
	// Spool is the directory for unacknowledged windows, so that they outlive the agent's process, and for raw points.
	// Default: none: windows are kept in memory, and runs with raw points cannot be prepared.
	// The folder must belong to the user of this process, and nobody else may write to it.
	Spool string
	// SpoolBase is a folder above Spool, such as the temporary directory: no part of the path from there to Spool may be a
	// link, which another user could have made. Default: none, and links in Spool are followed.
	SpoolBase string
	// SpoolBytes bounds the unacknowledged windows of a shard. Default 4 GiB: windows of several days.
	SpoolBytes int64
	// MemoryBytes bounds the windows of a shard that are in memory alone: without a Spool, and while its disk is full or
	// does not respond. Default 256 MiB.
	MemoryBytes int64
	// Clock is the agent's clock. Default: the machine's.
	Clock *clock.Source
	// Gate is shared by the agents of a process, so that their workers start together. Default: one of the agent's own.
	Gate *load.Gate
	// WriteBelow is the only folder in which a run's properties may create files, such as null.log. Default: none.
	WriteBelow string
	// Secrets are the secrets that properties of runs may name. Default: none.
	Secrets secret.Resolver
	// Credential is what the agent has to prove itself to targets. Default: nothing.
	Credential *credential.Credential
	// KnownIO has the agent make no raw system calls (package rawio).
	KnownIO bool
	// Logger is the agent's logger. Default: none.
	Logger *slog.Logger
	// Registerer registers the agent's metrics. Default: none.
	Registerer prometheus.Registerer
}

// Defaults of a Config.
const (
	DefaultOrphanTimeout = 10 * time.Minute
	defaultSpoolBytes    = 4 << 30
	defaultMemoryBytes   = 256 << 20
)

func (c *Config) ensureDefaults() error {
	if c.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return errors.New("make agent: the host has no name: name the agent with --name")
		}
		c.Name = host
	}
	c.OrphanTimeout = cmp.Or(c.OrphanTimeout, DefaultOrphanTimeout)
	c.SpoolBytes = cmp.Or(c.SpoolBytes, defaultSpoolBytes)
	c.MemoryBytes = cmp.Or(c.MemoryBytes, defaultMemoryBytes)
	if c.Clock == nil {
		c.Clock = clock.NewSource(clock.Skew{})
	}
	if c.Outbound == nil {
		var err error
		if c.Outbound, err = outbound.New(nil); err != nil {
			return err
		}
	}
	if c.Gate == nil {
		c.Gate = new(load.Gate)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With("agent", c.Name)
	return nil
}

// rawIO describes how the agent makes system calls, for its Hello.
func (c *Config) rawIO() string {
	if c.KnownIO || runtime.GOOS != "linux" {
		return "off"
	}
	return "on"
}

func (c *Config) validate() error {
	switch {
	case c.Coordinator == "":
		return errors.New("make agent: the address of the coordinator is missing")
	case slices.ContainsFunc(slices.Collect(maps.Values(c.Hooks)), func(words []string) bool { return len(words) == 0 }):
		return errors.New("make agent: a hook has no command")
	case c.Reader == nil:
		return errors.New("make agent: the reader of properties is missing")
	case len(c.Drivers) == 0:
		return errors.New("make agent: at least one driver is required")
	}
	return nil
}

// dialOptions keep a silent connection alive, detect a dead one, and bound the pause before gRPC reconnects, which grows
// to two minutes by default.
func (c *Config) dialOptions() []grpc.DialOption {
	return slices.Concat([]grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: firstPause, Multiplier: growth, Jitter: jitter, MaxDelay: lastPause},
			MinConnectTimeout: connectWithin,
		}),
		grpc.WithStaticStreamWindowSize(wire.FlowWindow), grpc.WithStaticConnWindowSize(wire.FlowWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
	}, wire.CheckResponses(), c.Dial)
}

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
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// Config is what an Agent needs. Coordinator, Dial, Reader and Drivers are required.
type Config struct {
	// Coordinator is where the coordinator listens, as gRPC's resolvers understand it.
	Coordinator string
	// Dial says how to connect: transport credentials, and a dialer where the network is in memory.
	Dial []grpc.DialOption
	// Reader reads the properties of runs; it knows at least the targets of Drivers.
	Reader *spec.Reader
	// Drivers are the targets that this build knows, by name.
	Drivers map[string]load.Driver
	// Actors are the targets to which something can be done, by name. Default: none.
	Actors map[string]load.OpenActor

	// Sources are what watch the targets of runs, by name. Default: none.
	Sources map[string]observe.Opener

	// Hooks are commands that runs may ask for by name: the words of each. Default: none.
	Hooks map[string][]string

	// Name is unique among the coordinator's agents. Default: the host's name.
	Name string
	// Labels are what runs select agents by.
	Labels map[string]string
	// Version is the build's.
	Version string
	// MetricsAddress is where the agent's metrics can be fetched, if anywhere.
	MetricsAddress string

	// OrphanTimeout is how long work goes on without a coordinator. Default 10 min.
	OrphanTimeout time.Duration
	// Spool is the directory for windows that are not acknowledged, so that they outlive the agent's process, and for raw
	// points. Default: none: windows are kept in memory, and runs that ask for raw points cannot be prepared.
	Spool string
	// SpoolBytes bounds the windows of a shard that are kept until they are acknowledged. Default 4 GiB: days of them.
	SpoolBytes int64
	// MemoryBytes bounds those of a shard that are in memory alone: where there is no Spool, and while its disk is full or
	// does not answer. Default 256 MiB.
	MemoryBytes int64
	// Clock is the agent's clock. Default: the machine's.
	Clock *clock.Source
	// Gate is shared by the agents of a process, so that their workers begin together. Default: one of the agent's own.
	Gate *load.Gate
	// WriteBelow is the only folder in which a run's properties may have files written, such as null.log. Default: none.
	WriteBelow string
	// KnownIO has the agent make no raw system calls (package rawio).
	KnownIO bool
	// Logger takes what the agent has to say. Default: nobody.
	Logger *slog.Logger
	// Registerer takes the agent's metrics. Default: nobody.
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
			return errors.New("make agent: the host has no name, so the agent needs one: give it a --name")
		}
		c.Name = host
	}
	c.OrphanTimeout = cmp.Or(c.OrphanTimeout, DefaultOrphanTimeout)
	c.SpoolBytes = cmp.Or(c.SpoolBytes, defaultSpoolBytes)
	c.MemoryBytes = cmp.Or(c.MemoryBytes, defaultMemoryBytes)
	if c.Clock == nil {
		c.Clock = clock.NewSource(clock.Skew{})
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

// rawIO is how the agent makes system calls, as it introduces itself.
func (c *Config) rawIO() string {
	if c.KnownIO || runtime.GOOS != "linux" {
		return "off"
	}
	return "on"
}

func (c *Config) validate() error {
	switch {
	case c.Coordinator == "":
		return errors.New("make agent: it needs the address of a coordinator")
	case slices.ContainsFunc(slices.Collect(maps.Values(c.Hooks)), func(words []string) bool { return len(words) == 0 }):
		return errors.New("make agent: a hook has no command")
	case c.Reader == nil:
		return errors.New("make agent: it needs a reader of properties")
	case len(c.Drivers) == 0:
		return errors.New("make agent: it needs a driver at least")
	}
	return nil
}

// dialOptions keep a connection that is silent alive, notice one that is dead, and try again soon: gRPC's own pauses
// grow to two minutes.
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

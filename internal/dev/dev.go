// Package dev runs benchd in one process: a coordinator and its agents, connected by a network in memory. The code is the
// same as on several machines, down to the messages.
//
//  1. Start starts an embedded system under test, if there is one; submissions to it need no address.
//  2. With Secured, an authority of its own issues the certificates of all: every connection uses TLS, those in memory, too.
//  3. It opens the coordinator on its data directory and serves it in memory, and on a listener if given.
//  4. Agents connect to it like any others, each with its own name and target.
//  5. Close ends the agents, then the coordinator and the system; nothing is left running.
package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/test/bufconn"

	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/coordinator"
	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/internal/wire"
)

// pipe is the buffer size in bytes of a connection in memory.
const pipe = 1 << 20

// Config configures a Cluster.
type Config struct {
	// Agents is the number of agents; they are named local-1, local-2 …
	Agents int
	// DataDir is the directory of the archive. Empty: a temporary folder that Close removes.
	DataDir string
	// Listener also serves the coordinator to other processes. Optional; Close closes it.
	Listener net.Listener
	// Secured has an authority, in DataDir/pki, issue certificates of the coordinator, the agents and the user: all connections use TLS.
	Secured bool
	// User is the name of the user, an admin, in the certificate. Default: dev.
	User string
	// Listeners describe how the listeners are secured; see [coordinator.Config].
	Listeners []string
	// Embed starts a system under test in the same process. Default: none.
	Embed load.Start
	// Targets are the available targets. Default: all of this build.
	Targets target.List
	// WriteBelow is the only folder in which a run's properties may create files; see [agent.Config].
	WriteBelow string
	// Outbound makes the agents' connections to targets; see [agent.Config].
	Outbound *outbound.Dialer
	// Secrets are the secrets that properties of runs may name; see [agent.Config].
	Secrets secret.Resolver
	// Credential is what the agents have to prove themselves to targets. Default: nothing.
	Credential *credential.Credential
	// Console is the web console; see [coordinator.Config].
	Console *coordinator.Console
	// Webhooks are the receivers of notices; see [coordinator.Config].
	Webhooks *webhook.File
	// KnownIO makes the agents avoid raw system calls; see [agent.Config].
	KnownIO    bool
	Version    string
	Logger     *slog.Logger
	Registerer prometheus.Registerer // metrics of agents get their names as the label "agent"
}

// Cluster is a coordinator with its agents.
type Cluster struct {
	// Coordinator is the coordinator of the cluster.
	Coordinator *coordinator.Coordinator
	// System is the embedded system under test; nil without Embed.
	System load.System

	trust  *trust
	server *grpc.Server
	conn   *grpc.ClientConn
	memory *bufconn.Listener
	leave  context.CancelFunc
	agents sync.WaitGroup
	served sync.WaitGroup
	folder string // to be removed

	mu   sync.Mutex
	errs []error
}

// Start starts a cluster. Its agents may still be connecting when it returns.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	c := &Cluster{}
	if config.DataDir == "" {
		var err error
		if c.folder, err = os.MkdirTemp("", "benchd-"); err != nil {
			return nil, fmt.Errorf("create a folder for the archive: %w", err)
		}
		config.DataDir = c.folder
	}
	if config.Targets == nil {
		config.Targets = all.Targets()
	}
	reader, actors := config.Targets.Reader(), config.Targets.Actors()
	actors[doctor.Target] = doctor.Open(doctor.This(), doctor.Use{})
	config.Logger = cmp.Or(config.Logger, slog.New(slog.DiscardHandler))
	config.User = cmp.Or(config.User, "dev")
	var err error
	if c.trust, err = secure(config); err != nil {
		return nil, errors.Join(err, c.tidy())
	}
	supplied, err := c.startSystem(ctx, config.Embed)
	if err != nil {
		return nil, errors.Join(err, c.tidy())
	}
	settings := coordinator.Config{
		DataDir: config.DataDir, Version: config.Version, Logger: config.Logger, Registerer: config.Registerer,
		Reader: reader, Supplied: supplied, Audit: filepath.Join(config.DataDir, "audit.jsonl"), Listeners: config.Listeners,
		Webhooks: config.Webhooks, Console: config.Console, Open: !config.Secured,
	}
	if c.trust != nil {
		settings.Certificates, settings.Enroller = c.trust.server, c.trust.authority.Enroller()
	}
	c.Coordinator, err = coordinator.New(ctx, settings)
	if err != nil {
		return nil, errors.Join(err, c.tidy())
	}
	if err := c.serve(config.Listener); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	gate := new(load.Gate)
	working, leave := context.WithCancel(context.WithoutCancel(ctx))
	c.leave = leave
	for i := range config.Agents {
		one := agent.Config{Reader: reader, Drivers: config.Targets.Drivers(), Actors: actors, Sources: config.Targets.Sources(), Name: fmt.Sprintf("local-%d", i+1), Gate: gate}
		if err := c.start(working, config, one); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// SystemError reports that the system under test did not start.
type SystemError struct{ Err error }

// Error returns the message.
func (e *SystemError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e *SystemError) Unwrap() error { return e.Err }

// startSystem starts a system under test, and returns the properties with which submissions connect to it.
func (c *Cluster) startSystem(ctx context.Context, start load.Start) (map[string]map[string]string, error) {
	if start == nil {
		return nil, nil
	}
	var err error
	if c.System, err = start(ctx); err != nil {
		return nil, &SystemError{Err: err}
	}
	return c.System.Supplied(), nil
}

// serve serves the coordinator in memory, and on a listener if there is one.
func (c *Cluster) serve(listener net.Listener) error {
	options := coordinator.ServerOptions()
	if c.trust != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(c.trust.server.ServerConfig())))
	}
	c.server = grpc.NewServer(options...)
	c.Coordinator.Register(c.server)
	c.memory = bufconn.Listen(pipe)
	for _, l := range []net.Listener{c.memory, listener} {
		if l != nil {
			c.served.Go(func() {
				if err := c.server.Serve(l); err != nil {
					c.fail(fmt.Errorf("serve the coordinator: %w", err))
				}
			})
		}
	}
	var err error
	if c.conn, err = grpc.NewClient(address, append(wire.CheckResponses(), c.dial(c.trust.user())...)...); err != nil {
		return fmt.Errorf("connect to the coordinator of this process: %w", err)
	}
	return nil
}

// dial returns how a client in this process connects.
func (c *Cluster) dial(creds credentials.TransportCredentials) []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return c.memory.DialContext(ctx) }),
		grpc.WithTransportCredentials(creds),
	}
}

// address is the coordinator's address in memory; the dialer ignores it.
const address = "passthrough:///this-process"

// start starts an agent; one has the settings that differ between agents.
func (c *Cluster) start(ctx context.Context, config Config, one agent.Config) error {
	if config.Registerer != nil {
		one.Registerer = prometheus.WrapRegistererWith(prometheus.Labels{"agent": one.Name}, config.Registerer)
	}
	creds, err := c.trust.agent(one.Name)
	if err != nil {
		return err
	}
	one.Coordinator, one.Dial, one.Version, one.Logger = address, c.dial(creds), config.Version, config.Logger
	one.Spool = filepath.Join(config.DataDir, "points", one.Name)
	one.WriteBelow, one.KnownIO, one.Outbound = config.WriteBelow, config.KnownIO, config.Outbound
	one.Secrets, one.Credential = config.Secrets, config.Credential
	a, err := agent.New(one)
	if err != nil {
		return err
	}
	c.agents.Go(func() {
		if err := a.Run(ctx); err != nil {
			c.fail(fmt.Errorf("agent %s: %w", one.Name, err))
		}
	})
	return nil
}

func (c *Cluster) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, err)
}

// Conn returns a connection of the user to the coordinator, which the cluster closes.
func (c *Cluster) Conn() *grpc.ClientConn { return c.conn }

// Close signs off the agents, then closes the coordinator and the system. Unfinished runs stay in the archive.
func (c *Cluster) Close() error {
	if c.leave != nil {
		c.leave()
	}
	c.agents.Wait()
	c.Coordinator.Detach()
	if c.server != nil {
		c.server.Stop()
	}
	c.served.Wait()
	var closed error
	if c.conn != nil {
		closed = c.conn.Close()
	}
	return errors.Join(errors.Join(c.errs...), closed, c.Coordinator.Close(context.Background()), c.tidy())
}

// tidy stops the system under test, and removes the temporary folder.
func (c *Cluster) tidy() error {
	var err error
	if c.System != nil {
		err = c.System.Close()
	}
	if c.folder == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(c.folder))
}

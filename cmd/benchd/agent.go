package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
)

type agentFlags struct {
	coordinator, name  string
	labels, hooks      config.Pairs
	metrics, advertise string
	spool, rawIO       string
	writeBelow         string
	profiles           bool
	orphan             time.Duration
	insecure           bool
	skew               clock.Skew
}

func agentCommand() cli.Command {
	f := agentFlags{orphan: agent.DefaultOrphanTimeout}
	cmd := &cobra.Command{
		Use:   "agent --coordinator HOST:PORT",
		Short: "Produce load as a coordinator says",
		Long: `Agent connects to a coordinator, which gives it its part of a run, and produces that load. It needs no open port but
that of its metrics. When the coordinator goes away it works on, keeps what it measured, and connects again; after
--orphan-timeout it stops the load: nobody must hammer a cluster that no one can cancel. What it measured is on disk, in
--spool, until the coordinator has it: an agent that was killed and is started again, with the same --name and
--coordinator, delivers it.

SIGTERM ends it within five seconds: its workers stop, their last figures are delivered, and the run goes on without
it or fails, as "benchctl submit --on-agent-loss" says.`,
		Example: `  benchd agent --coordinator 10.0.0.1:7070 --insecure
  benchd agent --coordinator 127.0.0.1:7070 --name client-1 --label zone=a --label rack=3
  BENCHD_LABEL=zone=a,rack=3 benchd agent --config agent.yaml`,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.coordinator, "coordinator", "", "`HOST:PORT` of the coordinator; must be given")
	fs.StringVar(&f.name, "name", "", "`NAME` of the agent, unique among those of the coordinator; default is the host's name")
	config.PairsVar(fs, &f.labels, "label", "", "label, by which runs select agents; may stand several times")
	config.PairsVar(fs, &f.hooks, "hook", "", "let runs ask for this command, as name=command with its arguments, such as restart=/opt/cluster/restart.sh; no shell reads it; may stand several times")
	fs.StringVar(&f.metrics, "metrics-listen", "127.0.0.1:0", "HTTP `HOST:PORT` of /metrics, /healthz and /readyz; port 0 takes a free one")
	fs.StringVar(&f.advertise, "metrics-advertise", "", "`HOST:PORT` at which Prometheus reaches the metrics, for /sd/agents; default is where they are, or for all interfaces the address from which the agent connects")
	fs.StringVar(&f.spool, "spool", "", "`DIR` for what the coordinator does not have yet, so that it survives the agent, and for raw points (measurementtype=raw), kept for a week; default is below the system's temporary directory")
	cli.WriteBelowFlag(cmd, &f.writeBelow, "")
	cli.RawIOFlag(cmd, &f.rawIO)
	profilesFlag(cmd, &f.profiles, "--metrics-listen")
	config.Duration(fs, &f.orphan, "orphan-timeout", false, "stop the load after so long without a coordinator")
	insecureFlag(cmd, &f.insecure, "connect and listen beyond this machine")
	clockFlags(fs, &f.skew)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runAgent(ctx, c, cmd, &f)
	}}
}

// defaultSpool is the spool where --spool names none.
func defaultSpool() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("benchd-spool-%d", os.Getuid()))
}

// judge reports what is wrong with the flags.
func (f *agentFlags) judge(cmd *cobra.Command) error {
	if f.coordinator == "" {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--coordinator HOST:PORT is missing: which coordinator is the agent to serve?")}
	}
	if f.orphan == 0 {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--orphan-timeout 0s: load must stop some time after its coordinator is gone; give a time such as 10m")}
	}
	if f.advertise != "" {
		if err := security.CheckForm("--metrics-advertise", f.advertise); err != nil {
			return err
		}
	}
	return errors.Join(
		security.CheckAddress("--coordinator", f.coordinator, f.insecure),
		security.CheckAddress("--metrics-listen", f.metrics, f.insecure),
	)
}

// commands are the hooks with their words.
func (f *agentFlags) commands(cmd *cobra.Command) (map[string][]string, error) {
	commands := make(map[string][]string)
	for _, h := range f.hooks {
		words, err := agent.SplitHook(h.Value)
		err = cmp.Or(spec.CheckHook(h.Key), err)
		if _, twice := commands[h.Key]; twice && err == nil {
			err = errors.New("the name is given twice")
		}
		if err != nil {
			return nil, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--hook %s: %w", h.Key, err)}
		}
		commands[h.Key] = words
	}
	return commands, nil
}

func runAgent(ctx context.Context, c *cli.Context, cmd *cobra.Command, f *agentFlags) error {
	if err := f.judge(cmd); err != nil {
		return err
	}
	hooks, err := f.commands(cmd)
	if err != nil {
		return err
	}
	spool := cmp.Or(f.spool, defaultSpool())
	web, err := cli.Listen(ctx, "--metrics-listen", f.metrics)
	if err != nil {
		return err
	}
	registry := debugserver.NewRegistry(c.Version)
	targets := target.All()
	actors := targets.Actors()
	actors[doctor.Target] = doctor.Open(doctor.This(), doctor.Use{Folders: []doctor.Folder{{Flag: "--spool", Dir: spool}}})
	a, err := agent.New(agent.Config{
		Coordinator: f.coordinator,
		Dial: []grpc.DialOption{
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			// A coordinator is in the user's own network; a proxy is for what lies outside.
			grpc.WithNoProxy(),
		},
		Reader: targets.Reader(), Drivers: targets.Drivers(), Actors: actors, Sources: targets.Sources(), Hooks: hooks, Name: f.name, Labels: f.labels.Map(), Version: c.Version, MetricsAddress: f.advertised(web),
		OrphanTimeout: f.orphan, Spool: spool, Clock: clock.NewSource(f.skew), Logger: c.Logger, Registerer: registry,
		WriteBelow: f.writeBelow, KnownIO: f.rawIO == cli.Off,
	})
	if err != nil {
		return errors.Join(&cli.Error{Code: cli.Usage, Err: err}, web.Close())
	}
	c.Logger.Info("agent begins", "coordinator", f.coordinator, "http", web.Addr().String(), "version", c.Version)
	return serveAgent(ctx, c, a, web, debugserver.ServerConfig{Registry: registry, Logger: c.Logger, Profiles: f.profiles})
}

// advertised is where others find the metrics that are served on l. An address of all interfaces says nothing to them:
// then it is the port alone, and the coordinator knows from where the agent comes.
func (f *agentFlags) advertised(l net.Listener) string {
	if f.advertise != "" {
		return f.advertise
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("", strconv.Itoa(tcp.Port))
	}
	return l.Addr().String()
}

// serveAgent lets a work, and its metrics be fetched for as long.
func serveAgent(ctx context.Context, c *cli.Context, a *agent.Agent, web net.Listener, config debugserver.ServerConfig) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	served := make(chan error, 1)
	go func() { served <- debugserver.NewServer(config).Run(serving, web) }()
	err := a.Run(ctx)
	stop()
	if err == nil {
		c.Logger.Info("agent has ended")
	} else {
		err = fmt.Errorf("serve coordinator: %w", err)
	}
	return errors.Join(err, <-served)
}

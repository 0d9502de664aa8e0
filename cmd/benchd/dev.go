package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/target"
)

type devFlags struct {
	agents             int
	listen, http, data string
	rawIO, writeBelow  string
	allow              []string
	secrets            []string
	zookeeper, info    string
	servers            int
	insecure, profiles bool
}

func devCommand() cli.Command {
	f := devFlags{agents: 2, servers: 3}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run a coordinator, agents and a sandbox in one process",
		Long: `Dev runs a coordinator, agents and a sandbox in one process, for trials and development. It runs the same code as on several
machines. benchctl connects to --listen. "benchctl submit --db sandbox" uses the sandbox and needs no address; the log
has the address for other clients, and the one for "benchctl sandbox".`,
		Example: `  benchd dev
  benchd dev --agents 3 --data archive
  benchd dev --zookeeper 127.0.0.1:2181 --info 127.0.0.1:16010`,
	}
	config.Whole(cmd.Flags(), &f.agents, "agents", 1, "agents within this process")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7070", "gRPC `HOST:PORT` for benchctl and further agents")
	cmd.Flags().StringVar(&f.http, "http", "127.0.0.1:7071", "HTTP `HOST:PORT` of /metrics, /sd/agents, /healthz and /readyz")
	cmd.Flags().StringVar(&f.data, "data", "", "`DIR` of the archive; without it the archive is deleted when the process ends")
	cmd.Flags().StringVar(&f.zookeeper, "zookeeper", "127.0.0.1:0", "`HOST:PORT` of the sandbox's ZooKeeper; port 0 takes a free one")
	cmd.Flags().StringVar(&f.info, "info", "127.0.0.1:0", "HTTP `HOST:PORT` of the sandbox's pages, which benchctl uses to control it; port 0 takes a free one")
	config.Whole(cmd.Flags(), &f.servers, "region-servers", 0, "region servers of the sandbox; 0 starts no sandbox")
	cli.WriteBelowFlag(cmd, &f.writeBelow, "")
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	cli.RawIOFlag(cmd, &f.rawIO)
	profilesFlag(cmd, &f.profiles, "--http")
	insecureFlag(cmd, &f.insecure, "listen beyond this machine")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runDev(ctx, c, cmd, f)
	}}
}

func runDev(ctx context.Context, c *cli.Context, cmd *cobra.Command, f devFlags) error {
	secrets, err := cli.Secrets(f.secrets)
	if err != nil {
		return err
	}
	dialer, err := cli.Outbound(cmd, f.allow)
	if err != nil {
		return err
	}
	if err := errors.Join(
		security.CheckAddress("--listen", f.listen, f.insecure),
		security.CheckAddress("--http", f.http, f.insecure),
	); err != nil {
		return err
	}
	embedded, err := f.embedded(c)
	if err != nil {
		return err
	}
	rpc, web, err := listenTwice(ctx, f.listen, f.http)
	if err != nil {
		return err
	}
	registry := debugserver.NewRegistry(c.Version)
	cluster, err := dev.Start(ctx, dev.Config{
		Agents: f.agents, DataDir: f.data, Listener: rpc, Version: c.Version, Logger: c.Logger, Registerer: registry,
		Listeners: []string{cli.Secured("gRPC", rpc.Addr().String(), false), cli.Secured("HTTP", web.Addr().String(), false)},
		Embed:     embedded, WriteBelow: f.writeBelow, Outbound: dialer, Secrets: secrets, KnownIO: f.rawIO == cli.Off,
	})
	if err != nil {
		_ = rpc.Close() // the cluster may have closed it already
		return errors.Join(startError(err), web.Close())
	}
	if s := cluster.System; s != nil {
		c.Logger.LogAttrs(ctx, slog.LevelInfo, "sandbox listens", s.Attrs()...)
	}
	c.Logger.Info("coordinator listens", "grpc", rpc.Addr().String(), "http", web.Addr().String(), "agents", f.agents, "version", c.Version)
	cli.WarnInsecure(c.Logger, "gRPC", rpc.Addr().String(), false)
	cli.WarnInsecure(c.Logger, "HTTP", web.Addr().String(), false)
	served := debugserver.NewServer(debugserver.ServerConfig{
		Registry: registry, Logger: c.Logger, Profiles: f.profiles,
		Handlers: map[string]http.Handler{"/sd/agents": cluster.Coordinator.Discovery()},
	}).Run(ctx, web)
	return errors.Join(served, cluster.Close())
}

// embedded returns the function that starts the sandbox, or nil for none.
func (f *devFlags) embedded(c *cli.Context) (load.Start, error) {
	t, ok := target.All().Embeddable()
	if !ok || f.servers == 0 {
		return nil, nil //nolint:nilnil // no sandbox is wanted
	}
	if err := errors.Join(
		security.CheckAddress("--zookeeper", f.zookeeper, f.insecure),
		security.CheckAddress("--info", f.info, f.insecure),
	); err != nil {
		return nil, err
	}
	return t.Embed(nil, load.EmbedSettings{
		Servers: f.servers, Listen: map[string]string{"zookeeper": f.zookeeper, "info": f.info}, Program: c.Version, Logger: c.Logger,
	})
}

// startError reports why a coordinator or a sandbox did not start.
func startError(err error) error {
	if failed, ok := errors.AsType[*dev.SystemError](err); ok {
		return sandboxError(failed.Err)
	}
	return cli.StartError(err)
}

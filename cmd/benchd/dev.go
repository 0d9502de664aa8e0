package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/telemetry"
)

type devFlags struct {
	agents             int
	listen, http, data string
	insecure, profiles bool
}

func devCommand() cli.Command {
	f := devFlags{agents: 2}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Be a coordinator and its agents in one process",
		Long: `Dev is a coordinator and agents in one process, for trials and development. What runs is what runs on several
machines; benchctl reaches it at --listen.`,
		Example: `  benchd dev
  benchd dev --agents 3 --data archive`,
	}
	config.Whole(cmd.Flags(), &f.agents, "agents", 1, "agents within this process")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7070", "gRPC `HOST:PORT` for benchctl and further agents")
	cmd.Flags().StringVar(&f.http, "http", "127.0.0.1:7071", "HTTP `HOST:PORT` of /metrics, /sd/agents, /healthz and /readyz")
	cmd.Flags().StringVar(&f.data, "data", "", "`DIR` of the archive; without it the archive ends with the process")
	profilesFlag(cmd, &f.profiles, "--http")
	insecureFlag(cmd, &f.insecure, "listen beyond this machine")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runDev(ctx, c, f)
	}}
}

func runDev(ctx context.Context, c *cli.Context, f devFlags) error {
	if err := errors.Join(
		security.CheckAddress("--listen", f.listen, f.insecure),
		security.CheckAddress("--http", f.http, f.insecure),
	); err != nil {
		return err
	}
	rpc, web, err := listenTwice(ctx, f.listen, f.http)
	if err != nil {
		return err
	}
	registry := telemetry.NewRegistry(c.Version)
	cluster, err := dev.Start(ctx, dev.Config{
		Agents: f.agents, DataDir: f.data, Listener: rpc, Version: c.Version, Logger: c.Logger, Registerer: registry,
	})
	if err != nil {
		_ = rpc.Close() // unless the cluster has done so
		return errors.Join(cli.StartError(err), web.Close())
	}
	c.Logger.Info("coordinator listens", "grpc", rpc.Addr().String(), "http", web.Addr().String(), "agents", f.agents, "version", c.Version)
	served := telemetry.NewServer(telemetry.ServerConfig{
		Registry: registry, Logger: c.Logger, Profiles: f.profiles,
		Handlers: map[string]http.Handler{"/sd/agents": cluster.Coordinator.Discovery()},
	}).Run(ctx, web)
	return errors.Join(served, cluster.Close())
}

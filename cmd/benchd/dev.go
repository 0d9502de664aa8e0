package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/target/all"
)

type devFlags struct {
	agents             int
	listen, http, data string
	rawIO, writeBelow  string
	webhooks           string
	allow              []string
	secrets            []string
	credential         *cli.CredentialFlags
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
machines. "benchctl submit --db sandbox" uses the sandbox and needs no address; the log has the address for other clients, and
the one for "benchctl sandbox".

The coordinator listens with TLS, and has an authority of its own in the folder pki of --data. While it runs, its user has a
profile, dev-PORT (see "benchctl profiles"), by which benchctl connects as an admin; it is the current one unless there is
another. Further agents join by a token of "benchd pki token --dir DATA/pki". With --insecure there are no certificates:
everything is plain text, and benchctl needs no profile.`,
		Example: `  benchd dev
  benchd dev --agents 3 --data archive
  benchd dev --insecure
  benchd dev --zookeeper 127.0.0.1:2181 --info 127.0.0.1:16010`,
	}
	config.Whole(cmd.Flags(), &f.agents, "agents", 1, "agents within this process")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7070", "gRPC `HOST:PORT` for benchctl and further agents")
	cmd.Flags().StringVar(&f.http, "http", "127.0.0.1:7071", "HTTP `HOST:PORT` of /console/, /api/v1, /metrics, /sd/agents, /healthz and /readyz")
	cmd.Flags().StringVar(&f.data, "data", "", "`DIR` of the archive; without it the archive is deleted when the process ends")
	cmd.Flags().StringVar(&f.zookeeper, "zookeeper", "127.0.0.1:0", "`HOST:PORT` of the sandbox's ZooKeeper; port 0 takes a free one")
	cmd.Flags().StringVar(&f.info, "info", "127.0.0.1:0", "HTTP `HOST:PORT` of the sandbox's pages, which benchctl uses to control it; port 0 takes a free one")
	config.Whole(cmd.Flags(), &f.servers, "region-servers", 0, "region servers of the sandbox; 0 starts no sandbox")
	cli.WriteBelowFlag(cmd, &f.writeBelow, "")
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	f.credential = cli.AddCredentialFlags(cmd, cli.AddSiteFolders(cmd, all.Targets().Descriptors()))
	cli.RawIOFlag(cmd, &f.rawIO)
	cli.WebhooksFlag(cmd, &f.webhooks)
	profilesFlag(cmd, &f.profiles, "--http")
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "use plain text without certificates, and allow addresses beyond this machine: everyone who reaches them can read and control it")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runDev(ctx, c, cmd, f)
	}}
}

func runDev(ctx context.Context, c *cli.Context, cmd *cobra.Command, f devFlags) error {
	secrets, err := cli.Secrets(f.secrets)
	if err != nil {
		return err
	}
	hooks, err := cli.OpenWebhooks(f.webhooks, secrets, c.Logger)
	if err != nil {
		return err
	}
	keys, err := f.credential.Load(cmd, c.Origins)
	if err != nil {
		return err
	}
	dialer, err := cli.Outbound(cmd, f.allow)
	if err != nil {
		return err
	}
	if err := errors.Join(
		f.checkListen(),
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
	registry, console := debugserver.NewRegistry(c.Version), newConsole(rpc, web, false, false)
	own := newDevProfile(rpc.Addr(), c.Logger)
	cluster, err := dev.Start(ctx, dev.Config{
		Agents: f.agents, DataDir: f.data, Listener: rpc, Version: c.Version, Logger: c.Logger, Registerer: registry,
		Secured: !f.insecure, User: devUser(),
		Listeners: []string{cli.Secured("gRPC", rpc.Addr().String(), !f.insecure), cli.Secured("HTTP", web.Addr().String(), false)},
		Embed:     embedded, Console: console, WriteBelow: f.writeBelow, Webhooks: hooks, Outbound: dialer, Secrets: secrets, Credential: keys, KnownIO: f.rawIO == cli.Off,
	})
	if err != nil {
		_ = rpc.Close() // the cluster may have closed it already
		return errors.Join(startError(err), web.Close())
	}
	if s := cluster.System; s != nil {
		c.Logger.LogAttrs(ctx, slog.LevelInfo, "sandbox listens", s.Attrs()...)
	}
	if f.insecure {
		own.removeStale()
	} else {
		own.write(cluster.Admin(), cluster.Authority().Root())
		defer own.remove()
	}
	c.Logger.Info("coordinator listens", "grpc", rpc.Addr().String(), "http", web.Addr().String(), "tls", !f.insecure, "console", consoleURL(console, web), "agents", f.agents, "version", c.Version)
	cli.WarnInsecure(c.Logger, "gRPC", rpc.Addr().String(), !f.insecure)
	cli.WarnInsecure(c.Logger, "HTTP", web.Addr().String(), false)
	tree, err := api.New(api.Config{Coordinator: cluster.Coordinator.Conn(), Targets: all.Targets(), Version: c.Version, Logger: c.Logger, Console: true, Cure: loginCure(console)})
	if err != nil {
		return errors.Join(err, web.Close(), cluster.Close())
	}
	overHTTP := debugserver.ServerConfig{
		Registry: registry, Logger: c.Logger, Profiles: f.profiles,
		Handlers: map[string]http.Handler{"/sd/agents": cluster.Coordinator.Discovery()},
		Trees:    map[string]http.Handler{api.Prefix + "/": tree},
		OnStop:   tree.Stop,
	}
	serveConsole(&overHTTP, cluster.Coordinator, console)
	return errors.Join(debugserver.NewServer(overHTTP).Run(ctx, web), cluster.Close())
}

// checkListen refuses an address beyond this machine, for which there are no certificates.
func (f *devFlags) checkListen() error {
	if err := security.CheckForm("--listen", f.listen); err != nil {
		return err
	}
	if f.insecure || security.Loopback(f.listen) {
		return nil
	}
	return &security.AddressError{
		Flag: "--listen", Address: f.listen,
		Problem: "this address is not loopback, and the certificates of benchd dev are for this machine only: use 127.0.0.1, `benchd coordinator` with certificates of `benchd pki`, or no TLS with --insecure",
	}
}

// embedded returns the function that starts the sandbox, or nil for none.
func (f *devFlags) embedded(c *cli.Context) (load.Start, error) {
	t, ok := all.Targets().Embeddable()
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

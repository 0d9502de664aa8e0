package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/target/all"
)

type coordinatorFlags struct {
	listen, http, data, keep string
	archive, advertise       string
	insecure, profiles       bool
	console                  bool
	audit, enroll            string
	tls                      *cli.TLSFlags
	web, webhooks            string
	skew                     clock.Skew
}

func coordinatorCommand() cli.Command {
	var f coordinatorFlags
	cmd := &cobra.Command{
		Use:   "coordinator",
		Short: "Queue and control runs, and store their results",
		Long: `Coordinator queues and controls runs and stores their results in an archive: in SQLite, in the directory --data, or in the
PostgreSQL database --archive. Agents and benchctl connect to --listen. SIGTERM does not end runs: the agents continue, and a coordinator that is started with the same
archive resumes control of them. Only a cancel ends a run.

With --tls-cert, --tls-key and --tls-ca both ports use TLS 1.3. Changed files count from the next connection; SIGHUP reads
them at once. Broken files leave the former ones in use.

With --enroll agents get their certificates from the coordinator, by join tokens of "benchd pki token". It needs the directory that
"benchd pki issue coordinator" wrote, whose authority can issue certificates of agents only.

Several coordinators with the same --archive, on different hosts, are one service: one of them leads, and the others are standbys, which
refer agents, benchctl and browsers to its --advertise. If it dies, is stopped or is cut off, a standby leads within ten seconds, and
takes over its runs. A coordinator that has lost the lead ends, and becomes a standby when it is started again. The password of the
database comes from PGPASSWORD or ~/.pgpass.

Browsers get a console at --http: "benchctl console" prints a link that logs in.

With --webhooks other systems are notified of ended suites, violated limits and found changes: docs/webhooks.md describes the file,
which is read again when it changes.

--keep removes ended suites that are older than an age, and the oldest ended suites while the archive is larger than a size.
Suites that are queued or active are never removed.`,
		Example: `  benchd coordinator --data /var/lib/benchd
  benchd coordinator --listen 0.0.0.0:7070 --http 0.0.0.0:7071 --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt
  benchd coordinator --listen 0.0.0.0:7070 --tls-cert bench/tls.crt --tls-key bench/tls.key --tls-ca bench/ca.crt --tls-revoked bench/revoked --enroll bench
  benchd coordinator --listen 0.0.0.0:7070 --insecure     # on a trusted network
  benchd coordinator --archive postgres://benchd@db.example.org/benchd --listen 0.0.0.0:7070 --advertise bench-a.example.org:7070 --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt
  benchd coordinator --webhooks /etc/benchd/webhooks.yaml
  BENCHD_DATA=/var/lib/benchd benchd coordinator --config benchd.yaml`,
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7070", "gRPC `HOST:PORT` for agents and benchctl; port 0 takes a free one; unix:PATH is a socket for this user and root")
	cmd.Flags().StringVar(&f.http, "http", "127.0.0.1:7071", "HTTP `HOST:PORT` of /console/, /api/v1, /metrics, /sd/agents, /healthz and /readyz")
	cmd.Flags().BoolVar(&f.console, "console", true, "serve the web console below /console/ of --http; on by default, --console=false serves none")
	cmd.Flags().StringVar(&f.keep, "keep", "", "limit of ended suites by age, by the archive's size or both, such as `90d,50GB`; empty keeps all")
	cmd.Flags().StringVar(&f.data, "data", "benchd-data", "`DIR` of the archive, and of the audit log and temporary files; created if missing")
	cmd.Flags().StringVar(&f.archive, "archive", "", "`URL` of a PostgreSQL database for the archive, postgres://USER@HOST:PORT/DATABASE, which several coordinators can share; default is SQLite in --data")
	cmd.Flags().StringVar(&f.advertise, "advertise", "", "`HOST:PORT` to which standbys refer clients while this coordinator leads; default is --listen, if it has a host")
	cmd.Flags().StringVar(&f.audit, "audit", "", "`FILE` of the audit log, or off; default is audit.jsonl in --data")
	profilesFlag(cmd, &f.profiles, "--http")
	jumpFlag(cmd.Flags(), &f.skew)
	f.tls = cli.AddTLSFlags(cmd, identity.Coordinator)
	f.tls.AddRevoked(cmd)
	cmd.Flags().StringVar(&f.enroll, "enroll", "", "`DIR` with agents.crt, agents.key and ca.crt of benchd pki issue coordinator: agents join by tokens, and renew their certificates; its file revoked is the default of --tls-revoked; default is that none do")
	webConfigFlag(cmd, &f.web, "--http")
	cli.WebhooksFlag(cmd, &f.webhooks)
	insecureFlag(cmd, &f.insecure, "listen beyond this machine")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runCoordinator(ctx, c, f)
	}}
}

func insecureFlag(cmd *cobra.Command, to *bool, what string) {
	cmd.Flags().BoolVar(to, "insecure", false, what+" without TLS: everyone on the network can read and control it")
}

func webConfigFlag(cmd *cobra.Command, to *string, where string) {
	cmd.Flags().StringVar(to, "web.config.file", "", "`FILE` with TLS and passwords of "+where+" in the format of Prometheus's programs, instead of the certificates of --tls-cert")
}

// webSecured reports whether HTTP uses TLS.
func webSecured(web *debugserver.WebConfig, f *cli.TLSFlags) bool {
	if web != nil {
		return web.TLS()
	}
	return f.Given()
}

func profilesFlag(cmd *cobra.Command, to *bool, where string) {
	cmd.Flags().BoolVar(to, "pprof", false, "serve Go's profiles below /debug/pprof/ of "+where+"; they cost time and reveal internals")
}

func runCoordinator(ctx context.Context, c *cli.Context, f coordinatorFlags) (err error) {
	keep, err := results.ParseKeep(f.keep)
	if err != nil {
		err = &cli.Error{Code: cli.Usage, Err: fmt.Errorf("--keep: %w", err)}
	}
	webConfig, webErr := debugserver.OpenWebConfig(f.web)
	hooks, hooksErr := cli.Webhooks(f.webhooks, c.Logger)
	if err := errors.Join(
		webErr, hooksErr,
		security.CheckLocal("--listen", f.listen, f.tls.Given(), f.insecure),
		security.CheckSecured("--http", f.http, webSecured(webConfig, f.tls), f.insecure),
		f.checkArchive(c.Origins["archive"]),
		requireData(f.data),
		err,
	); err != nil {
		return err
	}
	registry := debugserver.NewRegistry(c.Version)
	f.tls.Files.Revoked = cmp.Or(f.tls.Files.Revoked, f.denyList())
	store, err := f.tls.Load(certs.Options{Logger: c.Logger, Registerer: registry})
	if err != nil {
		return err
	}
	enroller, err := f.enroller()
	if err != nil {
		return err
	}
	unwatch := cli.WatchTLS(ctx, store)
	defer unwatch()
	leaveCollector := boundGarbage(ctx)
	defer leaveCollector()
	rpc, web, err := listenTwice(ctx, f.listen, f.http)
	if err != nil {
		return err
	}
	_, local := security.Socket(f.listen)
	ctx, lead, err := f.lead(ctx, c, served{
		rpc: rpc, web: web, local: local, store: store, config: webConfig, secured: webSecured(webConfig, f.tls), registry: registry,
	})
	if err != nil {
		return ignoreSignal(ctx, err)
	}
	defer func() { err = lead.end(err) }()
	config := coordinator.Config{
		DataDir: f.data, Keep: keep, Version: c.Version, Reader: all.Targets().Reader(), Logger: c.Logger, Registerer: registry,
		Clock: clock.NewSource(f.skew), Audit: f.auditFile(), Enroller: enroller, Webhooks: hooks,
		Listeners: []string{cli.Secured("gRPC", listening(f.listen, rpc), store != nil), cli.Secured("HTTP", web.Addr().String(), webSecured(webConfig, f.tls))},
	}
	if f.console {
		config.Console = newConsole(rpc, web, webSecured(webConfig, f.tls), webConfig != nil || store != nil)
	}
	if lead != nil {
		rpc, web, config.Archive = lead.rpc, lead.web, lead.archive
	}
	config.Open = store == nil && !local
	if store != nil {
		config.Certificates = store
	}
	coord, err := coordinator.New(ctx, config)
	if err != nil {
		return errors.Join(cli.StartError(err), rpc.Close(), web.Close())
	}
	defer func() {
		lead.stop()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		err = errors.Join(err, coord.Close(closing))
	}()
	options := coordinator.ServerOptions()
	if local {
		options = append(options, grpc.Creds(coord.Credentials(security.LocalCredentials())))
	} else if store != nil {
		options = append(options, grpc.Creds(coord.Credentials(credentials.NewTLS(store.ServerConfig()))))
	}
	served, err := api.New(api.Config{Coordinator: coord.Conn(), Targets: all.Targets(), Version: c.Version, Logger: c.Logger, Console: config.Console != nil, Cure: loginCure(config.Console)})
	if err != nil {
		return errors.Join(err, rpc.Close(), web.Close())
	}
	server := grpc.NewServer(options...)
	coord.Register(server)
	c.Logger.Info("coordinator listens", "grpc", listening(f.listen, rpc), "http", web.Addr().String(), "tls", store != nil, "console", consoleURL(config.Console, web), "data", f.data, "version", c.Version)
	cli.WarnInsecure(c.Logger, "gRPC", listening(f.listen, rpc), store != nil)
	cli.WarnInsecure(c.Logger, "HTTP", web.Addr().String(), webSecured(webConfig, f.tls))
	overHTTP := debugserver.ServerConfig{
		Registry: registry, Logger: c.Logger, Profiles: f.profiles, TLS: cli.ServerTLS(store), Web: webConfig, Allow: coord.Allow,
		Handlers: map[string]http.Handler{"/sd/agents": coord.Discovery()},
		Trees:    map[string]http.Handler{api.Prefix + "/": served},
		OnStop:   served.Stop,
	}
	serveConsole(&overHTTP, coord, config.Console)
	return serve(ctx, c, server, rpc, web, overHTTP, coord.Detach)
}

// denyList returns the list of revoked certificates in the directory of --enroll, if there is one.
func (f *coordinatorFlags) denyList() string {
	path := filepath.Join(f.enroll, pki.RevokedFile)
	if _, err := os.Stat(path); f.enroll == "" || !f.tls.Given() || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// enroller opens the agents' authority of --enroll, and checks that agents can join by it.
func (f *coordinatorFlags) enroller() (*pki.Enroller, error) {
	if f.enroll == "" {
		return nil, nil //nolint:nilnil // no agent joins
	}
	usage := func(format string, args ...any) error {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("--enroll %s: "+format, append([]any{f.enroll}, args...)...)}
	}
	if !f.tls.Given() {
		return nil, usage("agents join over TLS only: give --tls-cert, --tls-key and --tls-ca")
	}
	e, err := pki.OpenEnroller(f.enroll)
	if err != nil {
		return nil, usage("%w", err)
	}
	for _, need := range []struct{ flag, file, reason string }{
		{"--tls-ca", f.tls.Files.CA, "the coordinator would refuse the agents that join"},
		{"--tls-cert", f.tls.Files.Cert, "agents compare it with their tokens"},
	} {
		text, err := os.ReadFile(need.file)
		if err != nil {
			return nil, usage("read %s: %w", need.flag, err)
		}
		chain, err := pki.ParseChain(text)
		if err != nil || !slices.ContainsFunc(chain, e.Root().Equal) {
			return nil, usage("%s %s does not have the certificate of the authority, %s: %s; append it to the file", need.flag, need.file, filepath.Join(f.enroll, pki.RootFile), need.reason)
		}
	}
	return e, nil
}

// auditFile returns the path of the audit log; empty for none.
func (f *coordinatorFlags) auditFile() string {
	if f.audit == cli.Off {
		return ""
	}
	return cmp.Or(f.audit, filepath.Join(f.data, "audit.jsonl"))
}

// listening returns the address of a listener as clients give it.
func listening(flag string, l net.Listener) string {
	if _, local := security.Socket(flag); local {
		return flag
	}
	return l.Addr().String()
}

// listenTwice opens both ports, before the archive is opened: a process that cannot start writes nothing.
func listenTwice(ctx context.Context, listen, http string) (rpc, web net.Listener, err error) {
	rpc, err = cli.Listen(ctx, "--listen", listen)
	if err != nil {
		return nil, nil, err
	}
	web, err = cli.Listen(ctx, "--http", http)
	if err != nil {
		return nil, nil, errors.Join(err, rpc.Close())
	}
	return rpc, web, nil
}

// closeLimit bounds the time that a process takes to end after a signal.
const closeLimit = 3 * time.Second

// serve answers gRPC and HTTP until ctx ends, or one of them fails. Detach ends the streams of the gRPC server.
func serve(ctx context.Context, c *cli.Context, server *grpc.Server, rpc, web net.Listener, config debugserver.ServerConfig, detach func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 2)
	go func() {
		err := server.Serve(security.Limit(rpc, coordinator.Limits(c.Logger)))
		if errors.Is(err, grpc.ErrServerStopped) {
			err = nil // stopped before it started
		}
		if err != nil {
			err = fmt.Errorf("serve gRPC on %s: %w", rpc.Addr(), err)
		}
		cancel()
		served <- err
	}()
	go func() {
		err := debugserver.NewServer(config).Run(ctx, web)
		cancel()
		served <- err
	}()
	<-ctx.Done()
	c.Logger.Info("coordinator stops; runs go on without it")
	detach()
	timer := time.AfterFunc(closeLimit, server.Stop)
	defer timer.Stop()
	server.GracefulStop()
	return errors.Join(<-served, <-served)
}

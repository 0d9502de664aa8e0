package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/agent/enroll"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
)

type agentFlags struct {
	coordinator, name  string
	coordinators       []string // of coordinator
	labels, hooks      config.Pairs
	metrics, advertise string
	spool, rawIO       string
	writeBelow         string
	allow              []string
	secrets            []string
	credential         *cli.CredentialFlags
	profiles           bool
	orphan             time.Duration
	insecure           bool
	signalCode         int
	tls                *cli.TLSFlags
	join               joinFlags
	folder             enroll.Folder // of --identity
	web                string
	webConfig          *debugserver.WebConfig // of web
	skew               clock.Skew
}

func agentCommand() cli.Command {
	f := agentFlags{orphan: agent.DefaultOrphanTimeout}
	cmd := &cobra.Command{
		Use:   "agent --coordinator HOST:PORT",
		Short: "Produce load for a coordinator",
		Long: `Agent connects to a coordinator, receives its part of a run, and produces that load. It needs no open port except that of its
metrics. If the coordinator is unreachable, the agent continues, keeps its measurements, and connects again. Of several
coordinators that share one archive, it connects to the one that leads. After
--orphan-timeout it stops the load, because nobody can cancel it. Measurements stay on disk, in --spool, until the
coordinator has stored them: an agent that was killed delivers them when it is started again with the same --name and
the same first address of --coordinator.

SIGTERM ends it within five seconds: its workers stop, it delivers its last windows, and the run continues without it or
fails, depending on "benchctl submit --on-agent-loss". The exit code is then 0, or that of --signal-exit-code.

With --tls-cert, --tls-key and --tls-ca the connection to the coordinator and the port of the metrics use TLS 1.3. Changed files
count from the next connection; SIGHUP reads them at once. Broken files leave the former ones in use.

With --join and --identity the agent gets its certificate by itself. It makes a key in the directory of --identity, connects to
the coordinator, which it trusts only if it has the authority that the token names, and gets a certificate with the name in
the token. The token counts once; if the agent or the coordinator is killed meanwhile, start them again with the same one.
Later starts need the directory only. The agent renews the certificate when two thirds of its life are over. The coordinator
needs --enroll for both.

An agent proves itself to targets with --kerberos-keytab or --kerberos-cache, and with --target-tls-cert. No run can read
these files, and an agent that has them writes no core dumps.`,
		Example: `  benchd agent --coordinator 10.0.0.1:7070 --insecure
  benchd agent --coordinator 10.0.0.1:7070 --join file:/etc/benchd/token --identity /var/lib/benchd/identity
  BENCHD_JOIN=$(cat token) benchd agent --coordinator 10.0.0.1:7070 --identity /var/lib/benchd/identity
  benchd agent --coordinator 10.0.0.1:7070 --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt
  benchd agent --coordinator 127.0.0.1:7070 --name client-1 --label zone=a --label rack=3
  benchd agent --coordinator 127.0.0.1:7070 --kerberos-keytab /etc/benchd/benchd.keytab --kerberos-principal benchd@EXAMPLE.COM
  BENCHD_LABEL=zone=a,rack=3 benchd agent --config agent.yaml`,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.coordinator, "coordinator", "", "`HOST:PORT` of the coordinator, or of all that share its archive, separated by commas; or unix:PATH of its socket on this machine; required")
	fs.StringVar(&f.name, "name", "", "`NAME` of the agent, unique among the agents of a coordinator; default is the name in its certificate, or without one the host's name")
	config.PairsVar(fs, &f.labels, "label", "", "label by which runs select agents; repeatable")
	config.PairsVar(fs, &f.hooks, "hook", "", "allow runs to start this command: name=command with its arguments, such as restart=/opt/cluster/restart.sh; started without a shell; repeatable")
	fs.StringVar(&f.metrics, "metrics-listen", "127.0.0.1:0", "HTTP `HOST:PORT` of /metrics, /healthz and /readyz; port 0 takes a free one")
	fs.StringVar(&f.advertise, "metrics-advertise", "", "`HOST:PORT` at which Prometheus reaches the metrics, for /sd/agents; default is the address of --metrics-listen, or for all interfaces the address from which the agent connects")
	fs.StringVar(&f.spool, "spool", "", "`DIR` for measurements that the coordinator has not stored yet, and for raw points (measurementtype=raw), which are kept for a week; only this user may write to it; default is benchd/spool in $XDG_STATE_HOME or ~/.local/state, or a folder below the system's temporary directory")
	cli.WriteBelowFlag(cmd, &f.writeBelow, "")
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	f.credential = cli.AddCredentialFlags(cmd, cli.AddSiteFolders(cmd, all.Targets().Descriptors()))
	cli.RawIOFlag(cmd, &f.rawIO)
	profilesFlag(cmd, &f.profiles, "--metrics-listen")
	config.Duration(fs, &f.orphan, "orphan-timeout", false, "stop the load after this time without a coordinator")
	config.Whole(fs, &f.signalCode, "signal-exit-code", 0, "exit code `N` after SIGTERM or SIGINT, from 0 to 125; a Kubernetes Job replaces a pod that was removed only if it ends with another code than 0")
	f.tls = cli.AddTLSFlags(cmd, identity.Agent)
	f.tls.AddRevoked(cmd)
	f.join.add(cmd)
	webConfigFlag(cmd, &f.web, "--metrics-listen")
	insecureFlag(cmd, &f.insecure, "connect and listen beyond this machine")
	clockFlags(fs, &f.skew)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return f.ended(ctx, runAgent(ctx, c, cmd, &f))
	}}
}

// ended returns the error of an agent that a signal has ended without another error: that of --signal-exit-code.
func (f *agentFlags) ended(ctx context.Context, err error) error {
	if err != nil || ctx.Err() == nil || f.signalCode == 0 {
		return err
	}
	return &cli.Error{Code: cli.Code(f.signalCode)}
}

// spoolFolder returns the folder of --spool. Its default is in the folder for the state of the user's programs, or below the
// temporary directory; then base is a folder above it, between which and the spool links are refused.
func spoolFolder(given string) (dir, base string) {
	if given != "" {
		return given, ""
	}
	if base, path := config.StateFolder("benchd"); base != "" {
		dir := filepath.Join(base, path, "spool")
		if space, err := doctor.SpaceOf(dir); err == nil && space.Refused == nil {
			return dir, base
		}
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("benchd-spool-%d", os.Getuid())), os.TempDir()
}

// validate checks the flags.
func (f *agentFlags) validate(cmd *cobra.Command) error {
	if f.coordinator == "" {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--coordinator is missing: give the HOST:PORT of the agent's coordinator")}
	}
	if f.orphan == 0 {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--orphan-timeout 0s: the load must stop some time after its coordinator is gone; give a time such as 10m")}
	}
	if f.signalCode > 125 {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--signal-exit-code %d: give a code from 0 to 125", f.signalCode)}
	}
	if f.advertise != "" {
		if err := security.CheckForm("--metrics-advertise", f.advertise); err != nil {
			return err
		}
	}
	var err error
	if f.folder, err = f.join.folder(cmd, f.tls); err != nil {
		return err
	}
	f.webConfig, err = debugserver.OpenWebConfig(f.web)
	var wrong error
	f.coordinators, wrong = cli.Coordinators("--coordinator", f.coordinator, f.tls.Given(), f.insecure)
	return errors.Join(
		err,
		wrong,
		security.CheckSecured("--metrics-listen", f.metrics, webSecured(f.webConfig, f.tls), f.insecure),
	)
}

// commands returns the hooks, each split into the words of its command.
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
	if err := f.validate(cmd); err != nil {
		return err
	}
	hooks, err := f.commands(cmd)
	if err != nil {
		return err
	}
	secrets, err := cli.Secrets(f.secrets)
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
	spool, base := spoolFolder(f.spool)
	registry := debugserver.NewRegistry(c.Version)
	source := clock.NewSource(f.skew)
	own, err := f.certify(ctx, c, cmd, source, registry)
	if err != nil {
		return ignoreSignal(ctx, err)
	}
	defer own.stop()
	web, err := cli.Listen(ctx, "--metrics-listen", f.metrics)
	if err != nil {
		return err
	}
	targets := all.Targets()
	actors := targets.Actors()
	actors[doctor.Target] = doctor.Open(doctor.This(), doctor.Use{
		Folders: []doctor.Folder{spoolFolderOf(spool, base)}, Certificates: f.tls.Inspect(),
	})
	credentials := cli.LeaderCredentials(own.store, f.insecure)
	a, err := agent.New(agent.Config{
		Coordinator: f.coordinators[0], Others: f.coordinators[1:],
		// A coordinator is in the user's own network, where no proxy is needed.
		Dial: []grpc.DialOption{grpc.WithNoProxy()},
		DialTo: func(address string) ([]grpc.DialOption, error) {
			creds, err := credentials(address)
			return []grpc.DialOption{grpc.WithTransportCredentials(creds)}, err
		},
		Reader: targets.Reader(), Drivers: targets.Drivers(), Actors: actors, Sources: targets.Sources(), Hooks: hooks, Name: own.name, Labels: f.labels.Map(), Version: c.Version, MetricsAddress: f.advertised(web),
		OrphanTimeout: f.orphan, Spool: spool, SpoolBase: base, Clock: source, Logger: c.Logger, Registerer: registry,
		WriteBelow: f.writeBelow, Outbound: dialer, Secrets: secrets, Credential: keys, KnownIO: f.rawIO == cli.Off,
	})
	if err != nil {
		return errors.Join(&cli.Error{Code: cli.Usage, Err: err}, web.Close())
	}
	c.Logger.Info("agent starts", "coordinator", f.coordinator, "http", web.Addr().String(), "version", c.Version)
	cli.LogCredential(c.Logger, keys)
	cli.WarnInsecure(c.Logger, "coordinator", f.coordinator, own.store != nil)
	cli.WarnInsecure(c.Logger, "HTTP", web.Addr().String(), webSecured(f.webConfig, f.tls))
	return serveAgent(ctx, c, a, web, debugserver.ServerConfig{
		Registry: registry, Logger: c.Logger, Profiles: f.profiles, TLS: cli.ServerTLS(own.store), Web: f.webConfig, Allow: admit(own.store, slog.New(debugserver.Few(c.Logger.Handler()))),
	})
}

// advertised returns the address at which others reach the metrics that are served on l. For a listener on all interfaces it
// is the port alone: the coordinator adds the address from which the agent connects. With TLS it begins with https://.
func (f *agentFlags) advertised(l net.Listener) string {
	address := l.Addr().String()
	tcp, ok := l.Addr().(*net.TCPAddr)
	switch {
	case f.advertise != "":
		address = f.advertise
	case ok && tcp.IP.IsUnspecified():
		address = net.JoinHostPort("", strconv.Itoa(tcp.Port))
	}
	if webSecured(f.webConfig, f.tls) {
		return "https://" + address
	}
	return address
}

// admit returns the rule for HTTP requests to an agent: what package access lists for their peers, unless the certificate was revoked
// or has expired since they connected. The log has some of the requests that are refused.
func admit(store *certs.Store, log *slog.Logger) func(identity.Identity, *http.Request) error {
	return func(who identity.Identity, r *http.Request) error {
		err := access.Path(who, r.URL.Path)
		if err == nil && store != nil && store.Revoked(who) {
			err = fmt.Errorf("the certificate of %s with the serial number %s is revoked", who, who.Serial)
		}
		if until := certs.PeerUntil(r.TLS); err == nil && !until.IsZero() && time.Now().After(until) {
			err = fmt.Errorf("the certificate of %s has expired since it connected: connect again with a renewed one", who)
		}
		if err != nil {
			log.Warn("HTTP request was refused", "peer", who.String(), "from", r.RemoteAddr, "path", r.URL.Path, "reason", err)
		}
		return err
	}
}

// serveAgent runs a, and serves its metrics until it ends.
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
		err = fmt.Errorf("run agent: %w", err)
	}
	return errors.Join(err, <-served)
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/postgres"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/coordinator"
	"github.com/benchd/benchd/internal/coordinator/standby"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/websession"
)

// abandonWithin is how long a coordinator that has lost the lease may take to end: it may wait for an archive that does not answer.
const abandonWithin = 2 * closeLimit

// leadership is the time for which a coordinator leads those that share its archive.
type leadership struct {
	log      *slog.Logger
	errors   io.Writer
	archive  *postgres.Archive
	rpc, web net.Listener
	shared   []io.Closer // what it shares with the time before
	hold     sync.WaitGroup
	release  context.CancelFunc // ends hold
	lost     chan error         // why this process leads no more
	abandon  *time.Timer
}

// checkArchive checks --archive, which comes from a place such as an environment variable, and --advertise.
func (f *coordinatorFlags) checkArchive(place string) error {
	usage := func(format string, args ...any) error {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case f.archive == "" && place != "": // such as a variable of a script that is not set
		return usage("%s is empty: give postgres://USER@HOST:PORT/DATABASE, or leave it out: the archive is in SQLite then, in the directory --data", place)
	case f.archive == "" && f.advertise != "":
		return usage("--advertise %s: it is for coordinators that share an archive in PostgreSQL: give --archive, too", f.advertise)
	case f.archive == "":
		return nil
	case !isURL(f.archive): // the value may have a password
		return usage("%s: want postgres://USER@HOST:PORT/DATABASE; without --archive, the archive is in SQLite, in the directory --data", place)
	}
	if err := postgres.Check(f.archive); err != nil {
		return usage("%s: %w", place, err)
	}
	if f.advertise != "" {
		if err := security.CheckForm("--advertise", f.advertise); err != nil || hasHost(f.advertise) {
			return err
		}
		return usage("--advertise %s: it has no host that clients can connect to: give the name or the address at which they reach this coordinator", f.advertise)
	}
	if _, local := security.Socket(f.listen); local || !hasHost(f.listen) {
		return usage("--advertise is missing: give the HOST:PORT at which agents, benchctl and browsers reach this coordinator, because --listen %s has none; standbys refer them to it", f.listen)
	}
	return nil
}

// hasHost reports whether an address of the form HOST:PORT names a host, as opposed to all interfaces.
func hasHost(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && host != "" && (ip == nil || !ip.IsUnspecified())
}

// candidate returns how this process is named to clients.
func (f *coordinatorFlags) candidate(own served) archive.Leader {
	me := archive.Leader{Boot: rand.Text(), RPC: f.advertise}
	listenHost, _, _ := net.SplitHostPort(f.listen)
	if me.RPC == "" {
		me.RPC = net.JoinHostPort(listenHost, portOf(own.rpc))
	}
	host, _, _ := net.SplitHostPort(me.RPC)
	webHost, _, _ := net.SplitHostPort(f.http)
	ip := net.ParseIP(webHost)
	switch {
	case security.Loopback(f.http) && !security.Loopback(me.RPC):
		return me // only its own machine reaches HTTP
	case webHost != "" && webHost != listenHost && (ip == nil || !ip.IsUnspecified()):
		host = webHost
	}
	me.HTTP = net.JoinHostPort(host, portOf(own.web))
	if own.secured {
		me.HTTP = "https://" + me.HTTP
	}
	return me
}

func portOf(l net.Listener) string {
	if at, is := l.Addr().(*net.TCPAddr); is {
		return strconv.Itoa(at.Port)
	}
	return ""
}

// lead opens the archive of --archive, and returns when this process leads, with a context that ends when it does not any more. It serves the
// listeners as a standby until then. Without --archive there is no leadership.
func (f *coordinatorFlags) lead(ctx context.Context, c *cli.Context, own served) (leading context.Context, l *leadership, err error) {
	if f.archive == "" {
		return ctx, nil, nil
	}
	if c.Origins["archive"] == "--archive" && hasPassword(f.archive) {
		c.Logger.Warn("every user of this machine can read the password in --archive: give it in PGPASSWORD or ~/.pgpass")
	}
	l = &leadership{log: c.Logger, errors: c.Err, lost: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.end(nil))
		}
	}()
	lock, err := sqlite.Lock(f.data)
	if err != nil {
		return ctx, l, cli.StartError(err)
	}
	l.shared = append(l.shared, lock)
	if l.archive, err = postgres.Open(ctx, f.archive, c.Logger); err != nil {
		return ctx, l, cli.StartError(fmt.Errorf("%s: %w", c.Origins["archive"], err))
	}
	rpc, web := standby.Share(own.rpc), standby.Share(own.web)
	l.shared = append(l.shared, rpc, web)
	candidate := standby.New(standby.Config{Lease: l.archive, Me: f.candidate(own), Logger: c.Logger, Registerer: own.registry})
	err = candidate.Stand(ctx, func(ctx context.Context) error {
		c.Logger.Info("standby listens", "grpc", rpc.Addr().String(), "http", web.Addr().String(), "tls", own.store != nil, "archive", l.archive.Path(), "version", c.Version)
		return candidate.Serve(ctx, f.asStandby(c, own), rpc.Next(), web.Next())
	})
	if errors.Is(err, archive.ErrNewer) {
		err = cli.StartError(fmt.Errorf("%s: %w", c.Origins["archive"], err))
	}
	if err != nil {
		return ctx, l, errors.Join(err, l.archive.Close(context.WithoutCancel(ctx)))
	}
	l.rpc, l.web = rpc.Next(), web.Next()
	leading = l.begin(ctx, candidate)
	if err := l.archive.Migrate(leading); err != nil {
		l.stop()
		return ctx, l, errors.Join(cli.StartError(fmt.Errorf("%s: %w", c.Origins["archive"], err)), l.archive.Close(context.WithoutCancel(ctx)))
	}
	return leading, l, nil
}

// hasPassword reports whether a URL has a password.
func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	_, has := u.User.Password()
	return has
}

// served is what a coordinator serves, whether it leads or not.
type served struct {
	rpc, web net.Listener
	local    bool         // rpc is a unix socket
	store    *certs.Store // nil without TLS
	config   *debugserver.WebConfig
	secured  bool // HTTP uses TLS
	registry *prometheus.Registry
}

// asStandby returns how a standby serves its listeners.
func (f *coordinatorFlags) asStandby(c *cli.Context, own served) standby.ServerConfig {
	options := coordinator.ConnectionOptions()
	switch {
	case own.local:
		options = append(options, grpc.Creds(security.LocalCredentials()))
	case own.store != nil:
		options = append(options, grpc.Creds(credentials.NewTLS(own.store.ServerConfig())))
	}
	config := standby.ServerConfig{Options: options, Limits: coordinator.Limits(c.Logger), HTTP: debugserver.ServerConfig{
		Registry: own.registry, Logger: c.Logger, Profiles: f.profiles, TLS: cli.ServerTLS(own.store), Web: own.config,
		Allow: admit(own.store, slog.New(debugserver.Few(c.Logger.Handler()))),
	}}
	if f.console {
		config.HTTP.Home = websession.Home
	}
	return config
}

// begin renews the lease until release. The context that it returns ends when another process may lead.
func (l *leadership) begin(ctx context.Context, candidate *standby.Candidate) context.Context {
	leading, fence := context.WithCancelCause(ctx)
	holding, release := context.WithCancel(context.WithoutCancel(ctx)) // also while this process ends
	l.hold.Go(func() {
		if err := candidate.Hold(holding); err != nil {
			l.lost <- err
			l.abandon = time.AfterFunc(abandonWithin, func() {
				l.log.Warn("the coordinator waits for an archive that does not answer, and is ended")
				os.Exit(cli.Exit(l.errors, "benchd", &cli.Error{Code: cli.Unavailable, Err: err}))
			})
		}
		fence(nil) // after release nothing waits for it
	})
	l.release = release
	return leading
}

// stop ends the renewals, before the archive is closed. The lease stays.
func (l *leadership) stop() {
	if l != nil && l.release != nil {
		l.release()
		l.hold.Wait()
	}
}

// end closes the listeners. It returns err, or why this process leads no more.
func (l *leadership) end(err error) error {
	if l == nil {
		return err
	}
	l.stop()
	for _, c := range slices.Backward(l.shared) {
		if closing := c.Close(); !errors.Is(closing, net.ErrClosed) {
			err = errors.Join(err, closing)
		}
	}
	select {
	case lost := <-l.lost:
		if err != nil {
			l.log.Warn("errors of a coordinator that no longer leads", "error", err)
		}
		err = &cli.Error{Code: cli.Unavailable, Err: lost}
	default:
	}
	if l.abandon != nil {
		l.abandon.Stop()
	}
	return err
}

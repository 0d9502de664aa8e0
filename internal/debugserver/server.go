package debugserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/benchd/benchd/internal/access"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
)

// NewRegistry returns a registry with the metrics of Go's runtime, of the process and of the build.
func NewRegistry(version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "benchd_build_info", Help: "Always 1; the version label has the build.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build)
	return r
}

// mostScrapes bounds concurrent scrapes.
const mostScrapes = 8

// limits returns the bounds of connections.
func limits(log *slog.Logger) security.Limits {
	return security.Limits{Connections: 4096, Strangers: 1024, OfPeer: 256, Admission: time.Minute, Logger: log}
}

// shutdownGrace is how long requests in progress may take at shutdown.
const shutdownGrace = 2 * time.Second

// ServerConfig configures a Server.
type ServerConfig struct {
	Registry prometheus.Gatherer
	Logger   *slog.Logger
	// Ready returns the reason why the program is not ready, or nil. Without it the program is always ready.
	Ready func() error
	// Handlers are further paths, such as "/sd/agents".
	Handlers map[string]http.Handler
	// Trees serve all methods of the paths below their own, such as "/api/v1/".
	Trees map[string]http.Handler
	// OnStop is called when the server stops: what lasts as long as its client likes must end. Optional.
	OnStop func()
	// TLS is the configuration of connections. Without it they are in plain text, and their peers trusted.
	TLS *tls.Config
	// Web replaces TLS by the rules of a file. Optional.
	Web *WebConfig
	// Session returns a request for a path below Trees as that of its session, and whose session that is. leave ends its use. It is false for a
	// request without a session: its peer is the one of the connection. Optional.
	Session func(r *http.Request) (in *http.Request, who identity.Identity, leave func(), ok bool)
	// Home is the path below Trees to which browsers that ask for / are sent; all others get the list of paths. Default: none.
	Home string
	// Refuse answers a request that is not allowed. Default: with the error as text.
	Refuse func(w http.ResponseWriter, r *http.Request, status int, err error)
	// Allow refuses a peer's request, if it returns an error. Default: the table of package access.
	Allow func(id identity.Identity, r *http.Request) error
	// Profiles serves /debug/pprof/: any client can then profile the program, at the program's cost.
	Profiles bool
}

// Server is the HTTP server of a program's metrics, health and profiles.
type Server struct {
	http   *http.Server
	web    *WebConfig
	logger *slog.Logger
}

// NewServer returns a server. It serves when Run is called.
func NewServer(c ServerConfig) *Server {
	if c.Allow == nil {
		c.Allow = func(id identity.Identity, r *http.Request) error { return access.Path(id, r.URL.Path) }
	}
	if c.Refuse == nil {
		c.Refuse = func(w http.ResponseWriter, _ *http.Request, status int, err error) {
			http.Error(w, err.Error(), status)
		}
	}
	serverErrors := slog.NewLogLogger(Few(c.Logger.Handler()), slog.LevelWarn)
	served := maps.Clone(c.Handlers)
	if served == nil {
		served = make(map[string]http.Handler)
	}
	served["/metrics"] = promhttp.HandlerFor(c.Registry, promhttp.HandlerOpts{ErrorLog: serverErrors, MaxRequestsInFlight: mostScrapes})
	served["/healthz"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	served["/readyz"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if c.Ready != nil {
			if err := c.Ready(); err != nil {
				http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	if c.Profiles {
		maps.Copy(served, profiles())
	}
	mux, paths := http.NewServeMux(), slices.Sorted(maps.Keys(served))
	for _, path := range paths {
		mux.Handle("GET "+path, served[path])
	}
	for path, tree := range c.Trees {
		mux.Handle(path, tree)
		paths = append(paths, path)
	}
	slices.Sort(paths)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		for _, path := range paths {
			_, _ = io.WriteString(w, path+"\n")
		}
	})
	s := &Server{
		http: &http.Server{
			Handler:           identify(mux, c),
			TLSConfig:         c.TLS,
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       10 * time.Second,
			WriteTimeout:      time.Minute,
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    64 << 10,
			ErrorLog:          serverErrors,
			ConnContext:       connContext,
		},
		logger: c.Logger,
		web:    c.Web,
	}
	if c.OnStop != nil {
		s.http.RegisterOnShutdown(c.OnStop)
	}
	return s
}

// peer returns the function that returns who sends a request.
func (c *ServerConfig) peer() func(*http.Request) identity.Identity {
	if c.Web != nil {
		return c.Web.peer
	}
	return certified
}

// profiles returns the paths of Go's profiles.
func profiles() map[string]http.Handler {
	return map[string]http.Handler{
		"/debug/pprof/": http.HandlerFunc(pprof.Index), "/debug/pprof/cmdline": http.HandlerFunc(pprof.Cmdline),
		"/debug/pprof/profile": http.HandlerFunc(pprof.Profile), "/debug/pprof/symbol": http.HandlerFunc(pprof.Symbol),
		"/debug/pprof/trace": http.HandlerFunc(pprof.Trace),
	}
}

// Run serves on l, which it closes, until ctx ends; then it lets requests in progress finish for a moment.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	l = security.Limit(l, limits(s.logger))
	go func() {
		switch {
		case s.web != nil:
			served <- s.web.serve(s, l)
		case s.http.TLSConfig != nil:
			served <- s.http.ServeTLS(l, "", "")
		default:
			served <- s.http.Serve(l)
		}
	}()
	select {
	case err := <-served:
		return fmt.Errorf("serve HTTP on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := s.http.Shutdown(grace); err != nil {
		s.logger.Warn("requests were cut off at shutdown", "address", l.Addr().String(), "err", err)
		_ = s.http.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP on %s: %w", l.Addr(), err)
	}
	return nil
}

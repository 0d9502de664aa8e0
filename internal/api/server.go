package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/wire"
)

// Coordinator is the coordinator of this process.
type Coordinator interface {
	grpc.ClientConnInterface
	// As returns the context of a request, whose calls are made as its peer. It ends with the peer's certificate. leave ends it.
	As(r *http.Request) (ctx context.Context, leave func())
	// AsProcess returns a context whose calls are made by this process, for peers that have been admitted before.
	AsProcess(ctx context.Context) context.Context
}

// Config configures a Server. All fields but Console, Logger and Cure must be set.
type Config struct {
	Coordinator Coordinator
	Targets     target.List
	Version     string // of this build
	Console     bool   // the server of the API serves the console, too
	Logger      *slog.Logger
	// Cure returns how the sender of a request, who has shown no identity, gets one, for the error. Optional.
	Cure func(*http.Request) string
}

// Bounds on requests.
const (
	bodyLimit  = 32 << 20
	maxReports = 2 // at once: each has a whole result in memory
	// answerWithin bounds a request, but not a stream of events: a report of a long run and a submission that waits for agents take more time
	// than the server gives to others.
	answerWithin = 5 * time.Minute
)

// noPage are the rules of a browser for an answer that is not a page.
const (
	policyHeader = "Content-Security-Policy"
	noPage       = "default-src 'none'; frame-ancestors 'none'; sandbox"
)

// Server serves the routes.
type Server struct {
	config  Config
	mux     *http.ServeMux
	origin  *http.CrossOriginProtection
	client  *remote.Client
	reports chan struct{} // has an element for each report that is made
	openAPI []byte
	// languages has a phrase.Translator for each language that a request has asked for.
	languages sync.Map
	hubs      *hubs
	running   context.Context //nolint:containedctx // ends with Stop
	stop      context.CancelFunc
}

// New returns a server of all routes.
func New(config Config) (*Server, error) {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config: config, mux: http.NewServeMux(), origin: http.NewCrossOriginProtection(),
		client:  remote.New(config.Coordinator, nil, "this process"),
		reports: make(chan struct{}, maxReports),
	}
	s.running, s.stop = context.WithCancel(context.Background())
	s.hubs = &hubs{follow: s.follow, byID: make(map[string]*followed)}
	methods := make(map[string][]string) // by path
	for _, route := range Routes() {
		methods[route.Path] = append(methods[route.Path], route.Method)
		s.mux.HandleFunc(route.Method+" "+Prefix+route.Path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, route) })
	}
	for path, allowed := range methods {
		s.mux.HandleFunc(Prefix+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, &statusError{http.StatusMethodNotAllowed, fmt.Sprintf("%s %s is not served: use %s", r.Method, r.URL.Path, strings.Join(allowed, " or "))})
		})
	}
	s.mux.HandleFunc(Prefix+"/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, wire.Errorf(wire.ErrNotFound, "unknown path %s%s: %s/openapi.json lists the paths", r.URL.Path, meantPath(r.URL.Path), Prefix))
	})
	var err error
	if s.openAPI, err = Describe(config.Version); err != nil {
		return nil, err
	}
	return s, nil
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set(policyHeader, noPage)
	h.Set("Cache-Control", "no-store")
	if err := CheckHost(r); err != nil {
		fail(w, err)
		return
	}
	if err := s.origin.Check(r); err != nil {
		fail(w, &statusError{http.StatusForbidden, "the page of another site sends this request: " + err.Error()})
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Stop ends all streams of events, so that a server can stop, and returns when nothing is followed any more.
func (s *Server) Stop() {
	s.stop()
	s.hubs.wait()
}

// CheckHost refuses requests over a loopback connection in plain text whose host is a name of the network: a page of another site can let
// its own name point to this machine, and a browser then takes this server for that site.
func CheckHost(r *http.Request) error {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if r.TLS != nil || at == nil || !at.IP.IsLoopback() {
		return nil
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return nil
	}
	return &statusError{http.StatusMisdirectedRequest, fmt.Sprintf("unknown host %q: over loopback, use http://127.0.0.1 or http://localhost", host)}
}

// answer serves a request of a route.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, route Route) {
	ctx, leave := s.config.Coordinator.As(r)
	defer leave()
	q := &request{ResponseWriter: w, r: r, ctx: ctx, route: route}
	err := q.read()
	if err == nil && route.Body == nil {
		err = q.extend()
	}
	if err == nil {
		err = route.serve(s, q)
	}
	switch {
	case err == nil, r.Context().Err() != nil:
	case q.begun && q.Header().Get("Content-Type") == eventMedia: // the client has left, or its certificate has ended
	case q.begun: // too late for an answer with a status
		s.config.Logger.Debug("an answer was cut off", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	case s.config.Cure != nil && statusOf(err) == http.StatusUnauthorized:
		Refuse(w, http.StatusUnauthorized, err.Error()+"; "+s.config.Cure(r))
	default:
		fail(w, err)
	}
}

// Refuse answers a request that is not admitted, with the document of an error.
func Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	fail(w, &statusError{status, message})
}

// request is a request with its answer.
type request struct {
	http.ResponseWriter
	r     *http.Request
	ctx   context.Context //nolint:containedctx // of the request's peer
	route Route
	begun bool // the answer has been started
}

// extend gives a request that has been read whole the time for its answer. The time limit for reading would end it otherwise.
func (q *request) extend() error {
	control := http.NewResponseController(q.ResponseWriter)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Now().Add(answerWithin))); err != nil {
		return fmt.Errorf("extend the time of a request: %w", err)
	}
	return nil
}

// read checks the parameters and the type of the body. It reports all mistakes.
func (q *request) read() error {
	var problems parametersError
	known := make(map[string]Parameter)
	for _, p := range q.route.Parameters {
		known[p.Name] = p
	}
	given := q.r.URL.Query()
	for _, p := range q.route.Parameters {
		values := given[p.Name]
		if len(values) == 0 && p.Required {
			problems = append(problems, Problem{Place: p.Name, Message: "is missing: " + p.Doc})
		}
		if len(values) > 1 && !p.Repeated {
			problems = append(problems, Problem{Place: p.Name, Message: "is given more than once"})
		}
		for _, v := range values {
			if message := p.check(v); message != "" {
				problems = append(problems, Problem{Place: p.Name, Message: message})
			}
		}
	}
	problems = append(problems, unknown(given, known)...)
	if len(problems) > 0 {
		return problems
	}
	if q.route.Body == nil {
		return nil
	}
	if media, _, _ := strings.Cut(q.r.Header.Get("Content-Type"), ";"); strings.TrimSpace(media) != jsonMedia {
		return &statusError{http.StatusUnsupportedMediaType, "the body must be JSON: send the header Content-Type: " + jsonMedia}
	}
	q.r.Body = http.MaxBytesReader(q.ResponseWriter, q.r.Body, bodyLimit)
	return nil
}

// text returns the value of a parameter; empty if it is not given.
func (q *request) text(name string) string { return q.r.URL.Query().Get(name) }

// texts returns the values of a parameter.
func (q *request) texts(name string) []string { return q.r.URL.Query()[name] }

// is reports whether a parameter that is true by default is not false.
func (q *request) is(name string) bool { return q.text(name) != "false" }

// number returns the value of a parameter, or one for none.
func (q *request) number(name string, byDefault int) int {
	if n, err := number(q.text(name)); err == nil {
		return n
	}
	return byDefault
}

// time returns the value of a parameter; zero if it is not given.
func (q *request) time(name string) time.Time {
	at, _ := instant(q.text(name))
	return at
}

// id is the id in the path.
func (q *request) id() string { return q.r.PathValue("id") }

// name is the name in the path.
func (q *request) name() string { return q.r.PathValue("name") }

// from describes a client that has no identity.
func (q *request) from() string { return "an HTTP client at " + q.r.RemoteAddr }

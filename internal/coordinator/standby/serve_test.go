package standby_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/standby"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

// site is a standby with its ports.
type site struct {
	t         *testing.T
	candidate *standby.Candidate
	rpc, web  *standby.Listener
	lease     *lease
	end       context.CancelFunc
	ended     chan error
}

// serve starts a standby of a leader.
func serve(t *testing.T, leader archive.Leader) *site {
	t.Helper()
	at := new(server)
	_, err := at.lease().Lead(t.Context(), leader)
	require.NoError(t, err)
	at.until = time.Now().Add(time.Hour)
	registry := debugserver.NewRegistry("test")
	s := &site{t: t, lease: at.lease(), ended: make(chan error, 1)}
	s.candidate = standby.New(standby.Config{Lease: s.lease, Me: archive.Leader{Boot: "b"}, Registerer: registry})
	listen := func() *standby.Listener {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		return standby.Share(l)
	}
	s.rpc, s.web = listen(), listen()
	var ctx context.Context
	ctx, s.end = context.WithCancel(t.Context())
	go func() {
		s.ended <- s.candidate.Stand(ctx, func(ctx context.Context) error {
			return s.candidate.Serve(ctx, standby.ServerConfig{
				Limits: security.Limits{Connections: 64, Strangers: 64, OfPeer: 64, Admission: time.Minute, Logger: slog.New(slog.DiscardHandler)},
				HTTP:   debugserver.ServerConfig{Registry: registry, Logger: slog.New(slog.DiscardHandler)},
			}, s.rpc.Next(), s.web.Next())
		})
	}()
	t.Cleanup(func() {
		s.end()
		<-s.ended
		require.NoError(t, s.rpc.Close())
		require.NoError(t, s.web.Close())
	})
	return s
}

// request makes an HTTP request, and does not follow its answer.
func (s *site) request(method, path string) (status int, location, body string) {
	s.t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.web.Addr().String()+path, strings.NewReader("{}"))
	require.NoError(s.t, err)
	answer, err := client.Do(r)
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, answer.Header.Get("Location"), string(text)
}

// call makes a call of gRPC, and returns its error.
func (s *site) call(method string) error {
	s.t.Helper()
	conn, err := grpc.NewClient(s.rpc.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(s.t, err)
	defer func() { _ = conn.Close() }()
	return wire.FromStatus(conn.Invoke(s.t.Context(), method, &emptypb.Empty{}, &emptypb.Empty{}))
}

func TestAStandbyRefersAllClientsToTheLeader(t *testing.T) {
	s := serve(t, archive.Leader{Boot: "a", RPC: "a.example:7070", HTTP: "https://a.example:7071"})
	for _, method := range []string{"/benchd.v1.RunService/Cancel", "/benchd.v1.AgentService/Session", "/benchd.v1.EnrollService/Enroll", "/benchd.v2.NewService/New"} {
		require.Equal(t, "a.example:7070", wire.LeaderOf(s.call(method)), method)
	}
	for _, request := range []struct{ method, path string }{
		{"GET", "/api/v1/suites?limit=2&name=a%20b"},
		{"POST", "/api/v1/suites"},
		{"DELETE", "/api/v1/suites/x"},
		{"GET", "/console/"},
		{"GET", "/console/runs%2Fx"},
		{"GET", "/sd/agents"},
		{"HEAD", "/api/v1/agents"},
	} {
		status, location, _ := s.request(request.method, request.path)
		require.Equal(t, http.StatusTemporaryRedirect, status, request)
		require.Equal(t, "https://a.example:7071"+request.path, location)
	}
}

func TestAStandbyShowsItsOwnState(t *testing.T) {
	s := serve(t, archive.Leader{Boot: "a", RPC: "a.example:7070", HTTP: "a.example:7071"})
	status, _, _ := s.request("GET", "/healthz")
	require.Equal(t, http.StatusOK, status)
	status, _, body := s.request("GET", "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "not ready: it is a standby of a.example:7070\n", body)
	status, _, body = s.request("GET", "/metrics")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "\nbenchd_leader 0\n")
	_, location, _ := s.request("GET", "/api/v1/agents")
	require.Equal(t, "http://a.example:7071/api/v1/agents", location)
}

func TestAStandbyOfALeaderWithoutHTTPNamesTheCure(t *testing.T) {
	s := serve(t, archive.Leader{Boot: "a", RPC: "a.example:7070"})
	status, location, body := s.request("GET", "/api/v1/suites")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Empty(t, location)
	require.Contains(t, body, "start it with --http")
}

func TestTheSamePortsServeTheLeader(t *testing.T) {
	s := serve(t, archive.Leader{Boot: "a", RPC: "a.example:7070", HTTP: "a.example:7071"})
	require.ErrorIs(t, s.call("/benchd.v1.RunService/About"), wire.ErrStandby)
	s.lease.at.mu.Lock()
	s.lease.at.until = time.Now()
	s.lease.at.mu.Unlock()
	require.NoError(t, <-s.ended)
	s.ended <- nil
	require.True(t, s.candidate.Leads())

	next := s.web.Next()
	leading := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "leader") }), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- leading.Serve(next) }()
	require.Equal(t, s.web.Addr(), next.Addr())
	status, _, body := s.request("GET", "/api/v1/suites")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "leader", body)
	require.NoError(t, leading.Close())
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}

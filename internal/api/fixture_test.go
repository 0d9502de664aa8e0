package api_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a coordinator with two agents, whose API a client uses as curl does. Each answer is compared with the OpenAPI document.
type service struct {
	t       *testing.T
	url     string
	client  *http.Client
	remote  *remote.Client
	checker checker
	served  *api.Server
}

func newService(t *testing.T) *service {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	cluster, err := dev.Start(t.Context(), dev.Config{Version: "v1-test", Agents: 2, Logger: logger})
	require.NoError(t, err)
	served, err := api.New(api.Config{Coordinator: cluster.Coordinator.Conn(), Targets: all.Targets(), Version: "v1-test", Logger: logger})
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	server := debugserver.NewServer(debugserver.ServerConfig{
		Registry: debugserver.NewRegistry("v1-test"), Logger: logger, Trees: map[string]http.Handler{api.Prefix + "/": served}, OnStop: served.Stop,
	})
	go func() { ended <- server.Run(ctx, l) }()
	transport := new(http.Transport)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, cluster.Close())
	})
	s := &service{
		t: t, url: "http://" + l.Addr().String() + api.Prefix, client: &http.Client{Timeout: tolerance.Patience, Transport: transport},
		remote: remote.New(cluster.Conn(), nil, "this process"), checker: newChecker(t), served: served,
	}
	require.Eventually(t, func() bool {
		agents, err := s.remote.Agents(t.Context())
		return err == nil && len(agents) == 2
	}, tolerance.Patience, 10*time.Millisecond)
	return s
}

// answer is an answer with its body.
type answer struct {
	*http.Response
	body []byte
}

// do sends a request as curl would, and compares its answer with the OpenAPI document.
func (s *service) do(method, path, body string, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.client.Do(req)
	require.NoError(s.t, err, "%s %s", method, path)
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, resp.Body.Close())
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		require.NoError(s.t, s.checker.check(resp, text), "%s %s: %d %.2000s", method, path, resp.StatusCode, text)
	}
	return answer{resp, text}
}

func (s *service) get(path string, headers ...string) answer {
	s.t.Helper()
	return s.do("GET", path, "", headers...)
}

// read reads a document.
func read[T any](s *service, path string) (of T) {
	s.t.Helper()
	a := s.get(path)
	require.Equal(s.t, http.StatusOK, a.StatusCode, "%s: %s", path, a.body)
	require.NoError(s.t, json.Unmarshal(a.body, &of))
	return of
}

// mistake reads an error.
func (a answer) mistake(t *testing.T) api.Mistake {
	t.Helper()
	var d api.ErrorDocument
	require.NoError(t, json.Unmarshal(a.body, &d), "%s", a.body)
	require.NotEmpty(t, d.Error.Message)
	return d.Error
}

// submit submits settings, and waits for the end if wait is set.
func (s *service) submit(name string, tags map[string]string, wait bool, settings ...string) (id string) {
	s.t.Helper()
	sub := spec.Submission{Name: name, Tags: tags}
	for _, text := range append([]string{"db=null", "recordcount=1000", "target=400", "threads=1"}, settings...) {
		key, value, _ := strings.Cut(text, "=")
		sub.Properties = append(sub.Properties, spec.Setting{Key: key, Value: value})
	}
	id, _, err := s.remote.Submit(s.t.Context(), remote.Request{Submission: sub, Agents: 2, SubmittedBy: "anna"})
	require.NoError(s.t, err)
	if wait {
		require.NoError(s.t, s.remote.Watch(s.t.Context(), id, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	}
	return id
}

package debugserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server until the test ends or stop is called, which returns Run's error.
func serve(t *testing.T, c ServerConfig) (url string, stop func() error) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.Registry, c.Logger = NewRegistry("v1-test"), slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- NewServer(c).Run(ctx, l) }()
	stop = func() error { cancel(); return <-done }
	return "http://" + l.Addr().String(), stop
}

func get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	client := &http.Client{Timeout: tolerance.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	require.NoError(t, err)
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestServerServesOnlyItsPaths(t *testing.T) {
	var ready atomic.Bool
	url, stop := serve(t, ServerConfig{
		Ready: func() error {
			if ready.Load() {
				return nil
			}
			return errors.New("the archive is being opened")
		},
		Handlers: map[string]http.Handler{
			"/sd/agents": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }),
		},
		Trees: map[string]http.Handler{
			"/tree/": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Method+" "+r.URL.Path) }),
		},
	})
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"POST", "/tree/leaf", 200, "POST /tree/leaf"},
		{"GET", "/tree/leaf", 200, "GET /tree/leaf"},
		{"GET", "/", 200, "/tree/"},
		{"GET", "/metrics", 200, "go_goroutines"},
		{"GET", "/metrics", 200, "process_cpu_seconds_total"},
		{"GET", "/metrics", 200, `benchd_build_info{version="v1-test"} 1`},
		{"GET", "/healthz", 200, "ok"},
		{"GET", "/readyz", 503, "not ready: the archive is being opened"},
		{"GET", "/sd/agents", 200, "[]"},
		{"GET", "/", 200, "/sd/agents"},
		{"GET", "/debug/pprof/", 404, ""},
		{"POST", "/sd/agents", 405, ""},
	} {
		status, body := get(t, test.method, url+test.path)
		require.Equal(t, test.status, status, test.path)
		require.Contains(t, body, test.body)
	}
	ready.Store(true)
	status, _ := get(t, "GET", url+"/readyz")
	require.Equal(t, 200, status)
	require.NoError(t, stop())
}

func TestProfilesAreOffByDefault(t *testing.T) {
	url, stop := serve(t, ServerConfig{Profiles: true})
	for path, want := range map[string]string{
		"/debug/pprof/": "goroutine", "/debug/pprof/goroutine?debug=1": "goroutine profile", "/debug/pprof/cmdline": "debugserver", "/": "/debug/pprof/",
	} {
		status, body := get(t, "GET", url+path)
		require.Equal(t, 200, status, path)
		require.Contains(t, body, want, path)
	}
	require.NoError(t, stop())
}

func TestMetricNamesFollowPrometheusConventions(t *testing.T) {
	problems, err := testutil.GatherAndLint(NewRegistry("v1-test"))
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestShutdownLetsRequestsFinish(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	url, stop := serve(t, ServerConfig{Handlers: map[string]http.Handler{
		"/slow": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked)
			<-answer
			_, _ = io.WriteString(w, "whole")
		}),
	}})
	bodies := make(chan string)
	go func() {
		_, body := get(t, "GET", url+"/slow")
		bodies <- body
	}()
	<-asked
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	require.Eventually(t, func() bool { // the listener closes before the answer is there
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", url[len("http://"):])
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, tolerance.Patience, time.Millisecond)
	close(answer)
	require.Equal(t, "whole", <-bodies)
	require.NoError(t, <-stopped)
}

func TestServerReturnsItsError(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	server := NewServer(ServerConfig{Registry: NewRegistry("v1-test"), Logger: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, server.Run(t.Context(), l), "serve HTTP on 127.0.0.1:")
}

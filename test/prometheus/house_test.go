//go:build integration

package prometheus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait for something that should happen soon.
const patience = 30 * time.Second

// tools are the folders of programs that the tests need.
var tools struct{ benchd, prometheus string }

func TestMain(m *testing.M) { os.Exit(prepare(m)) }

func prepare(m *testing.M) int {
	dir, err := os.MkdirTemp("", "benchd-prometheus-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tools.benchd = dir
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", dir, "../../cmd/...")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	find := exec.CommandContext(ctx, "../../scripts/prometheus")
	find.Stderr = os.Stderr
	found, err := find.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "find Prometheus:", err)
		return 1
	}
	tools.prometheus = strings.TrimSpace(string(found))
	return m.Run()
}

// buffer collects what a process prints while it runs.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts a program and ends it with the test.
func start(t *testing.T, program string, args ...string) {
	t.Helper()
	var log buffer
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			text := log.String()
			t.Logf("%s printed:\n%s", filepath.Base(program), text[max(0, len(text)-4000):])
		}
	})
}

// run runs a program to its end and gives what it printed on standard output.
func run(t *testing.T, stdin io.Reader, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errOut
	require.NoError(t, cmd.Run(), "%s %v: %s%s", filepath.Base(program), args, out.String(), errOut.String())
	return out.String()
}

func eventually(t *testing.T, ok func() bool, format string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, fmt.Sprintf(format, args...))
		}
	}
}

// address finds one that is free now.
func address(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// get reads a page; ok is false when there is none.
func get(t *testing.T, page string) (body []byte, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, http.NoBody)
	require.NoError(t, err)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, false
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	return body, err == nil && resp.StatusCode == http.StatusOK
}

// server is a Prometheus.
type server struct {
	t    *testing.T
	base string
}

// prometheus starts one with the configuration of deploy/, on the coordinator at an address.
func prometheus(t *testing.T, coordinator string, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	const deployed = "../../deploy/prometheus/"
	config, err := os.ReadFile(deployed + "prometheus.yml")
	require.NoError(t, err)
	text := strings.NewReplacer("127.0.0.1:7071", coordinator, "_interval: 5s", "_interval: 1s", "_interval: 10s", "_interval: 1s").Replace(string(config))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(text), 0o600))
	rules, err := os.ReadFile(deployed + "benchd.rules.yml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "benchd.rules.yml"), rules, 0o600))
	listen := address(t)
	start(t, filepath.Join(tools.prometheus, "prometheus"), append([]string{
		"--config.file=" + filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + listen,
	}, args...)...)
	return &server{t: t, base: "http://" + listen}
}

// sample is a series of an answer, with its value now.
type sample struct {
	Metric map[string]string `json:"metric"`
	Value  json.RawMessage   `json:"value"`
	Bucket json.RawMessage   `json:"histogram"`
}

// value is the number of a sample.
func (s *sample) value(t *testing.T) float64 {
	t.Helper()
	var pair []any
	require.NoError(t, json.Unmarshal(s.Value, &pair))
	text, ok := pair[1].(string)
	require.True(t, ok)
	var f float64
	_, err := fmt.Sscan(text, &f)
	require.NoError(t, err)
	return f
}

// ask asks for the present value of an expression.
func (s *server) ask(expr string) []sample {
	s.t.Helper()
	body, ok := get(s.t, s.base+"/api/v1/query?query="+url.QueryEscape(expr))
	require.True(s.t, ok, "%s: %s", expr, body)
	var answer struct {
		Status string
		Data   struct{ Result []sample }
	}
	require.NoError(s.t, json.Unmarshal(body, &answer), "%s", body)
	require.Equal(s.t, "success", answer.Status, "%s: %s", expr, body)
	return answer.Data.Result
}

// number asks for the one number that an expression has; ok is false when it has none.
func (s *server) number(expr string) (f float64, ok bool) {
	s.t.Helper()
	answer := s.ask(expr)
	if len(answer) == 0 {
		return 0, false
	}
	require.Len(s.t, answer, 1, expr)
	return answer[0].value(s.t), true
}

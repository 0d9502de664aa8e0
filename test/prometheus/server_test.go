//go:build integration

package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// TestMain builds the programs; see testcluster.Main.
func TestMain(m *testing.M) { os.Exit(testcluster.Main(m)) }

// tool returns the path of a program of Prometheus.
func tool(t *testing.T, name string) string {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, 3*time.Minute, filepath.Join(testcluster.Root(), "scripts", "prometheus"))
	require.Zero(t, code, stderr)
	return filepath.Join(strings.TrimSpace(stdout), name)
}

// promtool requires that promtool finds no mistakes.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, time.Minute, tool(t, "promtool"), args...)
	require.Zero(t, code, "promtool %v: %s%s", args, stdout, stderr)
}

// get reads a page; ok is false if there is none.
func get(t *testing.T, page string) (body []byte, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testcluster.Patience)
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

// server is a Prometheus at work.
type server struct {
	t    *testing.T
	base string
}

// prometheus starts one with the configuration of deploy/ without certificates, on the coordinator at an address.
func prometheus(t *testing.T, coordinator string, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	const deployed = "../../deploy/prometheus/"
	config, err := os.ReadFile(deployed + "local.yml")
	require.NoError(t, err)
	text := strings.NewReplacer("127.0.0.1:7071", coordinator, "_interval: 5s", "_interval: 1s", "_interval: 10s", "_interval: 1s").Replace(string(config))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(text), 0o600))
	rules, err := os.ReadFile(deployed + "benchd.rules.yml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "benchd.rules.yml"), rules, 0o600))
	listen := "127.0.0.1:" + testcluster.Port(t)
	testcluster.Start(t, nil, tool(t, "prometheus"), append([]string{
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

// ask queries the present value of an expression.
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

// number queries an expression with one value; ok is false if it has none.
func (s *server) number(expr string) (f float64, ok bool) {
	s.t.Helper()
	answer := s.ask(expr)
	if len(answer) == 0 {
		return 0, false
	}
	require.Len(s.t, answer, 1, expr)
	return answer[0].value(s.t), true
}

//go:build integration

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The secrets of the test, one for each form of a reference. None of them may be found anywhere but in a request to the endpoint.
const (
	fileCanary = "canary-file-7d21c4f0"
	envCanary  = "canary-env-93be55a1"
	unitCanary = "canary-unit-c08f1e6b"
)

// guardedEndpoint is an endpoint of metrics that demands credentials, and counts who has come with which.
type guardedEndpoint struct {
	mu      sync.Mutex
	used    map[string]int // requests by credentials
	refused int
}

func (g *guardedEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	got := r.Header.Get("Authorization")
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("anna:"+fileCanary))
	if !slices.Contains([]string{"Bearer " + fileCanary, "Bearer " + envCanary, "Bearer " + unitCanary, basic}, got) {
		g.refused++
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	g.used[got]++
	fmt.Fprintln(w, "guarded_jobs 42")
}

// needles are the canaries, and what else reveals them.
func needles() []string {
	all := []string{fileCanary, envCanary, unitCanary}
	for _, one := range all[:3] {
		all = append(all, base64.StdEncoding.EncodeToString([]byte(one)))
	}
	return append(all, base64.StdEncoding.EncodeToString([]byte("anna:"+fileCanary)))
}

// requireNoSecret checks that a content has none of the secrets.
func requireNoSecret(t *testing.T, where string, content []byte) {
	t.Helper()
	for _, one := range needles() {
		require.Falsef(t, bytes.Contains(content, []byte(one)), "%s contains %s", where, one)
	}
}

// processes returns the command lines and environments of all processes of the machine. Without is the process whose environment is
// left out.
func processes(t *testing.T, without ...int) []byte {
	t.Helper()
	var all []byte
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range dirs {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // the process may have ended
		all = append(all, line...)
		if slices.Contains(without, pid(t, dir)) {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		all = append(all, environment...)
	}
	return all
}

func pid(t *testing.T, dir string) int {
	t.Helper()
	var n int
	_, err := fmt.Sscanf(filepath.Base(dir), "%d", &n)
	require.NoError(t, err)
	return n
}

// guardedCluster is a coordinator with two agents that have all secrets.
type guardedCluster struct {
	*testcluster.Cluster
	agents   []*testcluster.Process
	spool    string
	endpoint *guardedEndpoint
	url      string
}

func newGuardedCluster(t *testing.T) *guardedCluster {
	t.Helper()
	h := &guardedCluster{Cluster: testcluster.New(t), spool: t.TempDir(), endpoint: &guardedEndpoint{used: make(map[string]int)}}
	server := httptest.NewServer(h.endpoint)
	t.Cleanup(server.Close)
	h.url = server.URL
	secrets, unit := t.TempDir(), t.TempDir()
	for _, dir := range []string{secrets, unit} {
		require.NoError(t, os.Chmod(dir, 0o750))
	}
	require.NoError(t, os.WriteFile(filepath.Join(secrets, "token"), []byte(fileCanary+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(unit, "token"), []byte(unitCanary), 0o400))
	t.Setenv("BENCHD_SECRET_TOKEN", envCanary)
	t.Setenv("CREDENTIALS_DIRECTORY", unit)
	for _, name := range []string{"a", "b"} {
		h.agents = append(h.agents, h.Agent(name, "--secrets", secrets, "--spool", filepath.Join(h.spool, name), "--hook", "dump=sh -c 'env | grep BENCHD_'", "--log-level", "debug"))
	}
	require.NoError(t, os.Unsetenv("BENCHD_SECRET_TOKEN"))
	h.Connected(2)
	return h
}

// everywhere returns all that the cluster has stored and printed, and what processes show.
func (h *guardedCluster) everywhere(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"the archive": testcluster.Stored(t, h.Dir), "the spools": testcluster.Stored(t, h.spool), "the coordinator's log": []byte(h.Coordinator.Log()),
		"/proc": processes(t, h.agents[0].ID(), h.agents[1].ID()),
	}
	for i, a := range h.agents {
		all[fmt.Sprintf("the log of agent %d", i)] = []byte(a.Log())
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", a.ID()))
		require.NoError(t, err)
		// A variable is where the agent's operator has put it, and its own user can read it: SECURITY.md says so.
		all[fmt.Sprintf("the environment of agent %d", i)] = bytes.Replace(environment, []byte("BENCHD_SECRET_TOKEN="+envCanary), nil, 1)
	}
	return all
}

func TestASecretIsOnlyInMemoryAndInTheRequest(t *testing.T) {
	h := newGuardedCluster(t)
	suite := filepath.Join(t.TempDir(), "suite.yaml")
	require.NoError(t, os.WriteFile(suite, []byte(`suite: guarded
properties: {db: "null", recordcount: 100, duration: 3s, null.service: constant 1ms, telemetry.interval: 200ms, measurementtype: hdrhistogram+raw,
  telemetry.endpoints: "guarded=`+h.url+`", telemetry.metrics: guarded_jobs}
scenarios:
- name: tokens
  agents: 2
  matrix: {telemetry.bearer: ["file:token", "env:BENCHD_SECRET_TOKEN", "credential:token"]}
  actions: [{at: 1s, do: hook dump}]
- name: password
  agents: 2
  properties: {telemetry.user: anna, telemetry.password: "file:token"}
`), 0o600))
	var printed []byte
	ctl := func(args ...string) string {
		stdout, stderr, code := h.Ctl(args...)
		require.Zero(t, code, stderr)
		printed = append(append(printed, stdout...), stderr...)
		return stdout
	}
	id := strings.TrimSpace(ctl("submit", "-f", suite))
	var shown []byte
	testcluster.Eventually(t, 4*testcluster.Patience, func() bool {
		shown = append(shown, processes(t, h.agents[0].ID(), h.agents[1].ID())...)
		return strings.Contains(ctl("list", "-o", "json"), `"complete"`)
	}, "the suite should become complete")
	requireNoSecret(t, "/proc during the runs", shown)

	for i := range 4 {
		r := testcluster.Parse(t, ctl("show", fmt.Sprintf("%s.%d", id, i+1), "-o", "json"))
		testcluster.RequireConsistent(t, r, 2)
		require.Empty(t, r.Warnings)
		measured := r.Phases[len(r.Phases)-1].Observations
		i := slices.IndexFunc(measured, func(o result.Observation) bool { return o.Name == "guarded_jobs" })
		require.GreaterOrEqual(t, i, 0, "the endpoint was read with the secret")
		require.InDelta(t, 42, measured[i].Points[0][1], 0)
	}
	h.endpoint.mu.Lock()
	require.Len(t, h.endpoint.used, 4, "each secret was used")
	require.Zero(t, h.endpoint.refused)
	h.endpoint.mu.Unlock()

	whole := ctl("show", id, "-o", "json")
	require.Contains(t, whole, "BENCHD_HOOK=dump", "the hook has printed its environment")
	ctl("show", id)
	ctl("watch", id)
	out := t.TempDir()
	ctl("export", id, "--out", filepath.Join(out, "suite.benchd"))
	formats, _, _ := strings.Cut(strings.SplitAfterN(ctl("report", "--help"), "formats to write: ", 2)[1], "\n")
	formats, _, _ = strings.Cut(formats, " (default")
	ctl("report", id, "--out", out, "--format", strings.ReplaceAll(formats, ", ", ","))
	all := h.everywhere(t)
	all["the output of benchctl"], all["exports and reports"] = printed, testcluster.Stored(t, out)
	for where, content := range all {
		requireNoSecret(t, where, content)
	}
	// The test of the test: what may be stored is found in the same places.
	for _, where := range []string{"the archive", "the output of benchctl", "exports and reports"} {
		require.True(t, bytes.Contains(all[where], []byte("env:BENCHD_SECRET_TOKEN")), where)
	}
}

func TestASecretThatCannotBeResolvedFailsTheRunBeforeItMeasures(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a")
	_, stderr, code := h.Ctl("submit", "--db", "null", "--duration", "1s", "-p", "recordcount=100", "-p", "telemetry.endpoints=n=http://127.0.0.1:1",
		"-p", "telemetry.bearer=file:/etc/passwd", "--wait")
	require.Equal(t, 1, code, stderr)
	require.Contains(t, stderr, "telemetry.bearer: resolve file:/etc/passwd: the agent releases no files; start it with --secrets")
}

func TestASecretInsteadOfAReferenceIsRefusedAndStoredNowhere(t *testing.T) {
	h := newGuardedCluster(t)
	dir := t.TempDir()
	properties, suite := filepath.Join(dir, "w"), filepath.Join(dir, "s.yaml")
	require.NoError(t, os.WriteFile(properties, []byte("telemetry.endpoints=n="+h.url+"\ntelemetry.bearer="+fileCanary+"\n"), 0o600))
	require.NoError(t, os.WriteFile(suite, []byte("suite: s\nproperties: {db: 'null', recordcount: 100, duration: 1s}\nscenarios:\n- name: a\n"+
		"  matrix: {telemetry.bearer: ["+fileCanary+", "+fileCanary+"]}\n"), 0o600))
	for name, args := range map[string][]string{
		"properties":   {"submit", "--db", "null", "--duration", "1s", "-P", properties},
		"suite":        {"submit", "-f", suite},
		"command line": {"submit", "--db", "null", "--duration", "1s", "-p", "telemetry.bearer=" + fileCanary},
		"address":      {"submit", "--db", "null", "--duration", "1s", "-p", "telemetry.endpoints=n=http://anna:" + fileCanary + "@127.0.0.1:1"},
		"validate":     {"validate", "--db", "null", "--duration", "1s", "-P", properties},
	} {
		var stdout, stderr string
		var code int
		if name == "validate" {
			stdout, stderr, code = testcluster.Run(t, testcluster.Patience, "benchctl", args...)
		} else {
			stdout, stderr, code = h.Ctl(args...)
		}
		require.Equal(t, 2, code, "%s: %s", name, stderr)
		require.Contains(t, stderr, "reference", name)
		requireNoSecret(t, name, []byte(stdout+stderr))
	}
	for where, content := range h.everywhere(t) {
		requireNoSecret(t, where, content)
	}
	stdout, _, code := h.Ctl("list", "-o", "json")
	require.Zero(t, code)
	require.JSONEq(t, "[]", stdout)
}

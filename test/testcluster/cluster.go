package testcluster

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/result"
)

// Cluster is a coordinator with its archive and agents.
type Cluster struct {
	Address     string // where benchctl and agents reach it
	HTTP        string
	Dir         string // of the archive
	Coordinator *Process
	Flags       []string      // of the coordinator, besides those that each has
	CA          *certstest.CA // that has issued all certificates; nil without TLS

	t   *testing.T
	ctl []string // flags of benchctl
}

// New starts a coordinator on a new archive, with optional flags.
func New(t *testing.T, flags ...string) *Cluster {
	t.Helper()
	h := &Cluster{t: t, Flags: flags, Dir: t.TempDir(), Address: "127.0.0.1:" + Port(t), HTTP: "127.0.0.1:" + Port(t)}
	h.Open()
	return h
}

// Open starts the coordinator, after it has ended, and waits until it answers.
func (h *Cluster) Open() {
	h.t.Helper()
	flags := append([]string{"coordinator", "--listen", h.Address, "--http", h.HTTP, "--data", h.Dir}, h.Flags...)
	h.Coordinator = Start(h.t, nil, "benchd", flags...)
	Eventually(h.t, Patience, func() bool {
		_, _, code := h.Ctl("list")
		return code == 0
	}, "the coordinator should answer; it printed: %s", h.Coordinator.Log())
}

// Agent starts an agent.
func (h *Cluster) Agent(name string, args ...string) *Process {
	h.t.Helper()
	own := []string{"agent", "--coordinator", h.Address, "--name", name, "--metrics-listen", "127.0.0.1:0", "--write-below", os.TempDir()}
	return Start(h.t, nil, "benchd", slices.Concat(own, h.certificate(identity.Agent, name), args)...)
}

// Agents starts agents and waits until they are in the roster.
func (h *Cluster) Agents(names ...string) []*Process {
	h.t.Helper()
	var out []*Process
	for _, n := range names {
		out = append(out, h.Agent(n))
	}
	h.Connected(len(names))
	return out
}

// Connected waits until a number of agents is connected.
func (h *Cluster) Connected(n int) {
	h.t.Helper()
	Eventually(h.t, Patience, func() bool {
		stdout, _, _ := h.Ctl("agents", "-o", "json")
		return strings.Count(strings.ReplaceAll(stdout, " ", ""), `"connected":true`) == n
	}, "%d agents should be connected", n)
}

// Ctl runs benchctl on the coordinator to its end.
func (h *Cluster) Ctl(args ...string) (stdout, stderr string, code int) {
	h.t.Helper()
	return Run(h.t, 5*time.Minute, "benchctl", slices.Concat(args, []string{"--coordinator", h.Address}, h.ctl)...)
}

// Submit submits a run on the null target, unless flags name another, and returns its id.
func (h *Cluster) Submit(args ...string) string {
	h.t.Helper()
	stdout, stderr, code := h.Ctl(append([]string{"submit", "--db", "null"}, args...)...)
	require.Zero(h.t, code, stderr)
	return strings.TrimSpace(stdout)
}

// Status returns the status of a suite.
func (h *Cluster) Status(id string) string {
	h.t.Helper()
	stdout, stderr, code := h.Ctl("show", id, "-o", "json")
	require.Zero(h.t, code, stderr)
	var shown struct{ Status string } // of a suite, or of its only run
	require.NoError(h.t, json.Unmarshal([]byte(stdout), &shown), "%s", stdout)
	return shown.Status
}

// Show reads the result of a suite of one run.
func (h *Cluster) Show(id string) result.Run {
	h.t.Helper()
	stdout, stderr, code := h.Ctl("show", id, "-o", "json")
	require.Zero(h.t, code, stderr)
	return Parse(h.t, stdout)
}

// Until waits until a suite has a status.
func (h *Cluster) Until(id, status string) {
	h.t.Helper()
	Eventually(h.t, Patience, func() bool { return h.Status(id) == status }, "%s should become %s", id, status)
}

// Parse reads the result of a run as benchctl prints it with -o json.
func Parse(t *testing.T, text string) result.Run {
	t.Helper()
	var r result.Run
	require.NoError(t, json.Unmarshal([]byte(text), &r), "%s", text)
	return r
}

// Running waits until a run is active and has windows, and returns its suite's id.
func (h *Cluster) Running() string {
	h.t.Helper()
	var id string
	Eventually(h.t, Patience, func() bool {
		stdout, _, _ := h.Ctl("list", "-o", "json")
		id = newest(stdout)
		return id != "" && h.Status(id) == "running" && len(h.Show(id).Phases) > 0
	}, "a run should be running")
	return id
}

// newest returns the id of the newest suite in the output of list -o json.
func newest(text string) string {
	var suites []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal([]byte(text), &suites) != nil || len(suites) == 0 {
		return ""
	}
	return suites[0].ID
}

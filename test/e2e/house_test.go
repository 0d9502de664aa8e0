//go:build integration

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// patience bounds every wait for something that should happen at once.
const patience = 30 * time.Second

// programs holds the folder with the built programs.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "benchd-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", dir, "../../cmd/...")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}
	return m.Run()
}

// process is a program that runs.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	log  *buffer
	done chan struct{}
}

// buffer collects what a process prints; it can be read while the process runs.
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
func start(t *testing.T, stdout io.Writer, program string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: program + " " + strings.Join(args, " "), log: new(buffer), done: make(chan struct{})}
	// It is ended by the clean-up below, after the test has looked at it.
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(programs, program), args...)
	p.cmd.Stderr = p.log
	p.cmd.Stdout = io.Discard
	if stdout != nil {
		p.cmd.Stdout = stdout
	}
	p.cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // the state tells how it ended
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%s printed:\n%s", p.name, tail(p.log.String()))
		}
	})
	return p
}

func tail(s string) string {
	if len(s) > 4000 {
		return "…" + s[len(s)-4000:]
	}
	return s
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// exit waits for the process to end and gives its exit code.
func (p *process) exit(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		require.Fail(p.t, "the process does not end", "%s, within %s; it printed:\n%s", p.name, within, tail(p.log.String()))
	}
	return p.cmd.ProcessState.ExitCode()
}

// says waits until the process has printed a text on standard error.
func (p *process) says(text string) {
	p.t.Helper()
	eventually(p.t, patience, func() bool { return strings.Contains(p.log.String(), text) }, "%s should say %q", p.name, text)
}

func eventually(t *testing.T, within time.Duration, ok func() bool, format string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, fmt.Sprintf(format, args...))
		}
	}
}

// port finds a port that is free now.
func port(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	_, p, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return p
}

// house is a coordinator and what belongs to it.
type house struct {
	t           *testing.T
	dir         string
	address     string
	http        string
	coordinator *process
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), address: "127.0.0.1:" + port(t), http: "127.0.0.1:" + port(t)}
	h.open()
	return h
}

// open starts the coordinator and waits until it answers.
func (h *house) open() {
	h.t.Helper()
	h.coordinator = start(h.t, nil, "benchd", "coordinator", "--listen", h.address, "--http", h.http, "--data", h.dir)
	eventually(h.t, patience, func() bool {
		_, _, code := h.ctl("list")
		return code == 0
	}, "the coordinator should answer; it printed: %s", h.coordinator.log)
}

func (h *house) agent(name string, args ...string) *process {
	h.t.Helper()
	args = append([]string{"agent", "--coordinator", h.address, "--name", name, "--metrics-listen", "127.0.0.1:0"}, args...)
	return start(h.t, nil, "benchd", args...)
}

// agents starts agents and waits until they are in the roster.
func (h *house) agents(names ...string) []*process {
	h.t.Helper()
	var out []*process
	for _, n := range names {
		out = append(out, h.agent(n))
	}
	h.connected(len(names))
	return out
}

func (h *house) connected(n int) {
	h.t.Helper()
	eventually(h.t, patience, func() bool {
		stdout, _, _ := h.ctl("agents", "-o", "json")
		return strings.Count(strings.ReplaceAll(stdout, " ", ""), `"connected":true`) == n
	}, "%d agents should be connected", n)
}

// ctl runs benchctl on the coordinator to its end.
func (h *house) ctl(args ...string) (stdout, stderr string, code int) {
	h.t.Helper()
	return run(h.t, 5*time.Minute, "benchctl", append(args, "--coordinator", h.address)...)
}

// submit submits a run and gives its id.
func (h *house) submit(args ...string) string {
	h.t.Helper()
	stdout, stderr, code := h.ctl(append([]string{"submit", "--db", "null"}, args...)...)
	require.Zero(h.t, code, stderr)
	return strings.TrimSpace(stdout)
}

// status reads how a suite stands.
func (h *house) status(id string) string {
	h.t.Helper()
	return string(h.show(id).Status)
}

func (h *house) show(id string) result.Run {
	h.t.Helper()
	stdout, stderr, code := h.ctl("show", id, "-o", "json")
	require.Zero(h.t, code, stderr)
	return parse(h.t, stdout)
}

func (h *house) until(id, status string) {
	h.t.Helper()
	eventually(h.t, patience, func() bool { return h.status(id) == status }, "%s should become %s", id, status)
}

func parse(t *testing.T, text string) result.Run {
	t.Helper()
	var r result.Run
	require.NoError(t, json.Unmarshal([]byte(text), &r), "%s", text)
	return r
}

// run runs a program to its end.
func run(t *testing.T, within time.Duration, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, program), args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%s %v does not end; it printed: %s", program, args, errOut.String())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

const terminate = syscall.SIGTERM

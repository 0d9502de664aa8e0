package testcluster

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Process is a running program.
type Process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	log  buffer
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

// Start starts a program and ends it with the test. If stdout is nil, its standard output is discarded.
func Start(t *testing.T, stdout io.Writer, name string, args ...string) *Process {
	t.Helper()
	return run(t, stdout, name+" "+strings.Join(args, " "), Program(name), args)
}

// StartUnder starts a program by a command that replaces itself with it, such as "ip netns exec" or "taskset".
func StartUnder(t *testing.T, under []string, name string, args ...string) *Process {
	t.Helper()
	whole := append(append(slices.Clone(under[1:]), Program(name)), args...)
	return run(t, nil, name+" "+strings.Join(args, " "), under[0], whole)
}

func run(t *testing.T, stdout io.Writer, called, path string, args []string) *Process {
	t.Helper()
	p := &Process{t: t, name: called, done: make(chan struct{})}
	// It is ended by the clean-up below, after the test has looked at it.
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), path, args...)
	p.cmd.Stderr = &p.log
	p.cmd.Stdout = io.Discard
	if stdout != nil {
		p.cmd.Stdout = stdout
	}
	home := t.TempDir()
	// A program that is started again finds the state of the one before it, and the profiles: the folders of a test have one parent.
	parent := filepath.Dir(home)
	p.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(parent, "state"), "XDG_CONFIG_HOME="+filepath.Join(parent, "config"))
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // ProcessState has the result
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

// ID returns the process id.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Log returns the standard error of the process so far.
func (p *Process) Log() string { return p.log.String() }

// Signal sends a signal.
func (p *Process) Signal(s os.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Exit waits for the process to end and returns its exit code.
func (p *Process) Exit(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		require.Fail(p.t, "the process does not end", "%s, within %s; it printed:\n%s", p.name, within, tail(p.log.String()))
	}
	return p.cmd.ProcessState.ExitCode()
}

// Says waits until the process has printed a text on standard error.
func (p *Process) Says(text string) {
	p.t.Helper()
	Eventually(p.t, Patience, func() bool { return strings.Contains(p.log.String(), text) }, "%s should say %q", p.name, text)
}

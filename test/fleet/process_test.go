//go:build integration

package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// coordinator is a coordinator in a process of its own.
type coordinator struct {
	address, http, data string
	process             *os.Process
	peers               *peers
}

func startCoordinator(t *testing.T, p *peers) *coordinator {
	t.Helper()
	c := &coordinator{address: freeAddress(t), http: freeAddress(t), data: t.TempDir(), peers: p}
	args := append([]string{"coordinator", "--listen", c.address, "--http", c.http, "--data", c.data}, p.flags(t, identity.Coordinator, "c")...)
	if chosen.profile != "" {
		args = append(args, "--pprof")
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), testcluster.Program("benchd"), args...)
	log := new(bytes.Buffer)
	cmd.Stderr = log
	require.NoError(t, cmd.Start())
	c.process = cmd.Process
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text := log.String(); t.Failed() {
			t.Logf("the coordinator printed:\n%s", text[max(0, len(text)-8000):])
		}
	})
	c.answers(t)
	return c
}

// answers waits until the process is ready.
func (c *coordinator) answers(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !c.ready(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, "the process does not answer")
		}
	}
}

func (c *coordinator) ready(ctx context.Context) bool {
	_, err := c.get(ctx, "/readyz")
	return err == nil
}

func (c *coordinator) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.peers.scheme()+"://"+c.http+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Timeout: patience, Transport: c.peers.transport}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// profile starts a CPU profile of the coordinator for a number of seconds, if one is wanted; it does not wait for its end.
func (c *coordinator) profile(ctx context.Context, t *testing.T, name string, seconds int) (wait func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.keep(ctx, name+".cpu", fmt.Sprintf("profile?seconds=%d", seconds)) }()
	return func() { require.NoError(t, <-done) }
}

// keep writes a profile of the coordinator to a file, if profiles are wanted.
func (c *coordinator) keep(ctx context.Context, name, profile string) error {
	if chosen.profile == "" {
		return nil
	}
	text, err := c.get(ctx, "/debug/pprof/"+profile)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(chosen.profile, name+".pprof"), text, 0o600)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := freeport.Address()
	require.NoError(t, err)
	return address
}

// ctl runs benchctl and returns what it prints.
func (c *coordinator) ctl(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testcluster.Program("benchctl"), slices.Concat(args, []string{"--coordinator", c.address}, c.peers.ctl)...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	require.NoError(t, cmd.Run(), "benchctl %v: %s", args, errOut.String())
	return out.String()
}

func (c *coordinator) show(t *testing.T, id string) result.Run {
	t.Helper()
	for {
		run := parse(t, []byte(c.ctl(t, "show", id, "-o", "json")))
		if run.Status.Ended() {
			return run
		}
	}
}

// usage is the CPU time and the peak resident memory of the coordinator, and the CPU time of the agents.
type usage struct {
	cpu, agents time.Duration
	peak        int64
}

// usage reads the kernel's counters.
func (c *coordinator) usage(t *testing.T) usage {
	t.Helper()
	dir := "/proc/" + strconv.Itoa(c.process.Pid)
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	require.NoError(t, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var own syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	u := usage{agents: time.Duration(own.Utime.Nano() + own.Stime.Nano())}
	for _, f := range fields[11:13] { // in the kernel's hundredths of a second
		ticks, err := strconv.ParseInt(f, 10, 64)
		require.NoError(t, err)
		u.cpu += time.Duration(ticks) * 10 * time.Millisecond
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			require.NoError(t, err)
			u.peak = kib << 10
		}
	}
	return u
}

// archiveSize returns the size of the archive on disk.
func (c *coordinator) archiveSize(t *testing.T) int64 {
	t.Helper()
	var sum int64
	for _, name := range []string{"benchd.db", "benchd.db-wal"} {
		if info, err := os.Stat(filepath.Join(c.data, name)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

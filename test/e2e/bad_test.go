//go:build integration

package e2e

import (
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	_ "modernc.org/sqlite" // the driver, to make an archive of a later time

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/test/testcluster"
)

// coordinator runs `benchd coordinator`, which must end by itself.
func coordinator(t *testing.T, args ...string) (stderr string, code int) {
	t.Helper()
	p := testcluster.Start(t, nil, "benchd", append([]string{"coordinator"}, args...)...)
	code = p.Exit(testcluster.Patience)
	return p.Log(), code
}

// lastLine returns the last line of an output.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func TestACoordinatorThatCannotStartPrintsTheReason(t *testing.T) {
	t.Parallel() // it waits most of the time
	taken := testcluster.New(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("not a folder"), 0o600))
	newer := t.TempDir()
	later(t, newer)
	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "benchd.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))

	free := func() string { return "127.0.0.1:" + testcluster.Port(t) }
	tests := []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"port in use", []string{"--listen", taken.Address, "--http", free(), "--data", t.TempDir()}, 5, []string{taken.Address, "--listen"}},
		{"HTTP port in use", []string{"--listen", free(), "--http", taken.HTTP, "--data", t.TempDir()}, 5, []string{taken.HTTP, "--http"}},
		{"archive in use", []string{"--listen", free(), "--http", free(), "--data", taken.Dir}, 5, []string{taken.Dir}},
		{"data directory below a file", []string{"--listen", free(), "--http", free(), "--data", file + "/data"}, 5, []string{file}},
		{"archive of a later version", []string{"--listen", free(), "--http", free(), "--data", newer}, 5, []string{"newer"}},
		{"no archive at all", []string{"--listen", free(), "--http", free(), "--data", foreign}, 5, []string{"benchd.db"}},
		{"address that is not loopback", []string{"--listen", "0.0.0.0:0", "--http", free(), "--data", t.TempDir()}, 2, []string{"TLS", "--insecure"}},
		{"unknown flag", []string{"--lissen", free()}, 2, []string{"--listen"}},
		{"unknown key in the file", []string{"--config", config(t, "lissen: x\n")}, 2, []string{"lissen", "listen"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stderr, code := coordinator(t, test.args...)
			require.Equal(t, test.code, code, stderr)
			for _, text := range test.says {
				require.Contains(t, stderr, text)
			}
			require.NotContains(t, stderr, "goroutine", "it is a message, not a crash")
			t.Log(lastLine(stderr))
		})
	}
	before, err := os.ReadFile(filepath.Join(foreign, "benchd.db"))
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("no database ", 1000), string(before), "a foreign file is not changed")
}

// later makes an archive of a later version.
func later(t *testing.T, dir string) {
	t.Helper()
	p := testcluster.Start(t, nil, "benchd", "coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", dir)
	p.Says("coordinator listens")
	p.Signal(syscall.SIGTERM)
	require.Zero(t, p.Exit(testcluster.Patience))
	db, err := sql.Open("sqlite", filepath.Join(dir, "benchd.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 999")
	require.NoError(t, err)
}

func config(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "benchd.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestARejectedAgentPrintsTheReasonAndEnds(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a")
	second := h.Agent("a")
	require.Equal(t, 5, second.Exit(testcluster.Patience))
	second.Says("--name")
	h.Connected(1)

	other := h.Agent("b", "--label", "nonsense")
	require.Equal(t, 2, other.Exit(testcluster.Patience))

	far := testcluster.Start(t, nil, "benchd", "agent", "--coordinator", "192.0.2.1:7070")
	require.Equal(t, 2, far.Exit(testcluster.Patience))
	far.Says("TLS")
}

// otherProtocol is a coordinator of another release.
type otherProtocol struct {
	benchdv1.UnimplementedAgentServiceServer
}

func (otherProtocol) Session(benchdv1.AgentService_SessionServer) error {
	return wire.ToStatus(wire.Errorf(wire.ErrProtocol, "agent speaks protocol 1, this coordinator speaks 2: install the same release on both"))
}

func TestAnAgentOfAnotherProtocolEndsWithTheCoordinatorsReason(t *testing.T) {
	t.Parallel() // it waits most of the time
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	benchdv1.RegisterAgentServiceServer(server, otherProtocol{})
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	p := testcluster.Start(t, nil, "benchd", "agent", "--coordinator", l.Addr().String(), "--metrics-listen", "127.0.0.1:0")
	require.Equal(t, 5, p.Exit(testcluster.Patience))
	p.Says("install the same release")
}

func TestASubmissionThatCannotRunIsRejected(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	good := []string{"submit", "--db", "null", "--duration", "1s", "-p", "recordcount=100"}
	typo := filepath.Join(t.TempDir(), "workload")
	require.NoError(t, os.WriteFile(typo, []byte("recordcount=100\nrequestdistribution=zipfain\n"), 0o600))
	tests := []struct {
		name   string
		agents []string
		args   []string
		code   int
		says   []string
	}{
		{"no agent", nil, good, 5, []string{"1 agent needed, 0 connected", "benchd agent"}},
		{"too few agents", []string{"a"}, append(good, "--agents", "2"), 5, []string{"2 agents needed, 1 connected"}},
		{"too few after waiting", []string{"a"}, append(good, "--agents", "2", "--wait-agents", "300ms"), 5, []string{"2 agents needed"}},
		{"no agent of that label", []string{"a"}, append(good, "--select", "x=y"), 5, []string{"x=y"}},
		{"a typo in a file", []string{"a"}, append(good, "-P", typo), 2, []string{typo + ":2", "requestdistribution", `"zipfian"`}},
		{"a file that is not there", []string{"a"}, append(good, "-P", "nowhere"), 2, []string{"nowhere"}},
		{"an unknown property", []string{"a"}, append(good, "-p", "recordcuont=5"), 2, []string{"recordcuont", "recordcount"}},
		{"an unknown flag", []string{"a"}, append(good, "--treads", "5"), 2, []string{"--threads"}},
		{"nothing of that id", []string{"a"}, []string{"show", "nope"}, 2, []string{"nope", "benchctl list"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if len(test.agents) > 0 {
				if stdout, _, _ := h.Ctl("agents", "-o", "json"); !strings.Contains(stdout, `"a"`) {
					h.Agents(test.agents...)
				}
			}
			begin := time.Now()
			stdout, stderr, code := h.Ctl(test.args...)
			require.Equal(t, test.code, code, stderr)
			require.Empty(t, stdout)
			for _, text := range test.says {
				require.Contains(t, stderr, text)
			}
			tolerance.Within(t, begin, 10*time.Second)
			t.Log(lastLine(stderr))
		})
	}
	stdout, _, code := h.Ctl("list", "-o", "json")
	require.Zero(t, code)
	require.JSONEq(t, "[]", stdout, "nothing is left of what was refused")
}

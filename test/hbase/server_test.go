//go:build hbase

package hbase

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/test/testcluster"
)

// The servers that scenarios run on.
const (
	three   = "three region servers"
	sandbox = "sandbox"
)

// family is the column family of all tables.
const family = "family"

// server is a server of HBase's protocols.
type server struct {
	name   string
	quorum string // HOST:PORT of its ZooKeeper
	dir    string // folder of a real HBase
	stop   func()
	kill   func(t *testing.T, name string) // ends the region server HOST,PORT,STARTCODE immediately
	revive func(t *testing.T)              // starts it again; nil if only this test uses the server
}

// started holds the shared servers, by name.
var started = map[string]*server{}

// on runs a scenario on servers.
func on(t *testing.T, names []string, scenario func(t *testing.T, s *server)) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			scenario(t, share(t, name))
		})
	}
}

// share returns the shared server of a name. scripts/with-hbase may have started the one with three region servers for
// several packages.
func share(t *testing.T, name string) *server {
	t.Helper()
	s := started[name]
	if quorum, dir := os.Getenv("BENCHD_HBASE"), os.Getenv("BENCHD_HBASE_DIR"); s == nil && name == three && dir != "" {
		s = hbaseIn(name, dir)
		s.quorum, s.stop = quorum, func() {}
	}
	if s == nil {
		s = launch(t, name)
	}
	started[name] = s
	t.Cleanup(func() { s.logStatus(t) })
	return s
}

// own starts a server that ends with the test.
func own(t *testing.T, name string) *server {
	t.Helper()
	s := launch(t, name)
	t.Cleanup(func() {
		s.logStatus(t)
		s.stop()
	})
	return s
}

// logStatus logs the state of the server's processes after a failed test: for ended ones, the end of their logs.
func (s *server) logStatus(t *testing.T) {
	t.Helper()
	if !t.Failed() || s.dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own context has ended
	defer cancel()
	out, _ := exec.CommandContext(ctx, filepath.Join(testcluster.Root(), "scripts", "hbase"), "status", "--dir", s.dir).CombinedOutput()
	t.Logf("HBase with %s in %s:\n%s", s.name, s.dir, out)
}

// launch starts a server; the caller stops it.
func launch(t *testing.T, name string) *server {
	t.Helper()
	switch name {
	case three:
		return launchHBase(t, name, 3)
	case onHDFS:
		return launchHBase(t, name, 1, "--hdfs", "--set", "hbase.hstore.compaction.min=500") // files stay as they were loaded
	case oneProcess:
		return launchHBase(t, name, 3, "--together")
	}
	return launchSandbox(t, name)
}

// script is the script that starts and controls real HBases.
func script() string { return filepath.Join(testcluster.Root(), "scripts", "hbase") }

// launchHBase starts a real HBase, in its own folder and on its own ports.
func launchHBase(t *testing.T, name string, servers int, more ...string) *server {
	t.Helper()
	begin := time.Now()
	s := hbaseIn(name, filepath.Join(testcluster.Root(), "bin", "hbase", fmt.Sprintf("test-%d-%d", os.Getpid(), begin.UnixNano())))
	stdout, stderr, code := testcluster.Command(t, 5*time.Minute, script(), append([]string{
		"up", "--servers", strconv.Itoa(servers),
		"--free-ports", "--heap", "1g", "--wait", "240", "--dir", s.dir,
	}, more...)...)
	if code != 0 {
		s.stop()
		require.Fail(t, "a real HBase should start", stderr)
	}
	_, s.quorum, _ = strings.Cut(strings.TrimSpace(stdout), "=")
	t.Logf("HBase with %s is up after %.1f s", name, time.Since(begin).Seconds())
	return s
}

// hbaseIn is a real HBase in a folder.
func hbaseIn(name, dir string) *server {
	s := &server{name: name, dir: dir}
	s.stop = func() {
		if out, err := exec.CommandContext(context.Background(), script(), "down", "--purge", "--dir", dir).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "stop HBase in %s: %v: %s\n", dir, err, out)
		}
	}
	s.kill = func(t *testing.T, name string) {
		t.Helper()
		port := strings.Split(name, ",")[1]
		stdout, stderr, code := testcluster.Command(t, time.Minute, script(), "pids", "--dir", dir)
		require.Zero(t, code, stderr)
		for line := range strings.Lines(stdout) {
			f := strings.Fields(line)
			arguments, _, _ := testcluster.Command(t, time.Minute, "ps", "-ww", "-o", "args=", "-p", f[1])
			if strings.Contains(arguments, "hbase.regionserver.port="+port+" ") {
				id, err := strconv.Atoi(f[1])
				require.NoError(t, err)
				process, err := os.FindProcess(id)
				require.NoError(t, err)
				require.NoError(t, process.Kill())
				return
			}
		}
		require.Fail(t, "the region server should be a process", "%s among %s", name, stdout)
	}
	s.revive = func(t *testing.T) {
		t.Helper()
		_, stderr, code := testcluster.Command(t, 5*time.Minute, script(), "add", "--dir", dir)
		require.Zero(t, code, stderr)
	}
	return s
}

// flags returns the flags with which benchctl uses a table of the server.
func (s *server) flags(table string) []string {
	return []string{"--db", "hbase", "-p", "hbase.zookeeper.quorum=" + s.quorum, "-p", "table=" + table, "-p", "columnfamily=" + family}
}

// admin connects to the server as its administrator.
func (s *server) admin(t *testing.T) *admin.Client {
	t.Helper()
	c, err := admin.Connect(t.Context(), admin.Config{Quorum: s.quorum})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// java runs a program of test/java and returns its output.
func java(t *testing.T, within time.Duration, args ...string) (string, int) {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, within, filepath.Join(testcluster.Root(), "test", "java", "run"), args...)
	if code != 0 {
		t.Logf("test/java/run %v printed:\n%s%s", args, stdout, stderr)
	}
	return stdout, code
}

// fixture runs the fixture of test/java on a table, to see it through HBase's own client. It must succeed.
func (s *server) fixture(t *testing.T, command, table string, args ...any) string {
	t.Helper()
	words := []string{"Fixture", command, s.quorum, table, family}
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	stdout, code := java(t, 3*time.Minute, words...)
	require.Zero(t, code, stdout)
	return strings.TrimSpace(stdout)
}

// rows counts a table's rows by a scan of HBase's own client.
func (s *server) rows(t *testing.T, table string) uint64 {
	t.Helper()
	var n uint64
	_, err := fmt.Sscanf(s.fixture(t, "count", table), "rows=%d", &n)
	require.NoError(t, err)
	return n
}

// sums is the contents of a table as HBase's own client sees them.
type sums struct{ rows, cells, bytes, counters uint64 }

func (s *server) sum(t *testing.T, table string) sums {
	t.Helper()
	var x sums
	_, err := fmt.Sscanf(s.fixture(t, "sum", table), "rows=%d cells=%d bytes=%d counters=%d", &x.rows, &x.cells, &x.bytes, &x.counters)
	require.NoError(t, err)
	return x
}

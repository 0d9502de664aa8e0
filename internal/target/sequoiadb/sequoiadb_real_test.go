//go:build databases

package sequoiadb_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest"
	"github.com/benchd/benchd/test/targetkit"
	"github.com/benchd/benchd/test/testcluster"
)

// space is the collection space of these tests.
const space = "benchd_test"

// database is a server with its user, and how benchd connects to it.
type database struct {
	*sequoiadbtest.Server
	secrets string // folder
}

// start starts a scripted server with a user. With SEQUOIADB=HOST:PORT it returns the real one at that address, whose user is
// SEQUOIADB_USER with SEQUOIADB_PASSWORD.
func start(t *testing.T, o sequoiadbtest.Options) database {
	t.Helper()
	if address := os.Getenv("SEQUOIADB"); address != "" {
		return released(t, sequoiadbtest.Running(address, os.Getenv("SEQUOIADB_USER"), os.Getenv("SEQUOIADB_PASSWORD")))
	}
	return startScripted(t, o)
}

// startScripted starts a scripted server with a user.
func startScripted(t *testing.T, o sequoiadbtest.Options) database {
	t.Helper()
	if o.User == "" {
		o.User, o.Password, o.SCRAM = "sdbadmin", "a secret", true
	}
	s, err := sequoiadbtest.Start(t.Context(), t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return released(t, s)
}

// released puts the user's password into a folder for agents.
func released(t *testing.T, s *sequoiadbtest.Server) database {
	t.Helper()
	d := database{s, t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(d.secrets, "password"), []byte(cmp.Or(s.Password, "none")+"\n"), 0o600))
	return d
}

// set are the flags with which benchd connects.
func (d database) set() []string {
	properties := d.Properties("file:password")
	properties["database"] = space
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		flags = append(flags, "-p", name+"="+properties[name])
	}
	return flags
}

// kit is the database for the common tests. Its rows are counted by SequoiaDB's Java driver.
func (d database) kit() targetkit.Database {
	return targetkit.Database{
		Target: "sequoiadb", Set: d.set(), Agent: []string{"--secrets", d.secrets}, Fresh: []string{"-p", "sequoiadb.table.create=recreate"},
		Table: "usertable", Rows: func(t *testing.T) int {
			t.Helper()
			n, err := d.Count(space, "usertable")
			require.NoError(t, err)
			return n
		},
	}
}

// Kill implements targetkit.Server.
func (d database) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, d.Server.Kill())
}

// Restart implements targetkit.Server.
func (d database) Restart(t *testing.T) {
	t.Helper()
	require.NoError(t, d.Server.Restart())
}

func TestSmokeWorkloads(t *testing.T) {
	targetkit.Workloads(t, start(t, sequoiadbtest.Options{Page: 7}).kit(), targetkit.Size{Records: 2000, Ops: 2000, Threads: 8})
}

// Batches, and the operations that YCSB's workloads do not have.
func TestOtherOperations(t *testing.T) {
	d := start(t, sequoiadbtest.Options{Page: 7})
	run := func(flags ...string) string {
		t.Helper()
		args := slices.Concat([]string{"run", "--db", "sequoiadb", "--secrets", d.secrets, "-o", "json", "-p", "recordcount=1000", "-p", "fieldlength=20"}, d.set(), flags)
		stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", args...)
		require.Zero(t, code, stderr)
		return stdout
	}
	run("--phase", "load", "-p", "batchsize=64", "-p", "sequoiadb.table.create=recreate")
	require.Equal(t, 1000, d.kit().Rows(t), "a load in batches")
	out := run("-p", "operationcount=2000", "-p", "readproportion=0", "-p", "updateproportion=0", "-p", "incrementproportion=0.4", "-p", "multigetproportion=0.4", "-p", "checkandputproportion=0.2")
	for _, o := range testcluster.Parse(t, out).Phases[0].Operations {
		require.Equal(t, "OK", o.Outcome, o.Op)
	}
	out = run("-p", "operationcount=300", "-p", "readproportion=0", "-p", "updateproportion=0", "-p", "deleteproportion=1", "-p", "requestdistribution=sequential")
	require.Equal(t, 700, d.kit().Rows(t), "after 300 deletes: %s", out)
}

// Failed inserts of the load are repeated until they succeed. One that the server had done before it was killed has a duplicate
// key then, so the load replaces documents (upsert).
//
// The server is always the scripted one, with a journal: a real SequoiaDB that somebody else has started is not killed.
func TestSurvives(t *testing.T) {
	d := startScripted(t, sequoiadbtest.Options{})
	targetkit.Survives(t, d.kit(), d, targetkit.Outage{
		Records: 2000, Rate: 200, Threads: 8, Length: 25 * time.Second, Flags: []string{"-p", "sequoiadb.upsert=true", "-p", "sequoiadb.timeout=1s"},
		Kinds: []string{"SERVICE_UNAVAILABLE", "TIMEOUT"},
	})
}

func TestMistakes(t *testing.T) {
	d := start(t, sequoiadbtest.Options{})
	wrong := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(wrong, "password"), []byte("wrong"), 0o600))
	mistakes := []targetkit.Mistake{
		{Name: "port", Flags: []string{"-p", "sequoiadb.url=127.0.0.1:1"}, Says: []string{"127.0.0.1:1", "connection refused", "check sequoiadb.url"}},
		{Name: "host", Flags: []string{"-p", "sequoiadb.url=nowhere.invalid:11810"}, Says: []string{"nowhere.invalid", "check sequoiadb.url"}},
		{Name: "space", Flags: []string{"-p", "database=nowhere"}, Says: []string{"collection nowhere.usertable does not exist", "load it first"}},
		{Name: "collection", Flags: []string{"-p", "table=nowhere"}, Says: []string{"collection " + space + ".nowhere does not exist"}},
		{Name: "HTTP server", Flags: []string{"-p", "sequoiadb.url=" + httpServer(t)}, Says: []string{"not a port of SequoiaDB's native protocol", "11810"}},
		{Name: "silent server", Flags: []string{"-p", "sequoiadb.url=" + silentServer(t)}, Says: []string{"no system information within the time limit", "11810"}},
		{Name: "MongoDB-compatible port", Flags: []string{"-p", "sequoiadb.url=" + mongoServer(t)}, Says: []string{"it closed the connection", "the MongoDB-compatible one +7"}},
	}
	if d.User != "" {
		mistakes = append(mistakes,
			targetkit.Mistake{Name: "password", Agent: []string{"--secrets", wrong}, Says: []string{"SequoiaDB error -179", "the secret of sequoiadb.passwd"}},
			targetkit.Mistake{Name: "user", Flags: []string{"-p", "sequoiadb.user=nobody"}, Says: []string{"SequoiaDB error -179", `sequoiadb.user ("nobody")`}})
	}
	targetkit.Mistakes(t, d.kit(), mistakes...)
}

// listen serves connections on a free port.
func listen(t *testing.T, serve func(net.Listener)) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go serve(l) // until the listener is closed
	return l.Addr().String()
}

func httpServer(t *testing.T) string {
	t.Helper()
	return listen(t, func(l net.Listener) {
		_ = (&http.Server{ReadHeaderTimeout: time.Second}).Serve(l)
	})
}

// silentServer accepts connections and says nothing.
func silentServer(t *testing.T) string {
	t.Helper()
	return listen(t, func(l net.Listener) {
		var all []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			all = append(all, c)
		}
		for _, c := range all {
			_ = c.Close()
		}
	})
}

// mongoServer does what a server of MongoDB's protocol does with a message of four billion bytes: it closes the connection.
func mongoServer(t *testing.T) string {
	t.Helper()
	return listen(t, func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 12))
			_ = c.Close()
		}
	})
}

// The collection is that of SequoiaDB's YCSB binding: the Java driver reads what benchd has written, and back.
func TestTheJavaDriverReadsAndWritesTheSameDocuments(t *testing.T) {
	d := start(t, sequoiadbtest.Options{})
	admin := func(args ...string) (string, int) {
		stdout, _, code := testcluster.Run(t, time.Minute, "benchctl", slices.Concat([]string{"admin", "sequoiadb"}, args, []string{"--local", "--secrets", d.secrets, "-o", "json"}, d.set())...)
		return stdout, code
	}
	_, _ = admin("drop", "javatable") // of an earlier test
	_, err := d.Client(space, "javatable", "load", "500")
	require.NoError(t, err)
	common := slices.Concat([]string{"run", "--db", "sequoiadb", "--secrets", d.secrets, "-o", "json", "-p", "table=javatable", "-p", "recordcount=500", "-p", "fieldcount=1", "-p", "insertorder=ordered"}, d.set())
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", append(common, "-p", "operationcount=500", "-p", "requestdistribution=sequential", "-p", "readproportion=1", "-p", "updateproportion=0")...)
	require.Zero(t, code, stderr)
	reads := make(map[string]uint64)
	for _, o := range testcluster.Parse(t, stdout).Phases[0].Operations {
		if o.Op == "READ" {
			reads[o.Outcome] = o.Count
		}
	}
	require.Equal(t, map[string]uint64{"OK": 500}, reads)

	_, stderr, code = testcluster.Run(t, time.Minute, "benchctl", append(common, "-p", "operationcount=500", "-p", "requestdistribution=sequential", "-p", "readproportion=0", "-p", "updateproportion=1", "-p", "fieldlength=11")...)
	require.Zero(t, code, stderr)
	got, err := d.Client(space, "javatable", "get", "user7")
	require.NoError(t, err)
	require.Regexp(t, "^field0=.{11}\n$", got)
	require.NotContains(t, got, "value 7")
}

func TestActions(t *testing.T) {
	d := start(t, sequoiadbtest.Options{})
	admin := func(want int, args ...string) (answer struct {
		Text []string
		Rows [][]any
	},
	) {
		t.Helper()
		stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", slices.Concat([]string{"admin", "sequoiadb"}, args, []string{"--local", "--secrets", d.secrets, "-o", "json"}, d.set())...)
		require.Equal(t, want, code, stderr)
		if want == 0 {
			require.NoError(t, json.Unmarshal([]byte(stdout), &answer), stdout)
		}
		return answer
	}
	_, _, _ = testcluster.Run(t, time.Minute, "benchctl", slices.Concat([]string{"admin", "sequoiadb", "drop", "acted", "--local", "--secrets", d.secrets}, d.set())...)
	admin(0, "create", "acted")
	admin(1, "create", "acted")
	tables := admin(0, "tables")
	require.Contains(t, tables.Rows, []any{space + ".acted"})
	require.Equal(t, [][]any{{space + ".acted", 0.0}}, admin(0, "count", "acted").Rows)
	require.Contains(t, strings.Join(admin(0, "describe", space+".acted").Text, ""), `"Name": "`+space+`.acted"`)
	require.NotEmpty(t, admin(0, "servers").Rows)
	admin(0, "sync")
	args := slices.Concat([]string{"run", "--db", "sequoiadb", "--secrets", d.secrets, "--phase", "load", "-p", "recordcount=100", "-p", "table=acted"}, d.set())
	_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	require.Equal(t, [][]any{{space + ".acted", 100.0}}, admin(0, "count", "acted").Rows)
	admin(0, "truncate", "acted")
	require.Equal(t, [][]any{{space + ".acted", 0.0}}, admin(0, "count", "acted").Rows)
	admin(0, "drop", "acted")
	admin(1, "count", "acted")
}

// The figures of the nodes are in the result.
func TestTelemetry(t *testing.T) {
	d := start(t, sequoiadbtest.Options{})
	args := slices.Concat([]string{
		"run", "--db", "sequoiadb", "--secrets", d.secrets, "-o", "json", "--phase", "load", "--target", "500", "-p", "recordcount=2500",
		"-p", "telemetry.interval=500ms", "-p", "sequoiadb.table.create=recreate",
	}, d.set())
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	found := make(map[string]float64)
	for _, p := range r.Phases {
		for _, o := range p.Observations {
			for _, point := range o.Points {
				found[o.Name] = max(found[o.Name], point[1])
			}
		}
	}
	for _, name := range []string{"sequoiadb.node.inserts", "sequoiadb.node.active_sessions", "sequoiadb.node.rss", "sequoiadb.node.cpu_percent", "sequoiadb.host.cpu_busy_percent", "sequoiadb.host.memory_used_percent"} {
		require.Positive(t, found[name], name)
	}
}

//go:build integration

package targetkit_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/targetkit"
	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) { os.Exit(testcluster.Main(m)) }

// store is a sandbox that keeps its tables in a folder, in a process of its own.
type store struct {
	data, zookeeper, info string
	process               *testcluster.Process
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{data: t.TempDir(), zookeeper: "127.0.0.1:" + testcluster.Port(t), info: "127.0.0.1:" + testcluster.Port(t)}
	s.Restart(t)
	return s
}

// Restart implements targetkit.Server.
func (s *store) Restart(t *testing.T) {
	t.Helper()
	s.process = testcluster.Start(t, nil, "benchd", "sandbox", "--data", s.data, "--zookeeper", s.zookeeper, "--info", s.info)
	testcluster.Eventually(t, time.Minute, func() bool {
		_, _, code := testcluster.Run(t, time.Minute, "benchctl", "admin", "hbase", "tables", "--local", "-p", "hbase.zookeeper.quorum="+s.zookeeper)
		return code == 0
	}, "the sandbox should serve")
}

// Kill implements targetkit.Server.
func (s *store) Kill(t *testing.T) {
	t.Helper()
	s.process.Signal(os.Kill)
	s.process.Exit(time.Minute)
}

func (s *store) database() targetkit.Database {
	return targetkit.Database{
		Target: "hbase", Set: []string{"-p", "columnfamily=family", "-p", "hbase.zookeeper.quorum=" + s.zookeeper},
		Fresh: []string{"-p", "hbase.table.create=recreate"}, Table: "usertable", Rows: s.rows,
	}
}

// rows counts the rows by an action of benchd: no other client is part of this checkout.
func (s *store) rows(t *testing.T) int {
	t.Helper()
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "admin", "hbase", "count", "usertable", "--local", "-o", "json", "-p", "hbase.zookeeper.quorum="+s.zookeeper)
	require.Zero(t, code, stderr)
	var answer struct{ Rows [][]any }
	require.NoError(t, json.Unmarshal([]byte(stdout), &answer))
	n, ok := answer.Rows[0][1].(float64)
	require.True(t, ok, stdout)
	return int(n)
}

func TestWorkloads(t *testing.T) {
	t.Parallel()
	targetkit.Workloads(t, newStore(t).database(), targetkit.Size{Records: 2000, Ops: 2000, Threads: 8})
}

func TestSurvives(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	targetkit.Survives(t, s.database(), s, targetkit.Outage{
		Records: 2000, Rate: 200, Threads: 8, Length: 25 * time.Second, Flags: []string{"-p", "hbase.client.operation.timeout=1000"},
	})
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	d := newStore(t).database()
	targetkit.Mistakes(t, d,
		targetkit.Mistake{Name: "port", Flags: []string{"-p", "hbase.zookeeper.quorum=127.0.0.1:1"}, Says: []string{"127.0.0.1:1"}},
		targetkit.Mistake{Name: "table", Flags: []string{"-p", "table=nowhere"}, Says: []string{"nowhere"}},
	)
}

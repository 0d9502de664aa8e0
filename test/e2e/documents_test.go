//go:build integration

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The page takes its reader from an empty folder to a first result on the sandbox, and to a cluster of client machines. A
// sandbox stands in for HBase; test/hbase follows the page on a real one.
func TestGettingStarted(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := testcluster.NewReader(t, t.TempDir())
	r.Quorum = standIn(t)
	r.Skip = skipped
	first := func(command string) bool {
		return strings.Contains(command, "--db sandbox") && !strings.Contains(command, " -f ")
	}
	r.Whole = first
	r.Edit = shorten
	var results, firsts int
	r.Result = func(command string, runs ...result.Run) {
		results++
		if first(command) {
			firsts++
			requireFirstResult(t, runs[0])
		}
	}
	require.GreaterOrEqual(t, r.Follow("docs/getting-started.md"), 12, "commands")
	require.Equal(t, 1, firsts, "a first result on the sandbox, as the page has it")
	require.GreaterOrEqual(t, results, 6, "results")
}

// requireFirstResult checks the result that the page describes.
func requireFirstResult(t *testing.T, r result.Run) {
	t.Helper()
	require.Len(t, r.Phases, 2)
	load, measure := r.Phases[0], r.Phases[1]
	require.EqualValues(t, 20_000, load.Rows)
	require.Equal(t, "open", measure.Loop)
	require.InDelta(t, 2000, *measure.Offered, 2)
	var reads, updates float64
	for _, o := range measure.Operations {
		require.Equal(t, "OK", o.Outcome)
		switch o.Op {
		case "READ":
			reads = float64(o.Count)
		case "UPDATE":
			updates = float64(o.Count)
		}
	}
	require.InDelta(t, 0.95, reads/(reads+updates), 0.02)
}

// The commands of the README run, in the folder of somebody who has the files that it names. The README in Chinese has the same
// commands: internal/lint compares them.
func TestCommandsOfTheREADME(t *testing.T) {
	t.Parallel() // it waits most of the time
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(testcluster.Root(), "configs"), filepath.Join(dir, "configs")))
	require.NoError(t, os.Symlink(testcluster.Workload("workloada"), filepath.Join(dir, "workloada")))
	r := testcluster.NewReader(t, dir)
	r.Quorum = standIn(t)
	suite := strings.ReplaceAll(exampleSuite, "QUORUM", r.Quorum)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "suite.yaml"), []byte(suite), 0o600))
	r.Skip = skipped
	r.Edit = shorten
	results := 0
	r.Result = func(string, ...result.Run) { results++ }
	require.GreaterOrEqual(t, r.Follow("README.md"), 12, "commands")
	require.GreaterOrEqual(t, results, 5, "results")
}

// exampleSuite is what a document calls suite.yaml.
const exampleSuite = `
suite: example
properties: {db: hbase, columnfamily: family, table: example, hbase.zookeeper.quorum: QUORUM, operationcount: 500}
datasets: {rows: {properties: {recordcount: 500}}}
scenarios: [{name: read, dataset: rows, properties: {readproportion: 1, updateproportion: 0}}]
trial: {datasets: {rows: {properties: {recordcount: 100}}}}
`

// skipped is the reason why a command of a document does not run in these tests; "" if it runs.
func skipped(command string) string {
	for start, reason := range map[string]string{
		"make demo":       "CI runs it",
		"make test":       "CI runs it",
		"make lint":       "CI runs it",
		"make release":    "test/deploy builds the archives",
		"make image":      "test/deploy runs the stages of the image without docker",
		"docker":          "test/deploy runs the stages of the image without docker",
		"make hbase-up":   "test/hbase runs the script behind it; a sandbox stands in",
		"make hbase-down": "test/hbase runs the script behind it; a sandbox stands in",
		"go install":      "needs the internet, and a published version",
	} {
		if command == start || strings.HasPrefix(command, start+" ") {
			return reason
		}
	}
	return ""
}

// shorten makes a suite of a document short.
func shorten(command string) string {
	if strings.Contains(command, "smoke.yaml") && !strings.Contains(command, "validate") {
		return testcluster.Append(command, "-p operationcount=500")
	}
	return command
}

// standIn starts a sandbox that is HBase to clients such as the commands of a document, and returns the address of its ZooKeeper.
func standIn(t *testing.T, flags ...string) string {
	t.Helper()
	quorum := "127.0.0.1:" + testcluster.Port(t)
	p := testcluster.Start(t, nil, "benchd", append([]string{"sandbox", "--zookeeper", quorum, "--info", "127.0.0.1:0"}, flags...)...)
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", quorum)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, "the sandbox should listen; it printed: %s", p.Log())
	return quorum
}

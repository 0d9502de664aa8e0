package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/cli/clitest"
	"github.com/benchd/benchd/internal/target/all"
)

// Each command line in a document is parsed. Commands that need no server are run, with less work; those that submit, need a
// cluster, or take minutes are checked by a dry run.
func TestCommandLinesInDocumentsWork(t *testing.T) {
	lines, err := clitest.Documented("../..", "benchctl")
	require.NoError(t, err)
	require.Greater(t, len(lines), 40)
	fillGround(t)
	traceGround(t)
	ran, seen := map[string]int{}, map[string]bool{}
	var runs sync.WaitGroup
	defer runs.Wait()               // also if a later line is wrong
	slots := make(chan struct{}, 4) // a run waits for most of its time
	for _, line := range lines {
		cmd, err := clitest.Check(program(all.Targets()).Tree(cli.Streams{}), line)
		require.NoError(t, err, "%s: benchctl %v", line.Place, line.Args)
		args, how := runnable(cmd.CommandPath(), line)
		if args == nil {
			continue
		}
		words := strings.Join(args, " ")
		if seen[words] {
			continue
		}
		seen[words] = true
		ran[how]++
		execute := func() {
			var out, errOut bytes.Buffer
			safe := new(cli.Redirect) // log and progress write at once
			safe.To(&errOut)
			err := run(args, cli.Streams{Out: &out, Err: safe})
			assert.NoError(t, err, "%s: benchctl %v\n%s", line.Place, args, errOut.String())
		}
		if how != "run" {
			execute()
			continue
		}
		runs.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			execute()
		})
	}
	runs.Wait()
	require.Greater(t, ran["run"], 5)
	require.Greater(t, ran["checked"], 15)
}

// fillGround makes a folder with the files that documents name, and changes to it.
func fillGround(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	require.NoError(t, os.Symlink(filepath.Join(root, "configs"), "configs"))
	require.NoError(t, os.CopyFS("workloads", os.DirFS(filepath.Join(root, "internal", "spec", "testdata", "ycsb"))))
	require.NoError(t, os.CopyFS(".", os.DirFS("workloads")))
	require.NoError(t, os.WriteFile("suite.yaml", []byte(exampleSuite), 0o600))
	require.NoError(t, os.WriteFile("nightly.yaml", []byte(exampleSuite+"schedule: {every: 24h}\n"), 0o600))
	require.NoError(t, os.WriteFile("hbase-site.xml", []byte("<configuration><property><name>hbase.zookeeper.quorum</name><value>zk1</value></property></configuration>"), 0o600))
}

// traceGround makes the trace that documents name app.trace, and its model.
func traceGround(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	log.WriteString("time_ms,op,key,size\n")
	for i := range 200 {
		fmt.Fprintf(&log, "%d,%s,row%d,%d\n", 1_765_000_000_000+i, []string{"READ", "UPDATE"}[i%2], i%20, 10*(i%2))
	}
	require.NoError(t, os.WriteFile("app.csv", log.Bytes(), 0o600))
	for _, args := range [][]string{{"capture", "app.csv", "--out", "app.trace"}, {"trace", "app.trace", "--model", "app.model"}} {
		require.NoError(t, run(args, cli.Streams{Out: io.Discard, Err: io.Discard}))
	}
}

// exampleSuite is the file that documents call suite.yaml. It asks for more agents than a run has by default.
const exampleSuite = `
suite: example
variables: {quorum: zk1}
properties: {db: hbase, columnfamily: family, threads.total: 4, hbase.zookeeper.quorum: "${quorum}"}
datasets: {rows: {properties: {recordcount: 100000000}}}
scenarios: [{name: read, dataset: rows, agents: 2, properties: {operationcount: 1000000, readproportion: 1, updateproportion: 0}}]
trial: {datasets: {rows: {properties: {recordcount: 100}}}, scenarios: {read: {properties: {recordcount: 100, operationcount: 100}}}}
`

// runnable returns the arguments to run for a line, or nil for a command that needs a server.
func runnable(command string, line clitest.Line) (args []string, how string) {
	if line.Inline {
		return nil, ""
	}
	args = slices.Clone(line.Args)
	if i := slices.Index(args, "--hbase-site"); i >= 0 {
		args[i+1] = filepath.Base(args[i+1]) // this machine has no folder of HBase
	}
	words := strings.Join(args, " ")
	suite := slices.Contains(args, "-f")
	here := strings.Contains(words, "--db null") || strings.Contains(words, "--db sandbox")
	switch command {
	case "benchctl validate":
		if i := slices.Index(args, "--coordinator"); i >= 0 {
			args = slices.Delete(args, i, i+2)
		}
		return args, "checked"
	case "benchctl submit":
		if strings.Contains(words, "--resume") {
			return nil, ""
		}
		return append(args, "--dry-run"), "checked"
	case "benchctl run":
		if long := strings.Contains(words, "configs/suites"); !here || long {
			args[0] = "submit"
			return append(slices.DeleteFunc(args, func(word string) bool { return word == "-q" }), "--dry-run"), "checked"
		}
		args = append(args, "-q")
		if !suite && !strings.Contains(words, "trace=") {
			args = append(args, "-p", "duration=200ms", "-p", "recordcount=200", "-p", "operationcount=400")
		}
		return args, "run"
	}
	return nil, ""
}

package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/test/mapdb"
)

// A target outside of benchd is added to all commands by one line.
func TestATargetJoinsAllCommandsByOneLine(t *testing.T) {
	targets := append(all.Targets(), mapdb.Target())

	benchctl := func(args ...string) (out, errOut string, err error) {
		var o, e bytes.Buffer
		err = program(targets).Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		return o.String(), e.String(), err
	}
	good := func(args ...string) string {
		t.Helper()
		out, errOut, err := benchctl(args...)
		require.NoError(t, err, errOut)
		return out
	}

	good("validate", "--db", "map", "-p", "recordcount=10", "-p", "operationcount=10")
	_, _, err := benchctl("validate", "--db", "map", "-p", "recordcount=10", "-p", "operationcount=10", "-p", "map.capacity=x")
	require.ErrorContains(t, err, `-p: map.capacity: invalid integer "x"`)
	_, _, err = benchctl("validate", "--db", "map", "-p", "recordcount=10", "-p", "operationcount=10", "-p", "appendproportion=1")
	require.ErrorContains(t, err, "target map does not support APPEND; it supports READ, UPDATE, INSERT, READ-MODIFY-WRITE, DELETE")
	_, warned, err := benchctl("validate", "--db", "map", "-p", "recordcount=10", "-p", "operationcount=10", "-p", "map.capacity=5")
	require.NoError(t, err)
	require.Contains(t, warned, "-p: map.capacity: has no effect without a load")
	require.Contains(t, good("validate", "--schema"), `"map.capacity"`)

	var r result.Run
	out := good("run", "--db", "map", "--phase", "load,run", "--agents", "2", "-q", "-o", "json", "--target", "500", "--duration", "1500ms", "-p", "recordcount=100",
		"-p", "readproportion=0.5", "-p", "updateproportion=0.5", "-p", "after.load=count", "-p", "dataintegrity=true", "-p", "map.clear=true", "-p", "telemetry.interval=200ms")
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, "map", r.Provenance.Target["target"])
	require.Equal(t, "true", r.Resolved["map.clear"])
	require.Contains(t, out, `"map.rows"`, "it is watched")
	require.Contains(t, good("admin", "map", "count", "--local"), "100")
	good("admin", "map", "clear", "--local")
	require.Contains(t, good("admin", "map", "count", "--local"), "0")

	file := filepath.Join(t.TempDir(), "suite.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
suite: maps
properties: {db: map, recordcount: 100, operationcount: 200}
datasets: {plain: {properties: {map.clear: true, map.capacity: 100}}}
scenarios: [{name: reads, dataset: plain, matrix: {threadcount: [1, 2]}, properties: {readproportion: 1, updateproportion: 0}}]
tables: [{title: reads of maps, scenarios: [reads], columns: [map.capacity, threads, read_count, map_rows]}]
`), 0o600))
	require.Contains(t, good("run", "-f", file, "-q"), "maps  complete")

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cluster, err := dev.Start(t.Context(), dev.Config{Agents: 1, Listener: l, Version: "test", Targets: targets})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Close()) }()
	require.Contains(t, good("admin", "map", "count", "--coordinator", l.Addr().String()), "100", "it waits for the agent")

	id := strings.TrimSpace(good("submit", "--coordinator", l.Addr().String(), "-f", file))
	good("watch", "--coordinator", l.Addr().String(), id)
	dir := t.TempDir()
	written := strings.Fields(good("report", "--coordinator", l.Addr().String(), id, "--format", "csv,json,md", "--out", dir))
	written = slices.DeleteFunc(written, func(path string) bool { return filepath.Ext(path) != ".md" })
	require.Len(t, written, 1)
	document := written[0]
	for name, want := range map[string]string{
		"-tables.csv": "map_rows", "-cases.csv": "map_rows", ".json": `"name": "map_rows"`,
	} {
		content, err := os.ReadFile(filepath.Join(dir, id+name))
		require.NoError(t, err)
		require.Contains(t, string(content), want, name)
	}
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Contains(t, string(content), "map rows (rows)")
	require.Contains(t, string(content), "target: map, rows 100")
	var suite result.Suite
	require.NoError(t, json.Unmarshal([]byte(good("show", "--coordinator", l.Addr().String(), id, "-o", "json")), &suite))
	for _, row := range suite.Tables[0].Rows {
		require.InDelta(t, 100.0, *row.Cells[3].Number, 0, "rows as the run began")
	}

	out, _, _ = benchctl("doctor", "--coordinator", l.Addr().String(), "--db", "map", "-o", "json") // this machine may be busy
	require.Contains(t, out, "reports 1 servers")
}

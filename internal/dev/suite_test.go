package dev_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/embed"
)

// suiteOn runs a suite file on a cluster of two agents, and returns how many rows its table has at the end and how many
// connections the sandbox's region servers have accepted meanwhile.
func suiteOn(t *testing.T, file string) (s result.Suite, rows, connections int64) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, err := dev.Start(t.Context(), dev.Config{Version: "test", Agents: 2, Embed: embed.Start(sandbox.Options{}), Logger: logger})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	client := remote.New(c.Conn(), nil, "this process")
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	id, _, err := client.Submit(ctx, remote.Request{
		Submission: spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(file)}}, Agents: 2, WaitAgents: 20 * time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, client.Watch(ctx, id, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	text, err := client.Result(ctx, id)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	system := c.System.(*embed.System)
	connections = system.Accepted()
	done, err := client.Act(ctx, remote.ActionRequest{
		Submission: spec.Submission{Properties: []spec.Setting{{Key: "hbase.zookeeper.quorum", Value: system.Quorum()}, {Key: "columnfamily", Value: "family"}}},
		Target:     "hbase", Action: load.Action{Name: "count"}, Timeout: time.Minute,
	})
	require.NoError(t, err)
	rows, err = done.Answer.Rows[0][1].(json.Number).Int64()
	require.NoError(t, err)
	return s, rows, connections
}

// inserted sums up the inserted rows of a suite's runs.
func inserted(s result.Suite) (rows int64) {
	for _, r := range s.Runs {
		for _, p := range r.Phases {
			for _, o := range p.Operations {
				if o.Op == "INSERT" && o.Outcome == "OK" {
					rows += int64(o.Count)
				}
			}
		}
	}
	return rows
}

// Inserts of several cases and repeats, shared and dealt, by two agents, bounded by operations and by time: no row is
// written twice, so the table has as many rows as were inserted.
func TestNoRunOfASuiteOverwritesTheRowsOfAnother(t *testing.T) {
	s, rows, _ := suiteOn(t, `
suite: rows
on-failure: continue
properties: {db: sandbox, recordcount: 400, operationcount: 600, threadcount: 3, fieldcount: 1, fieldlength: 10, readproportion: 0.5, updateproportion: 0, insertproportion: 0.5}
datasets: {plain: {properties: {recordcount: 400}}}
scenarios:
  - {name: shared, dataset: plain, repeats: 2, properties: {requestdistribution: latest}}
  - {name: dealt, dataset: plain, repeats: 2, properties: {seed: 7}}
  - {name: timed, dataset: plain, properties: {operationcount: 0, duration: 500ms, warmup: 300ms, target: 500}}
  - {name: acted upon, dataset: plain, properties: {hbase.before.run: flush, insertproportion: 0.8, readproportion: 0.2, actions: "0s flush; 0s split"}}
  - {name: more rows, dataset: plain, properties: {phase: load, recordcount: 150}}
  - {name: last, dataset: plain, properties: {requestdistribution: zipfian, recordcount: 5000}}
`)
	for _, r := range s.Runs {
		require.Equal(t, result.Complete, r.Status, "%s %s: %s", r.ID, r.Case, r.Reason)
	}
	require.Len(t, s.Runs, 9)
	require.Equal(t, inserted(s), rows)
	require.Greater(t, rows, int64(400+150+1200))
}

// Repeats open their own connections, or the second would profit from caches that the first has filled.
func TestRepeatsOpenNewConnections(t *testing.T) {
	const file = `
suite: connections
properties: {db: sandbox, recordcount: 200, operationcount: 400, threadcount: 2, fieldcount: 1, fieldlength: 10, telemetry: false}
datasets: {plain: {}}
scenarios: [{name: r, dataset: plain, repeats: %d}]
`
	_, _, once := suiteOn(t, fmt.Sprintf(file, 1))
	_, _, four := suiteOn(t, fmt.Sprintf(file, 4))
	require.GreaterOrEqual(t, four-once, 3*2*int64(1), "each of two agents opens one at least in each of three repeats more: %d and %d", once, four)
}

// Rows that were loaded without dataintegrity differ from the expected values: every read of them is detected, by the
// verdict, in the tables and by a limit, though the operation itself succeeded.
func TestAWrongValueIsSeen(t *testing.T) {
	s, _, _ := suiteOn(t, `
suite: wrong
on-failure: continue
properties: {db: sandbox, threadcount: 2, fieldcount: 2, fieldlength: 20, readproportion: 1, updateproportion: 0, operationcount: 600, dataintegrity: true}
datasets: {plain: {properties: {recordcount: 200, dataintegrity: false}}}
scenarios:
  - {name: verified, dataset: plain, properties: {dataintegrity: true}}
  - {name: limited, dataset: plain, properties: {dataintegrity: true, limit.errors: 0}}
tables: [{title: values, scenarios: [verified], columns: [read_count, verify_count, verify_failed_count, failed_ops]}]
`)
	require.Len(t, s.Runs, 3)
	require.Equal(t, result.Complete, s.Runs[1].Status)
	require.True(t, slices.ContainsFunc(s.Runs[1].Verdicts, func(v result.Verdict) bool { return v.Name == "wrong_values" && v.Value && v.Bad() }))
	require.Equal(t, result.Failed, s.Runs[2].Status)
	require.Contains(t, s.Runs[2].Reason, "read another value than was written")
	var cells []float64
	for _, c := range s.Tables[0].Rows[0].Cells {
		cells = append(cells, *c.Number)
	}
	require.Equal(t, []float64{600, 600, 600, 0}, cells)
}

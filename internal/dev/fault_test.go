package dev_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/hbase/embed"
)

// A suite's faults start and end at their times, the series shows them, and none outlives its run: the next run of the
// suite is as quick as one without faults.
func TestFaultsOfARunSlowItDownAndEndWithIt(t *testing.T) {
	const file = `
suite: faults
properties: {db: sandbox, recordcount: 300, fieldcount: 1, fieldlength: 10, threadcount: 32, readproportion: 1, updateproportion: 0,
  arrival: fixed, rate: 100, operationcount: 0, interval: 500ms}
datasets: {plain: {}}
scenarios:
  - name: slow at times
    dataset: plain
    properties: {duration: 14s}
    actions:
      - {at: 2s, do: "fault latency delay=200ms op=get length=2s"}
      - {at: 6s, do: "fault latency delay=uniform,200ms,250ms op=get"}
      - {at: 7500ms, do: clear_faults}
      - {at: 9s, do: "fault kill-server server=9 length=1s"}
      - {at: 9500ms, do: "fault latency delay=200ms op=get"}
  - {name: quick, dataset: plain, properties: {duration: 2s}}
`
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, err := dev.Start(t.Context(), dev.Config{Version: "test", Agents: 1, Embed: embed.Start(sandbox.Options{}), Logger: logger})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	client := remote.New(c.Conn(), nil, "this process")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	id, _, err := client.Submit(ctx, remote.Request{
		Submission: spec.Submission{Suite: &spec.File{Name: "s.yaml", Content: []byte(file)}}, Agents: 1, WaitAgents: 20 * time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, client.Watch(ctx, id, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	text, err := client.Result(ctx, id)
	require.NoError(t, err)
	var s result.Suite
	require.NoError(t, json.Unmarshal(text, &s))
	require.Len(t, s.Runs, 3)
	for _, r := range s.Runs {
		require.Equal(t, result.Complete, r.Status, "%s: %s", r.Case, r.Reason)
	}

	measured := s.Runs[1].Phases[0]
	actions := measured.Actions
	require.Len(t, actions, 5)
	for i, want := range []string{"done", "done", "done", "no region server 9 in the sandbox: want 1 to 3", "done"} {
		require.Contains(t, actions[i].Outcome, want, actions[i].Do)
	}
	var events strings.Builder
	for _, e := range measured.Events {
		events.WriteString(e.Text + "\n")
	}
	for _, want := range []string{
		"fault latency delay=200ms length=2s op=get begins on agent local-1\n",
		"fault latency delay=200ms length=2s op=get: fault 1 is added: latency length 2s op get delay 200ms\n",
		"fault latency delay=200ms length=2s op=get ended after",
		"clear_faults: 2 faults cleared\n",
		"fault kill-server length=1s server=9 failed after",
		"at the run's end: 1 fault of run " + s.Runs[1].ID + " cleared\n",
	} {
		require.Contains(t, events.String(), want)
	}

	end := func(i int) float64 { return actions[i].T + actions[i].Seconds }
	quick, _ := within(measured, 0, actions[0].T)
	require.NotZero(t, quick)
	quick, late := within(measured, end(0)+0.1, actions[0].T+2)
	require.Zero(t, quick, "the first fault")
	require.NotZero(t, late, "the first fault")
	quick, _ = within(measured, end(0)+2.3, actions[1].T)
	require.NotZero(t, quick, "it is over by itself")
	quick, late = within(measured, end(1)+0.1, actions[2].T)
	require.Zero(t, quick, "the second")
	require.NotZero(t, late, "the second")
	quick, _ = within(measured, end(2)+0.3, actions[4].T)
	require.NotZero(t, quick, "it is cleared")

	quick, _ = within(s.Runs[2].Phases[0], 0, 2)
	require.NotZero(t, quick, "the next run")
	steering := control.NewClient(c.System.(*embed.System).Info(), nil)
	defer steering.Close()
	status, err := steering.Status(ctx)
	require.NoError(t, err)
	require.Empty(t, status.Faults)
}

// within counts the intervals between two instants whose reads are served quickly, and those whose reads take a fault's
// 200 ms. A machine that stalls makes some of them late, and none of them quick.
func within(p result.Phase, from, to float64) (quick, late int) {
	for _, point := range p.Series {
		if point.T < from || point.T+point.Seconds > to || point.Tail {
			continue
		}
		for _, o := range point.Operations {
			if o.Op != "READ" {
				continue
			}
			if o.ServiceMean >= 200_000 {
				late++
			} else {
				quick++
			}
		}
	}
	return quick, late
}

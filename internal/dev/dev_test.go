package dev_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// execute runs a submission on a cluster of its own, to its end.
func execute(t *testing.T, agents int, settings map[string]string) result.Run {
	t.Helper()
	return executeIn(t, "", agents, settings)
}

// executeIn does the same with an archive that is kept.
func executeIn(t *testing.T, dir string, agents int, settings map[string]string) result.Run {
	t.Helper()
	return executeOn(t, dev.Config{DataDir: dir, Agents: agents}, settings)
}

// executeOn does the same on a cluster with the given configuration.
func executeOn(t *testing.T, config dev.Config, settings map[string]string) result.Run {
	t.Helper()
	config.Version = "test"
	config.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, err := dev.Start(t.Context(), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	client := remote.New(c.Conn(), nil, "this process")
	var submission spec.Submission
	for k, v := range settings {
		submission.Properties = append(submission.Properties, spec.Setting{Key: k, Value: v})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	id, _, err := client.Submit(ctx, remote.Request{Submission: submission, Agents: config.Agents, WaitAgents: 20 * time.Second})
	require.NoError(t, err)
	require.NoError(t, client.Watch(ctx, id, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	text, err := client.Result(ctx, id)
	require.NoError(t, err)
	var r result.Run
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

func TestOneProcessRunsALoadAWarmUpAndAMeasurement(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := execute(t, 3, map[string]string{
		"db": "null", "phase": "load,run", "recordcount": "3000", "threadcount": "2", "null.service": "constant 200us",
		"warmup": "500ms", "duration": "1s", "interval": "100ms",
	})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Empty(t, r.Missing)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	require.Len(t, r.Phases, 3)
	require.EqualValues(t, 3000, r.Phases[0].Rows)
	require.InDelta(t, 0.5, r.Phases[1].Seconds, 1e-9)
	require.InDelta(t, 1, r.Phases[2].Seconds, 1e-9)
	require.NotNil(t, r.Start)
	require.Len(t, r.Start.Agents, 3)
	for _, o := range r.Phases[2].Operations {
		require.Len(t, o.Agents, 3)
		if o.PartOf == nil {
			require.GreaterOrEqual(t, o.Min, 200.0)
		}
	}
}

func TestAStartThatFailsLeavesNothingBehind(t *testing.T) {
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := dev.Start(t.Context(), dev.Config{Agents: 1, DataDir: file + "/below"})
	require.Error(t, err)
}

func TestARampGoesOnFromTheWarmUpIntoTheMeasurement(t *testing.T) {
	tolerance.Retry(t, func(try *tolerance.Try) { // after a stall at the change, operations intended before it are done late
		r := execute(t, 2, map[string]string{
			"db": "null", "recordcount": "1000", "threadcount": "4", "interval": "100ms",
			"arrival": "fixed", "rate": "0 -> 2000 over 2s", "warmup": "1s", "duration": "1s",
		})
		require.Equal(t, result.Complete, r.Status, r.Reason)
		require.InDelta(t, 500, *r.Phases[0].Offered, 1)
		require.InDelta(t, 1500, *r.Phases[1].Offered, 1)
		assert.InDelta(try, 1500, r.Phases[1].Ops, 20)
	})
}

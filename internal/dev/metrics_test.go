package dev_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/tolerance"
)

// scraped is a registry's answer.
type scraped map[string]*dto.MetricFamily

func scrape(t *testing.T, r prometheus.Gatherer) scraped {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	out := make(scraped)
	for _, f := range families {
		out[f.GetName()] = f
	}
	return out
}

// with lists the series of a name that have labels: name, value, name, value …
func (s scraped) with(name string, labels ...string) (out []*dto.Metric) {
	for _, m := range s[name].GetMetric() {
		have := make(map[string]string)
		for _, l := range m.GetLabel() {
			have[l.GetName()] = l.GetValue()
		}
		fits := true
		for i := 0; i < len(labels); i += 2 {
			fits = fits && have[labels[i]] == labels[i+1]
		}
		if fits {
			out = append(out, m)
		}
	}
	return out
}

func samples(metrics []*dto.Metric) (count uint64, sum float64) {
	for _, m := range metrics {
		count += m.GetHistogram().GetSampleCount()
		sum += m.GetHistogram().GetSampleSum()
	}
	return count, sum
}

func counted(metrics []*dto.Metric) (n float64) {
	for _, m := range metrics {
		n += m.GetCounter().GetValue()
	}
	return n
}

// The metrics of a run, at the coordinator and as the sum over the agents, agree with the result: each count, each mean,
// both clocks.
func TestMetricsAgreeWithTheResult(t *testing.T) {
	t.Parallel() // it waits most of the time
	registry := prometheus.NewPedanticRegistry()
	c, err := dev.Start(t.Context(), dev.Config{
		Agents: 2, Version: "test", Registerer: registry,
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	client := remote.New(c.Conn(), nil, "this process")
	var submission spec.Submission
	for k, v := range map[string]string{
		"db": "null", "phase": "load,run", "recordcount": "2000", "threadcount": "2", "null.service": "constant 200us", "null.error.share": "5%",
		"readproportion": "0.5", "updateproportion": "0.2", "readmodifywriteproportion": "0.3", "arrival": "fixed", "rate": "4000",
		"core_workload_insertion_keep_going_on_error": "true", "warmup": "300ms", "duration": "700ms", "interval": "100ms",
	} {
		submission.Properties = append(submission.Properties, spec.Setting{Key: k, Value: v})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	suite, _, err := client.Submit(ctx, remote.Request{Submission: submission, Agents: 2, WaitAgents: 20 * time.Second})
	require.NoError(t, err)
	require.NoError(t, client.Watch(ctx, suite, true, remote.Follower{Progress: func(remote.Progress) {}, Lost: func(string) {}}))
	text, err := client.Result(ctx, suite)
	require.NoError(t, err)
	var r result.Run
	require.NoError(t, json.Unmarshal(text, &r))
	require.Equal(t, result.Complete, r.Status, r.Reason)

	id := suite + ".1"
	var s scraped
	require.Eventually(t, func() bool { // the metrics are published after the result
		s = scrape(t, registry)
		measured := s.with("benchd_operations_total", "run", id)
		return uint64(counted(measured)) == r.Reconcile.Merged
	}, tolerance.Patience, 10*time.Millisecond)
	require.Len(t, r.Phases, 3)
	for _, p := range r.Phases {
		for _, op := range p.Operations {
			part := ""
			if op.PartOf != nil {
				part = *op.PartOf
			}
			labels := []string{"run", id, "phase", p.Name, "op", op.Op, "outcome", op.Outcome, "part_of", part}
			for _, prefix := range []string{"benchd", "benchd_agent"} {
				for clock, figures := range map[string]result.Figures{"_response_time_seconds": op.Figures, "_service_time_seconds": op.Service} {
					count, sum := samples(s.with(prefix+clock, labels...))
					require.Equal(t, op.Count, count, "%s%s %v", prefix, clock, labels)
					require.InDelta(t, figures.Mean/1e6*float64(op.Count), sum, 1e-8*float64(op.Count), "%s%s %v", prefix, clock, labels)
				}
				if part == "" {
					require.Equal(t, float64(op.Count), counted(s.with(prefix+"_operations_total", labels[:8]...)), "%s %v", prefix, labels)
				}
			}
		}
		require.Equal(t, float64(p.Rows), counted(s.with("benchd_rows_total", "run", id, "phase", p.Name)))
		require.Equal(t, float64(p.Bytes), counted(s.with("benchd_agent_bytes_total", "run", id, "phase", p.Name)))
	}
	for _, name := range []string{
		"benchd_run_info", "benchd_late_sends_total", "benchd_start_skew_seconds", "benchd_start_uncertainty_seconds",
		"benchd_agent_late_sends_total", "benchd_agent_send_lateness_seconds",
	} {
		require.NotEmpty(t, s.with(name, "run", id), name)
	}
	require.Len(t, s.with("benchd_clock_offset_seconds"), 2)
	require.Len(t, s.with("benchd_agent_connected", "agent", "local-2"), 1)
	require.Empty(t, s.with("benchd_backlog_operations", "run", id), "a run that has ended has none")

	have := documentedMetrics(doctable.Read(t, "docs/prometheus.md"))
	for name := range s {
		require.Contains(t, have, name)
	}
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

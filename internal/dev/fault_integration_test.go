//go:build integration

package dev_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/target/hbase/embed"
)

// watched are the targets of a run's agents, whose retries a test can count.
type watched struct {
	mu      sync.Mutex
	targets []load.Target
}

// list returns the targets of this build, with the sandbox's targets watched.
func (w *watched) list() target.List {
	targets := all.Targets()
	for i := range targets {
		open := targets[i].Open
		if targets[i].Name != "sandbox" {
			continue
		}
		targets[i].Open = func(ctx context.Context, s load.Settings) (load.Target, error) {
			t, err := open(ctx, s)
			if err == nil {
				w.mu.Lock()
				w.targets = append(w.targets, t)
				w.mu.Unlock()
			}
			return t, err
		}
	}
	return targets
}

// retries returns the number of retries by cause.
func (w *watched) retries(t *testing.T) map[string]float64 {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	sums := map[string]float64{}
	for _, one := range w.targets {
		retrier, ok := one.(load.Retrier)
		require.True(t, ok)
		for cause, n := range retrier.Retries() {
			sums[strings.ToLower(cause)] += float64(n)
			sums[""] += float64(n)
		}
	}
	return sums
}

// faulty runs a load and then a mix of operations during which faults, which are written as in a file, happen. It is
// throttled, so that the runs of a dozen tests go side by side on two processors.
func faulty(t *testing.T, faults string, settings map[string]string) (result.Run, map[string]float64) {
	t.Helper()
	parsed, err := fault.ParseFile("faults", []byte(faults))
	require.NoError(t, err)
	all := map[string]string{
		"db": "sandbox", "phase": "load,run", "recordcount": "300", "threadcount": "4", "duration": "1500ms", "target": "800", "hbase.splits": "5",
		"fieldcount": "2", "readproportion": "0.4", "updateproportion": "0.3", "scanproportion": "0.2", "insertproportion": "0.1",
		"maxscanlength": "20", "hbase.client.scanner.caching": "5", "hbase.client.operation.timeout": "20000",
	}
	maps.Copy(all, settings)
	w := &watched{}
	r := executeOn(t, dev.Config{
		Agents: 2, Targets: w.list(), Embed: embed.Start(sandbox.Options{Faults: parsed, Detection: 300 * time.Millisecond}),
	}, all)
	return r, w.retries(t)
}

// outcomes counts the operations of the run by outcome.
func outcomes(r result.Run) map[string]int64 {
	sums := map[string]int64{}
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			if o.PartOf == nil && p.Name == "measure" {
				sums[o.Outcome] += int64(o.Count)
			}
		}
	}
	return sums
}

// kills returns faults that kill a server at several times since the start of the sandbox: the machine decides how soon
// after it the run starts.
func kills(server int, times ...string) string {
	list := make([]string, 0, len(times))
	for _, at := range times {
		list = append(list, fmt.Sprintf("{kind: kill-server, server: %d, start: %s, length: 800ms}", server, at))
	}
	return strings.Join(list, ", ")
}

// Temporary errors of HBase are retried: every operation succeeds, and each retry is counted.
func TestTemporaryFaultsAreRetriedAndCounted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ faults, retried string }{
		"a region that is not served":    {"{kind: not-serving-region, share: 5%, op: [get, put]}", "notservingregionexception"},
		"a region that has moved":        {"{kind: region-moved, share: 5%, op: [get, put]}", "regionmovedexception"},
		"a region that opens":            {"{kind: region-opening, share: 5%, op: [get, put]}", "regionopeningexception"},
		"a region that is too busy":      {"{kind: region-too-busy, share: 5%, op: [put]}", "regiontoobusyexception"},
		"a queue that is full":           {"{kind: call-queue-too-big, share: 5%, op: [get]}", "callqueuetoobigexception"},
		"an exception of Java's":         {"{kind: io-exception, share: 5%, op: [get]}", "ioexception"},
		"a connection that breaks":       {"{kind: disconnect, share: 2%, op: [get, put]}", "connection"},
		"a region server that is killed": {kills(2, "1200ms", "4s", "7s", "10s", "13s", "16s", "19s", "22s"), "connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := map[string]string{}
			if strings.Contains(test.faults, "kill-server") {
				settings["duration"] = "4s"
			}
			r, retries := faulty(t, "faults: ["+test.faults+"]", settings)
			require.Equal(t, result.Complete, r.Status, r.Reason)
			require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
			ended := outcomes(r)
			require.Equal(t, []string{"OK"}, keys(ended), "%v", ended)
			require.Positive(t, retries[test.retried], "%v", retries)
			require.GreaterOrEqual(t, retries[""], retries[test.retried])
			reported := map[string]uint64{}
			for _, p := range r.Phases {
				points := map[string]uint64{}
				for _, point := range p.Series {
					for cause, n := range point.Retries {
						points[cause] += n
						reported[strings.ToLower(cause)] += n
					}
				}
				if len(p.Retries)+len(points) > 0 {
					require.Equal(t, p.Retries, points, "the points of a phase have its retries")
				}
			}
			require.InDelta(t, retries[test.retried], reported[test.retried], 0, "the result has the retries of all agents")
		})
	}
}

func keys(m map[string]int64) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}

// Lasting faults end operations with their outcome, and end the run if its limit is violated.
func TestLastingFaultsEndOperationsAndTheRunAtItsLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults, limit string
		outcome       string
		status        result.Status
	}{
		"no limit, and a server that never answers in time": {
			"{kind: region-too-busy, op: [get]}", "1", "TIMEOUT", result.Complete,
		},
		"a limit, and a server that never answers in time": {
			"{kind: region-too-busy, op: [get]}", "0.05", "TIMEOUT", result.Failed,
		},
		"no limit, and an exception that no retry helps against": {
			"{kind: io-exception, exception: org.apache.hadoop.hbase.DoNotRetryIOException, share: 20%, op: [get]}", "1", "ERROR", result.Complete,
		},
		"a limit, and an exception that no retry helps against": {
			"{kind: io-exception, exception: org.apache.hadoop.hbase.DoNotRetryIOException, share: 50%, op: [get]}", "0.05", "ERROR", result.Failed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := faulty(t, "faults: ["+test.faults+"]", map[string]string{
				"limit.errors": test.limit, "hbase.client.operation.timeout": "1000", "duration": "3s",
				"insertproportion": "0", "readproportion": "0.5", "scanproportion": "0", "updateproportion": "0.5",
			})
			require.Equal(t, test.status, r.Status, r.Reason)
			require.Positive(t, outcomes(r)[test.outcome], "%v", outcomes(r))
			require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
		})
	}
}

// Injected latency is measured on the affected operations, and on no others.
func TestLatencyIsMeasuredAsItWasInjected(t *testing.T) {
	t.Parallel()
	r, _ := faulty(t, "faults: [{kind: latency, delay: 40ms, op: [get]}]", map[string]string{
		"readproportion": "0.5", "updateproportion": "0.5", "insertproportion": "0", "scanproportion": "0", "duration": "3s",
	})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	for _, o := range measured(r) {
		if o.Op == "READ" {
			require.GreaterOrEqual(t, o.Min, 40_000.0)
		}
		if o.Op == "UPDATE" {
			require.Less(t, o.Min, 40_000.0)
		}
	}
}

// A stall shows as a maximum, and costs no operation.
func TestAStallShowsAsAMaximum(t *testing.T) {
	t.Parallel()
	r, _ := faulty(t, "faults: [{kind: stall, start: 2s, length: 700ms}, {kind: stall, start: 5s, length: 700ms}, {kind: stall, start: 8s, length: 700ms}]",
		map[string]string{"duration": "5s"})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, []string{"OK"}, keys(outcomes(r)))
	most := 0.0
	for _, o := range measured(r) {
		most = max(most, o.Max)
	}
	require.GreaterOrEqual(t, most, 600_000.0)
}

// A slow ZooKeeper delays the start of a run by its latency, and nothing else.
func TestASlowZooKeeperDelaysTheStartOnly(t *testing.T) {
	t.Parallel()
	r, _ := faulty(t, "faults: [{kind: latency, delay: 200ms, op: zookeeper}]", nil)
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, []string{"OK"}, keys(outcomes(r)))
}

func measured(r result.Run) []result.Operation {
	for _, p := range r.Phases {
		if p.Name == "measure" {
			return p.Operations
		}
	}
	return nil
}

// A region server that is killed under load, several times, loses no acknowledged write: every row that the load counts exists
// afterwards, with the values that were written.
func TestAKilledRegionServerLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	const rows = "20000"
	r, retries := faulty(t, "faults: ["+kills(1, "800ms", "6s", "12s", "18s")+", "+kills(3, "2500ms", "9s", "15s")+"]",
		map[string]string{
			"recordcount": rows, "operationcount": "40000", "duration": "0s", "dataintegrity": "true", "requestdistribution": "sequential",
			"fieldcount": "1", "readproportion": "1", "updateproportion": "0", "insertproportion": "0", "scanproportion": "0",
			"threadcount": "8", "target": "0",
		})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	require.EqualValues(t, 20_000, r.Phases[0].Rows)
	require.Positive(t, retries["connection"], "no kill came during the run: %v", retries)
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			require.Equal(t, "OK", o.Outcome, "%s %s: %d", p.Name, o.Op, o.Count)
		}
	}
}

package dev_test

import (
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/embed"
	"github.com/benchd/benchd/internal/tolerance"
)

// onSandbox runs a submission on a cluster with a sandbox.
func onSandbox(t *testing.T, options sandbox.Options, agents int, settings map[string]string) result.Run {
	t.Helper()
	return executeOn(t, dev.Config{Agents: agents, Embed: embed.Start(options)}, settings)
}

func TestEveryResultOfASandboxNamesIt(t *testing.T) {
	t.Parallel() // it waits most of the time
	settings := map[string]string{
		"db": "sandbox", "phase": "load,run", "recordcount": "500", "operationcount": "1000", "threadcount": "4",
		"readproportion": "0.5", "updateproportion": "0.3", "scanproportion": "0.1", "insertproportion": "0.1", "dataintegrity": "false",
	}
	r := onSandbox(t, sandbox.Options{}, 2, settings)
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
	target := r.Provenance.Target
	require.Equal(t, "sandbox", target["target"])
	require.Equal(t, sandbox.Version, target["hbase.version"])
	require.Equal(t, "none", target["conf.benchd.sandbox.service.time"])
	require.NotNil(t, r.Terms)
	require.Equal(t, "in memory: lost when the process ends", r.Terms.Durability)
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			require.Equal(t, "OK", o.Outcome, "%s in %s", o.Op, p.Name)
		}
	}
}

// The result of a run that uses the sandbox's quorum as that of an HBase names the sandbox.
func TestTheResultOfASandboxUsedAsHBaseNamesItToo(t *testing.T) {
	t.Parallel() // it waits most of the time
	s, err := sandbox.Start(t.Context(), sandbox.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	r := execute(t, 1, map[string]string{
		"db": "hbase", "hbase.zookeeper.quorum": s.Quorum(), "columnfamily": "cf", "phase": "load", "recordcount": "100",
	})
	require.Equal(t, result.Complete, r.Status, r.Reason)
	require.Equal(t, "sandbox", r.Provenance.Target["target"])
}

// A cluster is found by its own servers: nothing listens at the quorum. So do the set-up, actions, telemetry and operations.
func TestARunNeedsNoZooKeeper(t *testing.T) {
	t.Parallel() // it waits most of the time
	s, err := sandbox.Start(t.Context(), sandbox.Options{Servers: 3, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for class, servers := range map[string]map[string]string{
		"RpcConnectionRegistry": {"hbase.client.bootstrap.servers": "127.0.0.1:1," + s.Servers()[1].Address},
		"MasterRegistry":        {"hbase.masters": s.Master()},
	} {
		settings := map[string]string{
			"db": "sandbox", "hbase.client.registry.impl": "org.apache.hadoop.hbase.client." + class, "hbase.zookeeper.quorum": "127.0.0.1:1",
			"columnfamily": "cf", "phase": "load,run", "recordcount": "500", "operationcount": "1000", "threadcount": "4", "target": "500",
			"readproportion": "0.5", "updateproportion": "0.3", "scanproportion": "0.1", "insertproportion": "0.1", "dataintegrity": "false",
			"hbase.splits": "4", "after.load": "flush,major_compact,wait_for_quiet", "telemetry.interval": "200ms",
		}
		maps.Copy(settings, servers)
		tries := 0
		tolerance.Retry(t, func(try *tolerance.Try) {
			tries++
			settings["table"] = class + strconv.Itoa(tries)
			r := execute(t, 1, settings)
			require.Equal(t, result.Complete, r.Status, "%s %v", r.Reason, r.Missing)
			require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)
			require.Equal(t, class, r.Provenance.Target["hbase.client.registry.impl"])
			assert.Empty(try, r.Warnings, "figures are read within two seconds, unless the machine stalls")
			for _, p := range r.Phases {
				for _, o := range p.Operations {
					require.Equal(t, "OK", o.Outcome, "%s in %s", o.Op, p.Name)
				}
			}
			require.True(t, slices.ContainsFunc(r.Phases[len(r.Phases)-1].Observations, func(o result.Observation) bool { return o.Name == "hbase.regionserver.requests" }), "telemetry finds the servers")
		})
	}
}

func TestWithoutASandboxTheErrorNamesTheCommandThatStartsOne(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := execute(t, 1, map[string]string{"db": "sandbox", "hbase.zookeeper.quorum": "127.0.0.1:1", "operationcount": "10", "recordcount": "10"})
	require.Equal(t, result.Failed, r.Status)
	require.Contains(t, r.Reason, "start one with `benchd sandbox`")
}

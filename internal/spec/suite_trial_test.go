package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A sandbox supplies its own address; the suite's address of a cluster would override it.
func TestATrialRemovesASettingWithNull(t *testing.T) {
	submission := suiteOf(`
suite: s
properties: {db: hbase, columnfamily: family, duration: 1s, recordcount: 100}
targets: {A: {hbase.zookeeper.quorum: zk-a}}
scenarios: [{name: read, properties: {warmup: 5s}}]
trial:
  properties: {db: sandbox}
  targets: {A: {hbase.zookeeper.quorum: null}}
  scenarios: {read: {properties: {warmup: null}}}
`)
	submission.Supplied = map[string]map[string]string{"sandbox": {"hbase.zookeeper.quorum": "127.0.0.1:4711"}}
	full, _, err := reader().Parse(submission)
	require.NoError(t, err)
	require.Equal(t, "zk-a", full.Cases[0].Properties["hbase.zookeeper.quorum"])
	submission.Trial = true
	trial, _, err := reader().Parse(submission)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:4711", trial.Cases[0].Properties["hbase.zookeeper.quorum"])
	require.Zero(t, trial.Cases[0].Settings.Warmup)
}

package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// On a sandbox it is known where HBase is; an address that a suite has for its cluster would be in the way.
func TestATrialTakesASettingAwayWithNull(t *testing.T) {
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

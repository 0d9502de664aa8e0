package spec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
)

// databases is a suite of two databases.
const databases = `
suite: two
properties: {operationcount: 10, clientbuffering: true, columnfamily: family, null.service: 1ms, threadcount: 1}
targets:
  first: {db: hbase}
  second: {db: 'null'}
datasets: {rows: {properties: {recordcount: 100, hbase.splits: 4}}}
scenarios:
  - name: write
    dataset: rows
    targets: [first, second]
    properties: {batchsize: 1, writebuffersize: 2048}
    per-target: {second: {batchsize: 30, threadcount: 5}}
    matrix: {threadcount: [2, 3]}
trial:
  scenarios: {write: {per-target: {second: {batchsize: 3}}}}
`

// A case has the properties of its database, and none of the others; one that only another database has is allowed, and has no effect.
func TestASuiteOfSeveralDatabases(t *testing.T) {
	s, warnings, err := reader().Parse(suiteOf(databases))
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, []string{
		"fill rows on first", "write threadcount=2 on first", "fill rows on second", "write threadcount=2 on second", "write threadcount=3 on first", "write threadcount=3 on second",
	}, caseNames(s))
	first, second := s.Cases[1], s.Cases[3]
	require.Equal(t, "hbase", first.Settings.DB)
	require.Equal(t, "2048", first.Properties["writebuffersize"])
	require.NotContains(t, first.Properties, "null.service")
	require.Equal(t, 1, first.Settings.Workload.BatchSize)
	require.Equal(t, "null", second.Settings.DB)
	require.Equal(t, "1ms", second.Properties["null.service"][len("constant "):])
	require.NotContains(t, second.Properties, "writebuffersize")
	require.Equal(t, 30, second.Settings.Workload.BatchSize, "of this target alone")
	require.Equal(t, 2, second.Settings.Threads, "the matrix wins")

	trial := suiteOf(databases)
	trial.Trial = true
	s, _, err = reader().Parse(trial)
	require.NoError(t, err)
	require.Equal(t, 3, s.Cases[3].Settings.Workload.BatchSize)
}

// A property that no database of the suite has is a warning, and so is an option that replaces all databases.
func TestPropertiesOfNoDatabaseOfASuite(t *testing.T) {
	one := suiteOf(databases)
	one.Properties = []spec.Setting{{Key: "sandbox.region-servers", Value: "2", Origin: "-p"}}
	_, warnings, err := reader().Parse(one)
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Equal(t, "-p: sandbox.region-servers: has no effect: it belongs to target sandbox, and the target is hbase", warnings[0].String())

	one = suiteOf(databases)
	one.Flags = []spec.Setting{{Key: "db", Value: "null", Origin: "--db"}}
	_, warnings, err = reader().Parse(one)
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Equal(t, `--db: db: replaces the databases of the suite, hbase, null, by "null": the result has the names of its targets, and no figure of those databases`, warnings[0].String())
}

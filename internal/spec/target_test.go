package spec

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/workload"
)

func TestATargetIsFoundWithoutARun(t *testing.T) {
	properties, warnings, err := reader().Target(Submission{
		Properties: []Setting{{Key: "hbase.zookeeper.quorum", Value: "zk1, zk2:2182"}, {Key: "zeropadding", Value: "4"}},
	}, hbasespec.Name)
	require.NoError(t, err, "no columnfamily is needed, and no workload")
	require.Empty(t, warnings)
	settings, err := hbasespec.Read(properties)
	require.NoError(t, err)
	require.Equal(t, []string{"zk1:2181", "zk2:2182"}, settings.Quorum)
	require.Equal(t, "usertable", settings.FullTable())
	w, err := Workload(properties)
	require.NoError(t, err)
	require.Equal(t, 4, w.ZeroPadding)

	_, _, err = reader().Target(Submission{Properties: []Setting{{Key: "hbase.zookeper.quorum", Value: "zk1"}}}, hbasespec.Name)
	require.ErrorContains(t, err, "did you mean hbase.zookeeper.quorum?")
	_, _, err = reader().Target(Submission{Properties: []Setting{{Key: "keytab", Value: "x"}}}, hbasespec.Name)
	require.ErrorContains(t, err, "--kerberos-keytab")
}

func TestActionsAfterALoadAreNamed(t *testing.T) {
	load := func(actions string) Submission {
		return Submission{Properties: []Setting{
			{Key: "db", Value: "hbase"},
			{Key: "columnfamily", Value: "cf"},
			{Key: "recordcount", Value: "10"},
			{Key: "phase", Value: "load"},
			{Key: "hbase.after.load", Value: actions},
		}}
	}
	suite, warnings, err := reader().Parse(load("flush, major-compact,wait_for_quiet"))
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, []string{"flush", "major_compact", "wait_for_quiet"}, suite.Cases[0].Settings.AfterLoad)
	require.Equal(t, time.Hour, suite.Cases[0].Settings.ActionTimeout)
	again, err := reader().Resolve(suite.Cases[0].Properties)
	require.NoError(t, err)
	require.Equal(t, suite.Cases[0].Settings.AfterLoad, again.AfterLoad)
	suite, _, err = reader().Parse(load("snapshot t:u name=base count=false, delete-snapshot"))
	require.NoError(t, err)
	require.Equal(t, []string{"snapshot count=false name=base table=t:u", "delete_snapshot"}, suite.Cases[0].Settings.AfterLoad)
	for actions, want := range map[string]string{
		"restore nam=base":    "-p: hbase.after.load: unknown argument \"nam\" of restore; did you mean name?",
		"restore name=base/x": `invalid snapshot name "base/x"`,
		"restore count=maybe": `invalid count "maybe": want true or false`,
		"restore t u":         `unexpected argument "u" of restore; it takes table`,
		"snapshot,,restore":   `action "" is not available after a load`,
	} {
		_, _, err = reader().Parse(load(actions))
		require.ErrorContains(t, err, want)
	}
	_, _, err = reader().Parse(load("flush,defragment"))
	require.ErrorContains(t, err, "is not available after a load (one of flush, compact")
}

func TestActionsBetweenPhasesAreThoseOfTheTarget(t *testing.T) {
	two := NewReader(descriptor.Target{Name: "one", Between: []string{"flush"}}, descriptor.Target{Name: "two", Between: []string{"rest"}, Operations: []workload.Kind{workload.Read}})
	parse := func(actions string) error {
		_, _, err := two.Parse(Submission{Properties: p("db", "two", "recordcount", "10", "operationcount", "10", "readproportion", "1", "updateproportion", "0", "before.run", actions)})
		return err
	}
	require.NoError(t, parse("rest"))
	require.EqualError(t, parse("rest,flush"), "-p: before.run: target two does not support flush between phases; it supports rest")
	require.ErrorContains(t, parse("sing"), "(one of flush, rest)")
}

func TestActionsBetweenPhasesHaveNamesOfEarlierReleases(t *testing.T) {
	settings := func(pairs ...string) Submission {
		return Submission{Properties: p(append(pairs, "db", "hbase", "columnfamily", "cf", "recordcount", "10", "operationcount", "10", "phase", "load,run")...)}
	}
	old, _, err := reader().Parse(settings("hbase.after.load", "flush", "hbase.before.run", "major-compact", "hbase.action.timeout", "2h"))
	require.NoError(t, err)
	today, _, err := reader().Parse(settings("after.load", "flush", "before.run", "major_compact", "action.timeout", "2h0m0s"))
	require.NoError(t, err)
	require.Equal(t, today, old)
	require.Equal(t, "flush", old.Cases[0].Properties["after.load"])
	require.Equal(t, 2*time.Hour, old.Cases[0].Settings.ActionTimeout)
	again, err := reader().Resolve(map[string]string{"db": "hbase", "columnfamily": "cf", "recordcount": "10", "hbase.action.timeout": "2h0m0s", "operationcount": "1"})
	require.NoError(t, err, "runs of earlier releases can be read")
	require.Equal(t, 2*time.Hour, again.ActionTimeout)

	_, _, err = reader().Parse(settings("after.load", "flush", "hbase.after.load", "compact"))
	require.EqualError(t, err, "-p: hbase.after.load: means the same as after.load (-p); set only one of them")
	_, warnings, err := reader().Parse(Submission{Properties: slices.Concat(quiet, p("hbase.after.load", "flush"))})
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Equal(t, "-p: hbase.after.load: has no effect: it belongs to target hbase or sandbox, and the target is null", warnings[0].String())
}

// The rows that a run finds depend on the actions before it on its own table.
func TestActionsBetweenPhasesChangeRows(t *testing.T) {
	suite, _, err := reader().Parse(Submission{Properties: p("db", "hbase", "columnfamily", "cf", "table", "t", "recordcount", "10", "operationcount", "10", "phase", "load,run",
		"after.load", "flush,snapshot replace=true,snapshot u", "before.run", "restore name=base,truncate,restore t")})
	require.NoError(t, err)
	s := suite.Cases[0].Settings
	require.Equal(t, []plan.RowsChange{{Kind: plan.SaveRows}}, s.RowsAfterLoad)
	require.Equal(t, []plan.RowsChange{{Kind: plan.RestoreRows, Snapshot: "base"}, {Kind: plan.EmptyTable}, {Kind: plan.RestoreRows}}, s.RowsBeforeRun)
}

package spec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
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
	require.ErrorContains(t, err, "Kerberos")
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
	_, _, err = reader().Parse(load("flush,defragment"))
	require.ErrorContains(t, err, "nothing that can be done after a load; there is flush, compact")
}

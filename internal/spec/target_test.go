package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATargetIsFoundWithoutARun(t *testing.T) {
	properties, warnings, err := Target(Submission{
		Properties: []Setting{{Key: "hbase.zookeeper.quorum", Value: "zk1, zk2:2182"}, {Key: "zeropadding", Value: "4"}},
	}, HBaseTarget)
	require.NoError(t, err, "no columnfamily is needed, and no workload")
	require.Empty(t, warnings)
	settings, err := HBase(properties)
	require.NoError(t, err)
	require.Equal(t, []string{"zk1:2181", "zk2:2182"}, settings.Quorum)
	require.Equal(t, "usertable", settings.FullTable())
	w, err := Workload(properties)
	require.NoError(t, err)
	require.Equal(t, 4, w.ZeroPadding)

	_, _, err = Target(Submission{Properties: []Setting{{Key: "hbase.zookeper.quorum", Value: "zk1"}}}, HBaseTarget)
	require.ErrorContains(t, err, "did you mean hbase.zookeeper.quorum?")
	_, _, err = Target(Submission{Properties: []Setting{{Key: "keytab", Value: "x"}}}, HBaseTarget)
	require.ErrorContains(t, err, "Kerberos")
}

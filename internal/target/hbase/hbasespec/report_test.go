package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfASandboxHaveACaution(t *testing.T) {
	require.Contains(t, Sandbox().Report.Caution(nil), "no HBase", "whatever is known of it")
	require.Contains(t, Target().Report.Caution(map[string]string{"target": "sandbox"}), "no HBase")
	require.Contains(t, Target().Report.Caution(map[string]string{"target": "hbase", "hbase.version": "2.6.0-sandbox"}), "no HBase")
	require.Empty(t, Target().Report.Caution(map[string]string{"target": "hbase", "hbase.version": "2.6.4"}))
	require.Empty(t, Target().Report.Caution(nil))
}

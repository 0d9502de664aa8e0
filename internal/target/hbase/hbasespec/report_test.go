package hbasespec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFiguresOfASandboxHaveACaution(t *testing.T) {
	require.Contains(t, Sandbox().Report.Caution(nil), "not HBase", "with or without facts")
	require.Contains(t, Target().Report.Caution(map[string]string{"target": "sandbox"}), "not HBase")
	require.Contains(t, Target().Report.Caution(map[string]string{"target": "hbase", "hbase.version": "2.6.0-sandbox"}), "not HBase")
	require.Empty(t, Target().Report.Caution(map[string]string{"target": "hbase", "hbase.version": "2.6.4"}))
	require.Empty(t, Target().Report.Caution(nil))
}

package action

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/admin"
)

func TestASnapshotHasItsNumberOfRowsInItsName(t *testing.T) {
	for name, want := range map[string]saved{
		"base.rows-1000":                 {name: "base", rows: 1000, counted: true},
		"base":                           {name: "base"},
		"base.rows-":                     {name: "base.rows-"},
		"base.rows-x":                    {name: "base.rows-x"},
		"a.rows-1.rows-2":                {name: "a.rows-1", rows: 2, counted: true},
		".rows-5":                        {name: ".rows-5"},
		"base.rows-99999999999999999999": {name: "base.rows-99999999999999999999"},
	} {
		want.Snapshot = admin.Snapshot{Name: name}
		require.Equal(t, want, readSaved(admin.Snapshot{Name: name}))
	}
	require.Equal(t, "ns-t-benchd", snapshotName(map[string]string{"table": "ns:t"}))
	require.Equal(t, "base", snapshotName(map[string]string{"table": "ns:t", "name": "base"}))
}

//go:build hbase

package hbase

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/house"
)

// Trials of suites run on a real HBase to their end: each case has its figures, each table its rows, and no insert of a
// later case or repeat has written over an earlier row. R4's targets are two tables.
func TestTrialsOfPublishedBenchmarks(t *testing.T) {
	tests := []struct {
		file   string
		tables map[string][2]string // the dataset and the target that each table is of
	}{
		{"r1-tdh.yaml", map[string][2]string{"trial_usertable": {"automatic", ""}, "trial_usertableSplit": {"presplit", ""}, "trial_usertableSplitTest": {"fresh", ""}}},
		{"r4-storage-ab.yaml", map[string][2]string{"trial_usertable_a": {"rows", "A"}, "trial_usertable_b": {"rows", "B"}}},
	}
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := house.New(t)
		h.Agents("a", "b")
		for _, tc := range tests {
			t.Run(tc.file, func(t *testing.T) {
				suite := trial(t, h, s, filepath.Join(house.Root(), "configs", "suites", tc.file))
				for table, of := range tc.tables {
					require.Equal(t, inserted(suite, of[0], of[1]), s.rows(t, table), "rows of %s: none is written over", table)
				}
			})
		}
	})
}

// trial runs a suite's trial to its end.
func trial(t *testing.T, h *house.House, s *server, file string) result.Suite {
	t.Helper()
	stdout, stderr, code := house.Run(t, 20*time.Minute, "benchctl", "submit", "-f", file, "--trial", "--wait", "-o", "json", "--coordinator", h.Address,
		"-p", "db=hbase", "-p", "hbase.zookeeper.quorum="+s.quorum)
	require.Zero(t, code, "%s: %s", file, stderr)
	var suite result.Suite
	require.NoError(t, json.Unmarshal([]byte(stdout), &suite))
	require.Equal(t, result.Complete, suite.Status)
	require.NotEmpty(t, suite.Cases)
	for _, c := range suite.Cases {
		require.Empty(t, c.LeftOut, c.Name)
		require.NotEmpty(t, c.Figures, c.Name)
	}
	require.Len(t, suite.Tables, len(suite.Plan.Tables))
	for _, table := range suite.Tables {
		require.NotEmpty(t, table.Rows, table.Title)
	}
	return suite
}

// inserted is how many rows the cases of a dataset have inserted on a target.
func inserted(suite result.Suite, dataset, target string) uint64 {
	var n uint64
	for _, c := range suite.Cases {
		if c.Dataset != dataset || c.Target != target {
			continue
		}
		for _, f := range c.Figures {
			if f.Name == "insert_count" {
				for _, v := range f.Values {
					n += uint64(*v)
				}
			}
		}
	}
	return n
}

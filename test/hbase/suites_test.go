//go:build hbase

package hbase

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// The trial of R1 runs on a real HBase to its end: each case has its metrics, each table its rows, and no insert of a
// later case or repeat has overwritten an earlier row.
func TestTheTrialOfR1(t *testing.T) {
	t.Parallel() // with R4's, which waits most of the time and has its own servers
	on(t, []string{three}, func(t *testing.T, s *server) {
		h := testcluster.New(t)
		h.Agents("a", "b")
		suite := trial(t, h, s, "r1-tdh.yaml")
		for table, dataset := range map[string]string{"trial_usertable": "automatic", "trial_usertableSplit": "presplit", "trial_usertableSplitTest": "fresh"} {
			require.Equal(t, inserted(suite, dataset, ""), s.rows(t, table), "rows of %s: none is overwritten", table)
		}
	})
}

// The trial of R4 does the same with two tables as targets A and B, and with hooks that restart one of three region
// servers and add two. So it has its own cluster.
func TestTheTrialOfR4(t *testing.T) {
	t.Parallel()
	s := own(t, three)
	script := filepath.Join(testcluster.Root(), "scripts", "hbase")
	restart := filepath.Join(t.TempDir(), "restart")
	require.NoError(t, os.WriteFile(restart, fmt.Appendf(nil, `#!/usr/bin/env bash
set -euo pipefail
id=$('%[1]s' pids --dir '%[2]s' | sed -n 's/^regionserver-2 //p')
kill -TERM "$id"
while kill -0 "$id" 2>/dev/null; do sleep 0.1; done
exec '%[1]s' add --dir '%[2]s'
`, script, s.dir), 0o700))
	h := testcluster.New(t)
	for _, name := range []string{"a", "b"} {
		h.Agent(name, "--hook", "restart="+restart, "--hook", fmt.Sprintf("add-servers='%s' add --dir '%s'", script, s.dir))
	}
	h.Connected(2)
	suite := trial(t, h, s, "r4-storage-ab.yaml", "--var", "restart=hook restart", "--var", "add=hook add-servers",
		"--var", "grow=2m30s") // a busy machine takes up to a minute to start each server, and then balances
	for table, target := range map[string]string{"trial_usertable_a": "A", "trial_usertable_b": "B"} {
		require.Equal(t, inserted(suite, "rows", target), s.rows(t, table), "rows of %s: none is overwritten", table)
	}
	require.Equal(t, []float64{3}, column(t, suite, "Scale out", "region_servers_before"))
	require.Equal(t, []float64{5}, column(t, suite, "Scale out", "region_servers_after"))
	require.Equal(t, []float64{0}, column(t, suite, "Restart", "regions_stuck_in_transition"))
}

// trial runs a suite's trial to its end.
func trial(t *testing.T, h *testcluster.Cluster, s *server, file string, args ...string) result.Suite {
	t.Helper()
	begin := time.Now()
	stdout, stderr, code := testcluster.Run(t, 20*time.Minute, "benchctl", append([]string{
		"submit", "-f", filepath.Join(testcluster.Root(), "configs", "suites", file),
		"--trial", "--wait", "-o", "json", "--coordinator", h.Address, "-p", "db=hbase", "-p", "hbase.zookeeper.quorum=" + s.quorum,
	}, args...)...)
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
	t.Logf("%s took %.0f s", file, time.Since(begin).Seconds())
	return suite
}

// column returns the measured values of a table's column; there is a line for each run, or one for all.
func column(t *testing.T, suite result.Suite, title, name string) []float64 {
	t.Helper()
	var values []float64
	for _, table := range suite.Tables {
		if table.Title != title {
			continue
		}
		at := slices.IndexFunc(table.Columns, func(c result.Column) bool { return c.Name == name && !c.Published })
		require.GreaterOrEqual(t, at, 0, "%v", table.Columns)
		for _, row := range table.Rows {
			if n := row.Cells[at].Number; n != nil {
				values = append(values, *n)
			}
		}
	}
	return values
}

// inserted returns how many rows the cases of a dataset have inserted on a target.
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

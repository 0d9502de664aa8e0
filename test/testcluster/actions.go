package testcluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
)

// Answer is what benchctl admin prints with -o json.
type Answer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	Text    []string `json:"text"`
}

// Administer carries out an action on a target, and requires that it is done.
func (h *Cluster) Administer(target string, flags []string, words ...string) Answer {
	h.t.Helper()
	begin := time.Now()
	stdout, stderr, code := h.Ctl(slices.Concat([]string{"admin", target}, words, flags, []string{"-o", "json"})...)
	require.Zero(h.t, code, "%v: %s%s", words, stderr, stdout)
	h.t.Logf("%v after %.1f s", words, time.Since(begin).Seconds())
	var a Answer
	require.NoError(h.t, json.Unmarshal([]byte(stdout), &a), stdout)
	return a
}

// AdministerHBase carries out all actions of benchctl admin hbase on a table that has rows and at least four regions, and checks
// what they do. The table is dropped.
func (h *Cluster) AdministerHBase(flags []string, table string, rows int) {
	h.t.Helper()
	t := h.t
	do := func(words ...string) Answer {
		t.Helper()
		return h.Administer("hbase", flags, words...)
	}
	require.EqualValues(t, rows, do("count", table).Rows[0][1])
	require.Contains(t, fmt.Sprint(do("tables").Rows), table)
	require.Contains(t, fmt.Sprint(do("describe", table).Text), "enabled: '"+table+"'")
	// Before any split: when a table with a region that was split is truncated, HBase before 2.6 deletes files that a snapshot needs.
	taken := fmt.Sprint(do("snapshot", table, "--name", "actions").Text)
	require.Contains(t, taken, fmt.Sprintf(" and has %d rows", rows))
	require.Contains(t, fmt.Sprint(do("snapshots").Rows), fmt.Sprintf("[actions %s %d ", table, rows))
	do("truncate", table)
	require.EqualValues(t, 0, do("count", table).Rows[0][1])
	require.Contains(t, fmt.Sprint(do("restore", table, "--name", "actions").Text), fmt.Sprintf("; it has %d rows, as the snapshot", rows))
	require.EqualValues(t, rows, do("count", table).Rows[0][1])
	do("delete-snapshot", table, "--name", "actions")
	require.NotContains(t, fmt.Sprint(do("snapshots").Rows), "actions")
	servers := do("servers").Rows
	do("flush", table)
	do("compact", table)
	do("major-compact", table, "--wait")
	before := len(do("regions", table).Rows)
	require.Equal(t, []string{fmt.Sprintf("1 region of table %s split", table)}, do("split", table, "--key", "user5").Text)
	regions := do("regions", table).Rows
	require.Len(t, regions, before+1)
	require.GreaterOrEqual(t, len(regions), 5)
	for _, s := range servers {
		if s[1] == "region server" && s[0] != regions[0][3] {
			do("move", fmt.Sprint(regions[0][0]), "--to", fmt.Sprint(s[0]))
			require.Equal(t, s[0], do("regions", table).Rows[0][3])
			break
		}
	}
	require.Equal(t, []string{"the balancer is on"}, do("balancer").Text)
	do("balance")
	do("wait-for-quiet")
	require.EqualValues(t, rows, do("count", table).Rows[0][1])
	do("disable", table)
	require.Contains(t, fmt.Sprint(do("describe", table).Text), "disabled: '"+table+"'")
	do("enable", table)
	do("truncate", table)
	require.EqualValues(t, 0, do("count", table).Rows[0][1])
	do("drop", table)
	require.NotContains(t, fmt.Sprint(do("tables").Rows), table)
	do("create", table)
	do("drop", table)
}

//go:build integration

package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/test/testcluster"
)

// ycsb is the folder with YCSB's own workload files.
const ycsb = "../../internal/spec/testdata/ycsb/"

// operation is a line of the null target's log.
type operation struct {
	worker     string // agent, shard and worker
	shard      int
	kind, key  string
	sum        string // of fields and values
	begin, end int64  // Unix ns
}

// operations reads a log: each worker's lines are in its order, the workers' are mixed.
func operations(t *testing.T, path string) []operation {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var out []operation
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 9 || f[5] != "OK" {
			require.Fail(t, "invalid line in the log", lines.Text())
		}
		shard, err1 := strconv.Atoi(f[1])
		begin, err2 := strconv.ParseInt(f[6], 10, 64)
		end, err3 := strconv.ParseInt(f[7], 10, 64)
		if err1 != nil || err2 != nil || err3 != nil {
			require.Fail(t, "invalid line in the log", lines.Text())
		}
		out = append(out, operation{worker: f[0] + " " + f[1] + " " + f[2], shard: shard, kind: f[3], key: f[4], begin: begin, end: end, sum: f[8]})
	}
	return out
}

// Two agents insert while both read: every key number is inserted once, and no row is read before it exists,
// whichever of the two has inserted it.
func TestTwoAgentsShareInserts(t *testing.T) {
	const records, ops = 100_000, 1_000_000
	h := testcluster.New(t)
	h.Agents("a", "b")
	log := filepath.Join(t.TempDir(), "ops.log")
	// The throttle makes it last for some seconds, so that the agents hear of each other's inserts.
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "-P", ycsb+"workloadd", "-p", "recordcount="+strconv.Itoa(records),
		"-p", "operationcount="+strconv.Itoa(ops), "-p", "target=250000", "-p", "null.log="+log, "--threads", "2", "--interval", "200ms",
		"--seed", "7", "-p", "insert.numbers=shared", "--wait", "-o", "json")
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, 2)
	require.EqualValues(t, ops, r.Phases[0].Ops)

	numbers := make(map[string]int64, records+ops/10)
	names := keyspace.NewNames("user", 1, false)
	for n := range int64(records + ops/10) {
		numbers[string(names.Append(nil, n))] = n
	}
	all := operations(t, log)
	require.Len(t, all, ops)
	there := make(map[int64]operation, ops/20) // by key number, its insert
	next := [2]int64{records, records + 1}     // key number of each shard's insert after its last
	for _, o := range all {
		if o.kind != "INSERT" {
			continue
		}
		n, known := numbers[o.key]
		if _, again := there[n]; !known || again || n < records || (n-records)%2 != int64(o.shard) {
			require.Failf(t, "an unexpected key is inserted", "%s by shard %d, again: %v", o.key, o.shard, again)
		}
		there[n] = o
		next[o.shard] = max(next[o.shard], n+2)
	}
	require.InDelta(t, 0.05*ops, len(there), 0.002*ops)
	require.EqualValues(t, len(there), (next[0]-records)/2+(next[1]-records-1)/2, "no key number is left out")

	var own, others int
	for _, o := range all {
		n, known := numbers[o.key]
		if o.kind != "READ" || known && n < records {
			continue
		}
		insert, inserted := there[n]
		switch {
		case !known || !inserted:
			require.Failf(t, "a row is read that was never inserted", "%s", o.key)
		case insert.end > o.begin:
			require.Failf(t, "a row is read before it was inserted", "key number %d, %d ns early", n, insert.end-o.begin)
		case insert.shard == o.shard:
			own++
		default:
			others++
		}
	}
	t.Logf("%d inserts, %d reads of own new rows, %d of the other agent's", len(there), own, others)
	require.Greater(t, own, ops/20)
	require.Greater(t, others, ops/100, "watermarks let an agent read what the other one has inserted")
}

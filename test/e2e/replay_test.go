//go:build integration

package e2e

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// replayed is the number of operations of the trace: BENCHD_REPLAY_OPS, which the nightly tests set to two million.
func replayed(t *testing.T) int {
	n := 60_000
	if text := os.Getenv("BENCHD_REPLAY_OPS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	return n
}

// traced is an operation of the trace that a test writes.
type traced struct {
	at        int64 // ns
	kind, key string
}

// writeLog writes a log of n operations, some keys much more popular than others, at a rate per second, with bursts.
func writeLog(t *testing.T, path string, n int, rate float64) []traced {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	table := csv.NewWriter(file)
	require.NoError(t, table.Write([]string{"time_ns", "operation", "table", "key", "size"}))
	r := rand.New(rand.NewPCG(1, 2))
	popular := rand.NewZipf(r, 1.1, 1, uint64(n/20))
	kinds := []string{"READ", "READ", "READ", "UPDATE", "INSERT", "SCAN", "DELETE", "READ-MODIFY-WRITE"}
	const start = 1_765_000_000_000_000_000
	all := make([]traced, n)
	at := 0.0
	for i := range all {
		if i > 0 && r.Float64() > 0.1 { // every tenth operation has the instant of the one before it
			at += r.ExpFloat64() / rate / 0.9 * 1e9
		}
		all[i] = traced{int64(at), kinds[r.IntN(len(kinds))], fmt.Sprintf("key%d", popular.Uint64())}
		size := strconv.Itoa(r.IntN(200))
		require.NoError(t, table.Write([]string{strconv.FormatInt(start+all[i].at, 10), all[i].kind, "app", all[i].key, size}))
	}
	table.Flush()
	require.NoError(t, table.Error())
	return all
}

// Three agents repeat a trace: all of its operations once, at its instants, and those on a key in their order.
func TestThreeAgentsReplayATrace(t *testing.T) {
	dir := t.TempDir()
	ops := replayed(t)
	want := writeLog(t, filepath.Join(dir, "app.csv"), ops, max(6000, float64(ops)/100))
	file := filepath.Join(dir, "app.trace")
	stdout, stderr, code := testcluster.Run(t, testcluster.Patience, "benchctl", "capture", filepath.Join(dir, "app.csv"), "--out", file)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, fmt.Sprintf("%d operations on", ops))

	h := testcluster.New(t)
	for _, name := range []string{"a", "b", "c"} {
		h.Agent(name, "--write-below", dir)
	}
	h.Connected(3)
	for _, speed := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d times as fast", speed), func(t *testing.T) {
			log := filepath.Join(dir, fmt.Sprintf("%d.log", speed))
			stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "null.log="+log, "-p", "trace="+file, "-p", fmt.Sprintf("replay.speed=%d", speed),
				"-p", "measurementtype=raw", "--threads", "4", "--wait", "-o", "json")
			require.Zero(t, code, stderr)
			run := testcluster.Parse(t, stdout)
			testcluster.RequireConsistent(t, run, 3)
			require.EqualValues(t, ops, run.Reconcile.Issued)
			require.Equal(t, "open", run.Phases[0].Loop)
			requireOrderOfKeys(t, want, operations(t, log))

			out := t.TempDir()
			_, stderr, code = h.Ctl("report", run.ID, "--format", "raw", "--out", out)
			require.Zero(t, code, stderr)
			requireInstants(t, want, int64(speed), run.Start.Planned.UnixNano(), filepath.Join(out, run.ID+"-raw.csv"))
		})
	}
}

// requireOrderOfKeys compares the operations on each key, by the instants at which the target began them, with the trace.
func requireOrderOfKeys(t *testing.T, want []traced, got []operation) {
	t.Helper()
	require.Len(t, got, len(want)+counted(want, "READ-MODIFY-WRITE"), "each of these reads, and then updates")
	slices.SortStableFunc(got, func(a, b operation) int { return int(a.begin - b.begin) })
	sent, workers := make(map[string][]string), make(map[string]string)
	for _, o := range got {
		sent[o.key] = append(sent[o.key], o.kind)
		if before, seen := workers[o.key]; seen {
			require.Equal(t, before, o.worker, "a key has one worker")
		}
		workers[o.key] = o.worker
	}
	intended := make(map[string][]string)
	for _, o := range want {
		if o.kind == "READ-MODIFY-WRITE" {
			intended[o.key] = append(intended[o.key], "READ", "UPDATE")
		} else {
			intended[o.key] = append(intended[o.key], o.kind)
		}
	}
	require.Len(t, sent, len(intended))
	for key := range intended {
		require.Equal(t, intended[key], sent[key], key)
	}
	require.Greater(t, len(sent), 100)
}

func counted(all []traced, kind string) (n int) {
	for _, o := range all {
		if o.kind == kind {
			n++
		}
	}
	return n
}

// requireInstants compares the intended instants of all operations, which are the ends minus the response times, with the trace.
func requireInstants(t *testing.T, want []traced, speed, start int64, path string) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	column := func(name string) int {
		i := slices.Index(rows[0], name)
		require.GreaterOrEqual(t, i, 0, "%s in %v", name, rows[0])
		return i
	}
	op, part, done, response := column("op"), column("part_of"), column("done_unix_ns"), column("response_ns")
	got := make(map[string][]int64)
	for _, row := range rows[1:] {
		if row[part] != "" || row[op] == "CLEANUP" {
			continue
		}
		end, err1 := strconv.ParseInt(row[done], 10, 64)
		took, err2 := strconv.ParseInt(row[response], 10, 64)
		require.NoError(t, err1)
		require.NoError(t, err2)
		got[row[op]] = append(got[row[op]], end-took-start)
	}
	var largest int64
	intended := make(map[string][]int64)
	for _, o := range want {
		intended[o.kind] = append(intended[o.kind], o.at/speed)
	}
	require.Len(t, got, len(intended))
	for kind := range intended {
		slices.Sort(got[kind])
		require.Len(t, got[kind], len(intended[kind]), kind)
		for i := range got[kind] {
			largest = max(largest, got[kind][i]-intended[kind][i], intended[kind][i]-got[kind][i])
		}
	}
	t.Logf("%d operations at %d times the speed: intended instants differ from the trace by at most %d ns", len(want), speed, largest)
	require.Less(t, largest, int64(1_000_000), "an intended instant differs from the trace by a millisecond or more")
}

//go:build integration

package e2e

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/test/testcluster"
)

// byWorker groups operations by worker, in order: the operation, its key and its values.
func byWorker(all []operation) map[string][]string {
	out := make(map[string][]string)
	for _, o := range all {
		out[o.worker] = append(out[o.worker], o.kind+" "+o.key+" "+o.sum)
	}
	return out
}

// logged runs once and returns the operations.
func logged(t *testing.T, args ...string) []operation {
	t.Helper()
	log := filepath.Join(t.TempDir(), "ops.log")
	args = append([]string{"run", "--db", "null", "--write-below", filepath.Dir(log), "-p", "null.log=" + log, "-p", "recordcount=10000", "-o", "json"}, args...)
	stdout, stderr, code := testcluster.Run(t, testcluster.Patience, "benchctl", args...)
	require.Zero(t, code, stderr)
	require.Equal(t, "complete", string(testcluster.Parse(t, stdout).Status))
	return operations(t, log)
}

// A seed repeats what each worker does, and another one does not.
func TestASeedRepeatsTheOperationsOfEachWorker(t *testing.T) {
	t.Parallel() // it waits most of the time
	mix := []string{
		"-p", "operationcount=20000", "-p", "requestdistribution=zipfian", "-p", "readproportion=0.4", "-p", "updateproportion=0.3",
		"-p", "scanproportion=0.1", "-p", "readmodifywriteproportion=0.2",
	}
	for name, args := range map[string][]string{
		"several workers without inserts": append(mix, "--agents", "2", "--threads", "2"),
		"one worker in an open loop":      append(mix, "--agents", "2", "--threads", "1", "--target", "40000"),
		"numbers shared by one worker":    {"-P", ycsb + "workloadd", "-p", "operationcount=20000", "-p", "insert.numbers=shared"},
		"a load":                          append(mix, "--agents", "2", "--threads", "2", "--phase", "load"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := byWorker(logged(t, append(args, "--seed", "7")...))
			require.Equal(t, first, byWorker(logged(t, append(args, "--seed", "7")...)))
			require.NotEqual(t, first, byWorker(logged(t, append(args, "--seed", "8")...)))
		})
	}
}

// The same holds for what is inserted while several workers of several agents work, and for reads of it.
func TestASeedRepeatsInsertsAndReadsOfThem(t *testing.T) {
	t.Parallel() // it waits most of the time
	const records, ops = 10_000, 40_000
	logged := func(t *testing.T, h *testcluster.Cluster, args ...string) []operation {
		t.Helper()
		log := filepath.Join(t.TempDir(), "ops.log")
		args = append([]string{
			"submit", "--db", "null", "-p", "null.log=" + log, "-p", "recordcount=" + strconv.Itoa(records), "--threads", "4",
			"--interval", "100ms", "--wait", "-o", "json",
		}, args...)
		stdout, stderr, code := h.Ctl(args...)
		require.Zero(t, code, stderr)
		testcluster.RequireConsistent(t, testcluster.Parse(t, stdout), 2)
		return operations(t, log)
	}
	byOps := []string{"-p", "operationcount=" + strconv.Itoa(ops)}
	byTime := []string{"--duration", "1s", "-p", "operationcount=0", "-p", "null.service=200us"}
	for name, test := range map[string]struct {
		distribution, inserts string
		end                   []string
	}{
		"latest, 5 % inserts":     {"latest", "0.05", byOps},
		"latest, 30 % inserts":    {"latest", "0.3", byOps},
		"zipfian, 5 % inserts":    {"zipfian", "0.05", byOps},
		"zipfian, 30 % inserts":   {"zipfian", "0.3", byOps},
		"a throttled closed loop": {"latest", "0.1", append(byOps, "-p", "target=40000")},
		"an open loop":            {"latest", "0.1", append(byOps, "--target", "40000")},
		"an end by time":          {"latest", "0.1", byTime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := testcluster.New(t)
			h.Agents("a", "b")
			args := append([]string{
				"--seed", "7", "-p", "requestdistribution=" + test.distribution, "-p", "insertproportion=" + test.inserts,
				"-p", "readproportion=" + complement(t, test.inserts), "-p", "updateproportion=0",
			}, test.end...)
			first, second := logged(t, h, args...), logged(t, h, args...)
			soundInserts(t, records, first)
			soundInserts(t, records, second)
			a, b := byWorker(first), byWorker(second)
			require.Len(t, a, 8)
			for worker := range a {
				if name == "an open loop" || name == "an end by time" { // the clock determines how many each worker gets
					n := min(len(a[worker]), len(b[worker]))
					require.Greater(t, n, 100)
					require.Equal(t, a[worker][:n], b[worker][:n], worker)
				} else {
					require.Equal(t, a[worker], b[worker], worker)
					require.Len(t, a[worker], ops/8)
				}
			}
		})
	}
}

// complement returns 1 minus a share.
func complement(t *testing.T, share string) string {
	t.Helper()
	f, err := strconv.ParseFloat(share, 64)
	require.NoError(t, err)
	return strconv.FormatFloat(1-f, 'g', -1, 64)
}

// soundInserts checks that each number is inserted once, as it was dealt out, and that a worker reads of the new rows
// only those that it has inserted before.
func soundInserts(t *testing.T, records int64, all []operation) {
	t.Helper()
	const workers = 8
	names := keyspace.NewNames("user", 1, false)
	numbers := make(map[string]int64)
	for n := range records + workers*int64(len(all)) {
		numbers[string(names.Append(nil, n))] = n
	}
	inserted := make(map[int64]string) // by key number, the worker
	next := make(map[string]int64)
	dealt := make(map[int64]string) // by remainder, the worker
	var news int
	for _, o := range all { // each worker's are in order, and no worker reads another's
		n, known := numbers[o.key]
		switch {
		case !known:
			require.Failf(t, "a key does not belong to the table", "%s", o.key)
		case o.kind == "INSERT":
			if worker, again := inserted[n]; again {
				require.Failf(t, "a number is inserted twice", "%d by %s and %s", n, worker, o.worker)
			}
			inserted[n] = o.worker
			hand := (n - records) % workers
			if _, taken := dealt[hand]; !taken {
				dealt[hand], next[o.worker] = o.worker, records+hand
			}
			require.Equal(t, dealt[hand], o.worker, "the worker of the number's remainder")
			require.Equal(t, next[o.worker], n, "no number is left out")
			next[o.worker] += workers
		case n >= records && o.worker != inserted[n]:
			require.Failf(t, "a new row is read that is not the worker's own", "key number %d by %s, inserted by %q", n, o.worker, inserted[n])
		case n >= records:
			news++
		}
	}
	require.NotEmpty(t, inserted)
	require.Greater(t, news, len(all)/100)
}

//go:build hbase

package hbase

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// application writes the log of an application as CSV: updates with other sizes of the same keys, now and then in the same
// microsecond, rows that it inserts, and rows that it deletes at the end. It returns what the table has afterwards.
func application(t *testing.T, file string) (operations int, after sums) {
	t.Helper()
	const keys, deleted, inserted = 200, 20, 50
	const loaded = 100 // bytes of a row that is read before it is written: the load follows fieldlength then
	f, err := os.Create(file)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "time_us,operation,key,size")
	random := rand.New(rand.NewPCG(1, 2))
	at, sizes := 0, map[string]int{}
	line := func(op, key string, size int) {
		at += random.IntN(2) * random.IntN(600)
		fmt.Fprintf(w, "%d,%s,%s,%d\n", at, op, key, size)
		operations++
	}
	for range 8000 {
		key := fmt.Sprintf("row-%03d", random.IntN(1+random.IntN(keys)))
		if random.IntN(3) == 0 {
			line("READ", key, 0)
			if sizes[key] == 0 {
				sizes[key] = loaded
			}
			continue
		}
		sizes[key] = 1 + random.IntN(5000)
		line("UPDATE", key, sizes[key])
	}
	for i := range inserted {
		key := fmt.Sprintf("new-%03d", i)
		sizes[key] = 1 + random.IntN(5000)
		line("INSERT", key, sizes[key])
	}
	for i := range deleted {
		key := fmt.Sprintf("row-%03d", i)
		line("DELETE", key, 0)
		delete(sizes, key)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	for _, size := range sizes {
		after.rows++
		after.cells++
		after.bytes += uint64(size)
	}
	return operations, after
}

// Two agents replay a trace at twice its speed on a real HBase. The operations on each key keep their order: HBase's own client
// finds every row with the size of its last write, and no row that was deleted.
func TestATraceIsReplayedOnHBase(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const table = "replayed"
		dir := t.TempDir()
		log, trace := filepath.Join(dir, "app.csv"), filepath.Join(dir, "app.trace")
		operations, after := application(t, log)
		_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "capture", log, "--out", trace)
		require.Zero(t, code, stderr)
		h := testcluster.New(t)
		h.Agents("a", "b")
		r := submit(t, h, 2, s, table, "--phase", "load,run", "--threads", "32", "-p", "fieldcount=1", "-p", "trace="+trace, "-p", "replay.speed=2",
			"-p", "hbase.table.create=recreate", "-p", "hbase.splits=4")
		faultless(t, r)
		require.Equal(t, "open", r.Subject().Loop)
		require.EqualValues(t, operations, r.Subject().Ops)
		require.EqualValues(t, 20, count(r, "DELETE", "OK"))
		require.Equal(t, after, s.sum(t, table))
	})
}

// Keys of a template are on a real HBase what its page says: two agents load each once and insert others, all reads find their rows
// with the expected values, and HBase's own client counts as many rows as were written.
func TestKeysOfATemplateOnHBase(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const table, records = "templated", 4000
		keys := []string{"-p", "key.template={tenant:zipf(1000)}-{ts:reverse}-{seq:hash}", "-p", "dataintegrity=true", "-p", fmt.Sprint("recordcount=", records), "--threads", "8"}
		h := testcluster.New(t)
		h.Agents("a", "b")
		faultless(t, submit(t, h, 2, s, table, append(keys, "--phase", "load", "-p", "hbase.table.create=recreate", "-p", "hbase.splits=4")...))
		require.EqualValues(t, records, s.rows(t, table))
		r := submit(t, h, 2, s, table, append(keys, "-p", "operationcount=4000", "-p", "readproportion=0.6", "-p", "updateproportion=0.2", "-p", "insertproportion=0.2", "-p", "seed=5")...)
		faultless(t, r)
		inserted := count(r, "INSERT", "OK")
		require.Positive(t, inserted)
		require.Equal(t, count(r, "READ", "OK"), count(r, "VERIFY", "OK"))
		require.Equal(t, records+inserted, s.rows(t, table))
	})
}

//go:build hbase

package hbase

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/test/testcluster"
)

// A bulk load writes each row once into the regions that hold it, also while regions split, and HBase's own client reads all of them.
func TestBulkLoad(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records, fields, length = 30_000, 11, 40 // field10 sorts before field2
		const table = "bulk"
		shared := t.TempDir()
		require.NoError(t, os.Chmod(shared, 0o755))
		rows := append(property("recordcount", records, "fieldcount", fields, "fieldlength", length, "dataintegrity", true), "--threads", "4")
		load := slices.Concat(rows, property("hbase.load.method", "bulkload", "hbase.bulkload.directory", "file://"+shared+"/files", "hbase.bulkload.buffer", 1<<20,
			"after.load", "major_compact"), []string{"--phase", "load", "--write-below", shared})

		c, err := admin.Connect(t.Context(), admin.Config{Quorum: s.quorum})
		require.NoError(t, err)
		defer c.Close()
		done := make(chan int)
		go func() { // splits regions as soon as they have rows
			splits := 0
			defer func() { done <- splits }()
			pause := time.NewTicker(50 * time.Millisecond)
			defer pause.Stop()
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && splits < 2; <-pause.C {
				for _, at := range []string{"user3", "user7"}[splits:] {
					r, err := c.RegionOf(t.Context(), table, []byte(at))
					if err == nil && c.Split(t.Context(), r.Encoded, []byte(at)) == nil {
						splits++
					}
				}
			}
		}()
		r := run(t, s, table, slices.Concat(load, property("hbase.splits", 3, "hbase.table.create", "recreate"))...)
		faultless(t, r)
		require.EqualValues(t, records, count(r, "INSERT", "BATCHED_OK"))
		require.GreaterOrEqual(t, count(r, "WRITE-HFILE", "OK"), count(r, "LOAD-HFILE", "OK"), "files that are written again are not loaded")
		require.Positive(t, count(r, "LOAD-HFILE", "OK"))
		require.Positive(t, <-done, "regions were split at the time of the load, or soon after it")
		require.Equal(t, sums{rows: records, cells: records * fields, bytes: records * fields * length}, s.sum(t, table))
		left, err := filepath.Glob(filepath.Join(shared, "files", "*"))
		require.NoError(t, err)
		require.Empty(t, left, "files that were not removed")

		reads := run(t, s, table, slices.Concat(rows, property("readproportion", 1, "updateproportion", 0, "operationcount", records, "requestdistribution", "sequential"))...)
		faultless(t, reads)
		require.EqualValues(t, records, count(reads, "VERIFY", "OK"))

		updates := run(t, s, table, slices.Concat(rows, property("readproportion", 0.5, "updateproportion", 0.5, "operationcount", 2000))...)
		faultless(t, updates)
		require.EqualValues(t, records, s.rows(t, table))
	})
}

// A folder that the servers do not see is refused before a row is generated: the agent has a mount of its own there.
func TestABulkLoadFromAFolderThatServersDoNotSee(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		shared := t.TempDir()
		load := slices.Concat([]string{"run", "-q"}, s.flags("bulk_refused"), property("recordcount", 100, "hbase.table.create", "recreate", "hbase.load.method", "bulkload",
			"hbase.bulkload.directory", "file://"+shared+"/files"), []string{"--phase", "load"})
		_, stderr, code := testcluster.Run(t, soon, "benchctl", append(load, "--write-below", t.TempDir())...)
		require.NotZero(t, code)
		require.Contains(t, stderr, "this agent writes files only below")
		_, stderr, code = testcluster.Command(t, soon, "unshare", append([]string{
			"--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs none "$0" && exec "$@"`, shared,
			testcluster.Program("benchctl"),
		}, append(load, "--write-below", shared)...)...)
		require.NotZero(t, code)
		require.Regexp(t, "cannot load files from .*FileNotFoundException.*must be on a file system that this agent and all region servers share", strings.ReplaceAll(stderr, "\n", " "))
		require.EqualValues(t, 0, s.rows(t, "bulk_refused"))
	})
}

// An agent is killed while HFiles of it are written or loaded. Its rows are counted when servers have loaded them, and by nobody else.
func TestAnAgentIsKilledDuringABulkLoad(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records, fields, length = 40_000, 5, 100
		// kill submits a load on agents a and b, and kills b as soon as a file of it exists. It returns the suite and what is left of its files.
		kill := func(t *testing.T, table string, more ...string) (h *testcluster.Cluster, id string, left func() []string) {
			t.Helper()
			shared := t.TempDir()
			require.NoError(t, os.Chmod(shared, 0o755))
			h = testcluster.New(t)
			victim := h.Agent("b", "--write-below", shared)
			h.Agent("a", "--write-below", shared)
			h.Connected(2)
			stdout, stderr, code := h.Ctl(slices.Concat([]string{"submit"}, s.flags(table), property("recordcount", records, "fieldcount", fields, "fieldlength", length,
				"hbase.splits", 3, "hbase.table.create", "recreate", "hbase.load.method", "bulkload", "hbase.bulkload.directory", "file://"+shared, "hbase.bulkload.buffer", 256<<10),
				[]string{"--phase", "load", "--threads", "2"}, more)...)
			require.Zero(t, code, stderr)
			id = strings.TrimSpace(stdout)
			of := func(agent string) []string {
				files, err := filepath.Glob(filepath.Join(shared, "benchd-"+id+".1-"+agent, "*"))
				require.NoError(t, err)
				return files
			}
			testcluster.Eventually(t, soon, func() bool {
				status := h.Status(id)
				require.NotContains(t, []string{"failed", "complete"}, status)
				return status == "running" && len(h.Show(id).Phases) > 0
			}, "the load should begin")
			testcluster.Eventually(t, soon, func() bool { return len(of("b")) > 0 }, "an HFile should be written")
			victim.Signal(syscall.SIGKILL)
			victim.Exit(testcluster.Patience)
			return h, id, func() []string {
				folders, err := filepath.Glob(filepath.Join(shared, "*"))
				require.NoError(t, err)
				return folders
			}
		}
		t.Run("continue", func(t *testing.T) {
			h, id, left := kill(t, "bulk_continue", append(property("handover.after", "2s"), "--on-agent-loss", "continue")...)
			testcluster.Eventually(t, 2*soon, func() bool { return h.Status(id) != "running" }, "the load should end")
			r := h.Show(id)
			require.Equal(t, result.Complete, r.Status, "%s %v", r.Reason, r.Missing)
			faultless(t, r)
			require.NotEmpty(t, r.Phases[0].Handovers)
			require.EqualValues(t, records, r.Phases[0].Rows, "each row is counted once")
			require.EqualValues(t, records, count(r, "INSERT", "BATCHED_OK"))
			require.Equal(t, sums{rows: records, cells: records * fields, bytes: records * fields * length}, s.sum(t, "bulk_continue"))
			require.LessOrEqual(t, len(left()), 1, "only the killed agent leaves its folder: %v", left())
		})
		t.Run("fail", func(t *testing.T) {
			h, id, left := kill(t, "bulk_fail")
			testcluster.Eventually(t, 2*soon, func() bool { return h.Status(id) != "running" }, "the load should end")
			r := h.Show(id)
			require.Equal(t, result.Failed, r.Status)
			require.Contains(t, r.Reason, "agent b")
			counted := r.Phases[0].Rows
			require.Less(t, counted, uint64(records))
			require.GreaterOrEqual(t, s.rows(t, "bulk_fail"), counted, "what is counted has been loaded")
			require.LessOrEqual(t, len(left()), 1, "only the killed agent leaves its folder: %v", left())
		})
	})
}

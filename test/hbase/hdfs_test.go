//go:build hbase

package hbase

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// onHDFS is a region server whose files are in an HDFS of its own.
const onHDFS = "an HDFS"

// hdfs returns the URL of the file system of a server.
func (s *server) hdfs(t *testing.T) string {
	t.Helper()
	instance, err := os.ReadFile(filepath.Join(s.dir, "conf", "instance"))
	require.NoError(t, err)
	for line := range strings.Lines(string(instance)) {
		if port, ok := strings.CutPrefix(strings.TrimSpace(line), "namenode="); ok {
			return "hdfs://127.0.0.1:" + port
		}
	}
	require.Fail(t, "the instance should have a namenode", "%s", instance)
	return ""
}

// hadoop runs a program of Hadoop or HBase with the server's configuration, and returns its output.
func (s *server) hadoop(t *testing.T, class string, args ...string) string {
	t.Helper()
	conf := filepath.Join(s.dir, "conf")
	classpath, err := os.ReadFile(filepath.Join(conf, "classpath"))
	require.NoError(t, err)
	stdout, stderr, code := testcluster.Command(t, time.Minute, "java", slices.Concat([]string{
		"-Xmx256m", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-Dbenchd.log=" + filepath.Join(s.dir, "logs", "hadoop.log"),
		"-cp", conf + ":" + strings.TrimSpace(string(classpath)), class,
	}, args)...)
	require.Zero(t, code, "%s %v: %s%s", class, args, stdout, stderr)
	return stdout
}

// files lists the files and folders below a folder of HDFS.
func (s *server) files(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	for line := range strings.Lines(s.hadoop(t, "org.apache.hadoop.fs.FsShell", "-ls", "-R", folder)) {
		if f := strings.Fields(line); len(f) == 8 {
			files = append(files, f[7])
		}
	}
	return files
}

// bulkload are the flags of a load by HFiles.
func bulkload(folder string, pairs ...any) []string {
	return append(property(append([]any{"hbase.load.method", "bulkload", "hbase.bulkload.directory", folder, "hbase.bulkload.buffer", 1 << 20}, pairs...)...), "--phase", "load")
}

// Two agents load into HDFS as a user who owns nothing of HBase's. HBase's own tool checks the files, and its client reads all rows.
func TestBulkLoadOnHDFS(t *testing.T) {
	s := share(t, onHDFS)
	const records, fields, length = 30_000, 5, 100
	open := s.hdfs(t) + "/open"
	h := testcluster.New(t)
	h.Agent("a", "--write-below", open)
	h.Agent("b", "--write-below", open)
	h.Connected(2)
	rows := append(property("recordcount", records, "fieldcount", fields, "fieldlength", length, "dataintegrity", true), "--threads", "2")
	r := submit(t, h, 2, s, "bulk", slices.Concat(rows, bulkload(open+"/files", "hadoop.user.name", "alice", "hbase.splits", 1, "hbase.table.create", "recreate"))...)
	faultless(t, r)
	require.EqualValues(t, records, count(r, "INSERT", "BATCHED_OK"))
	require.Equal(t, sums{rows: records, cells: records * fields, bytes: records * fields * length}, s.sum(t, "bulk"))
	require.Equal(t, []string{"/open/files"}, s.files(t, "/open"), "the agents should have removed their folders")

	checked := make(map[string]bool) // a file of each region
	for _, file := range s.files(t, "/hbase/data/default/bulk") {
		region := filepath.Dir(file)
		if filepath.Base(region) != family || checked[region] {
			continue
		}
		checked[region] = true
		printed := s.hadoop(t, "org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter", "-v", "-m", "-k", "-f", s.hdfs(t)+file) // -k checks the order of rows
		require.NotContains(t, printed, "WARNING", file)
		require.NotContains(t, printed, "ERROR", file)
		_, scanned, found := strings.Cut(printed, "Scanned kv count -> ")
		require.True(t, found, printed)
		n, err := strconv.Atoi(strings.Fields(scanned)[0])
		require.NoError(t, err)
		require.Positive(t, n)
		require.Contains(t, printed, "entryCount="+strconv.Itoa(n)+",", file)
	}
	require.Len(t, checked, 2)

	reads := run(t, s, "bulk", slices.Concat(rows, property("readproportion", 1, "updateproportion", 0, "operationcount", records, "requestdistribution", "sequential"))...)
	faultless(t, reads)
	require.EqualValues(t, records, count(reads, "VERIFY", "OK"))
}

// What stands against a bulk load on HDFS is reported before a row is generated, and nothing is left.
func TestABulkLoadOnHDFSThatCannotBegin(t *testing.T) {
	s := share(t, onHDFS)
	at := s.hdfs(t)
	safemode := func(t *testing.T, to string) {
		t.Helper()
		s.hadoop(t, "org.apache.hadoop.hdfs.tools.DFSAdmin", "-safemode", to)
	}
	for name, test := range map[string]struct {
		below, folder, user, want string
		before, after             func(t *testing.T)
	}{
		"the operator allows no folder of HDFS":  {below: t.TempDir(), folder: at + "/open/files", want: "writes files only below .*--write-below"},
		"the operator allows another folder":     {below: at + "/closed", folder: at + "/open/files", want: "writes files only below hdfs://.*/closed"},
		"the folder does not exist":              {below: at + "/nowhere", folder: at + "/nowhere/files", want: "/nowhere, the folder of --write-below, does not exist in HDFS"},
		"the user may not write":                 {below: at + "/closed", folder: at + "/closed/files", want: "permission denied for user alice"},
		"no namenode answers":                    {below: "hdfs://127.0.0.1:1/open", folder: "hdfs://127.0.0.1:1/open/files", want: "no available namenodes.*connection refused"},
		"the address is not allowed":             {below: "hdfs://203.0.113.1:8020/open", folder: "hdfs://203.0.113.1:8020/open/files", want: "refuse to connect to 203.0.113.1:8020, which hbase.bulkload.directory names"},
		"the servers do not know a name service": {below: "hdfs://cluster/open", folder: "hdfs://cluster/open/files", want: "cannot load files from hdfs://cluster/open/files.*UnknownHostException"},
		"HDFS is in safe mode": {
			below: at + "/open", folder: at + "/open/files", want: "is in safe mode and takes no files",
			before: func(t *testing.T) { t.Helper(); safemode(t, "enter") }, after: func(t *testing.T) { t.Helper(); safemode(t, "leave") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.before != nil {
				test.before(t)
				defer test.after(t)
			}
			_, stderr, code := testcluster.Run(t, soon, "benchctl", slices.Concat([]string{"run", "-q", "--write-below", test.below}, s.flags("refused"),
				bulkload(test.folder, "recordcount", 100, "hadoop.user.name", "alice", "hbase.table.create", "missing",
					"hbase.bulkload.namenodes", "cluster/"+strings.TrimPrefix(at, "hdfs://")))...)
			require.Equal(t, 1, code)
			require.Regexp(t, test.want, strings.ReplaceAll(stderr, "\n", " "))
		})
	}
	for _, file := range s.files(t, "/open") {
		require.Equal(t, "/open/files", file, "the agents should have removed their folders")
	}
	require.Empty(t, s.files(t, "/closed"))
}

// datanode returns a function that sends signals to the datanode of a server.
func (s *server) datanode(t *testing.T) func(signal syscall.Signal) {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, time.Minute, script(), "pids", "--dir", s.dir)
	require.Zero(t, code, stderr)
	_, id, found := strings.Cut(stdout, "datanode ")
	require.True(t, found, stdout)
	pid, err := strconv.Atoi(strings.Fields(id)[0])
	require.NoError(t, err)
	return func(signal syscall.Signal) {
		t.Helper()
		require.NoError(t, syscall.Kill(pid, signal))
	}
}

// The datanode stalls while files are written: they are written again until the time of an operation is over.
func TestADatanodeStallsDuringABulkLoadOnHDFS(t *testing.T) {
	s := share(t, onHDFS)
	const records, fields, length = 40_000, 5, 100
	open := s.hdfs(t) + "/open"
	datanode := s.datanode(t)
	t.Cleanup(func() { datanode(syscall.SIGCONT) })
	h := testcluster.New(t)
	h.Agent("a", "--write-below", open)
	h.Connected(1)
	// begin submits a load of some 10 s, and waits until rows are loaded. Then the datanode stops.
	begin := func(t *testing.T, pairs ...any) string {
		t.Helper()
		stdout, stderr, code := h.Ctl(slices.Concat([]string{"submit", "--threads", "2"}, s.flags("stalled"), property("recordcount", records, "fieldcount", fields, "fieldlength", length,
			"target", 4000, "hbase.table.create", "recreate", "hadoop.user.name", "alice", "hbase.rpc.timeout", 1500), bulkload(open+"/files", pairs...),
			property("hbase.bulkload.buffer", 256<<10))...)
		require.Zero(t, code, stderr)
		id := strings.TrimSpace(stdout)
		testcluster.Eventually(t, soon, func() bool {
			r := h.Show(id)
			require.NotContains(t, []result.Status{result.Failed, result.Complete}, r.Status, r.Reason)
			return len(r.Phases) > 0 && r.Phases[0].Rows > 0
		}, "rows should be loaded")
		datanode(syscall.SIGSTOP)
		return id
	}
	ended := func(id string) func() bool { return func() bool { return h.Status(id) != "running" } }
	t.Run("for a while", func(t *testing.T) {
		id := begin(t)
		<-time.After(4 * time.Second) // longer than the limit of a write
		datanode(syscall.SIGCONT)
		testcluster.Eventually(t, 2*soon, ended(id), "the load should end")
		r := h.Show(id)
		testcluster.RequireConsistent(t, r, 1)
		faultless(t, r)
		require.EqualValues(t, records, r.Phases[0].Rows)
		require.Positive(t, r.Phases[0].Retries["hfile_not_written"], "%v", r.Phases[0].Retries)
		require.Equal(t, sums{rows: records, cells: records * fields, bytes: records * fields * length}, s.sum(t, "stalled"))
	})
	t.Run("until the load fails", func(t *testing.T) {
		id := begin(t, "hbase.client.operation.timeout", 6000)
		testcluster.Eventually(t, 2*soon, ended(id), "the load should end")
		r := h.Show(id)
		require.Equal(t, result.Failed, r.Status)
		require.Contains(t, r.Reason, "HDFS at")
		require.Less(t, r.Phases[0].Rows, uint64(records))
		datanode(syscall.SIGCONT)
		require.GreaterOrEqual(t, s.rows(t, "stalled"), r.Phases[0].Rows, "what is counted has been loaded")
	})
	require.Equal(t, []string{"/open/files"}, s.files(t, "/open"), "the agent should have removed its folders")
}

//go:build hbase

package hbase_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// stopProcess stops the process of a region server and returns what continues it. The server's name is HOST,PORT,STARTCODE.
func stopProcess(t *testing.T, server string) (resume func()) {
	t.Helper()
	dir := os.Getenv("BENCHD_HBASE_DIR")
	require.NotEmpty(t, dir, "BENCHD_HBASE_DIR: the folder of the HBase, whose processes the test stops")
	script, err := filepath.Abs("../../../scripts/hbase")
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), script, "pids", "--dir", dir).Output()
	require.NoError(t, err)
	port := strings.Split(server, ",")[1]
	for line := range strings.Lines(string(out)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, err := strconv.Atoi(text)
		require.NoError(t, err)
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
		require.NoError(t, err)
		if !strings.Contains(string(command), "hbase.regionserver.port="+port+"\x00") {
			continue
		}
		t.Logf("stopping %s, process %d", name, id)
		require.NoError(t, syscall.Kill(id, syscall.SIGSTOP))
		return func() { _ = syscall.Kill(id, syscall.SIGCONT) }
	}
	require.Failf(t, "no process", "%s in\n%s", server, out)
	return nil
}

// On a table with replicas a stopped server makes timeline-consistent reads stale, and those are counted; strong reads are never stale.
func TestReplicasOfHBaseAnswerWhileAServerIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const name = "benchd_timeline"
	c, err := admin.Connect(ctx, admin.Config{Quorum: quorum()})
	require.NoError(t, err)
	defer c.Close()
	if there, err := c.Exists(ctx, name); err == nil && there {
		require.NoError(t, c.Drop(ctx, name))
	}
	table := admin.Table{Name: name, Attributes: map[string]string{admin.Replication: "3"}, Families: []admin.Family{{Name: "cf"}}}
	require.NoError(t, c.Create(ctx, table, nil))
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, c.Drop(ctx, name))
	}()
	open := func(consistency, timeout string) (load.Target, load.Session) {
		return realOpen(t, map[string]string{
			"table": name, "columnfamily": "cf", "hbase.zookeeper.quorum": quorum(), "hbase.consistency": consistency,
			"hbase.client.operation.timeout": timeout, "hbase.client.replicaCallTimeout.scan": "10000",
		})
	}
	strong, writer := open("strong", "20000")
	const rows = 20
	for i := range rows {
		require.NoError(t, writer.Do(ctx, &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%02d", i), Fields: b("f"), Values: b("v")}).Err)
	}
	_, _, err = c.Flush(ctx, name)
	require.NoError(t, err)
	require.NoError(t, c.Disable(ctx, name)) // replicas read the flushed files when they open, also without a refresh period
	require.NoError(t, c.Enable(ctx, name))
	require.NoError(t, c.WaitOpen(ctx, name))
	require.NoError(t, c.WaitReplicas(ctx, name, 3))

	target, s := open("timeline", "20000")
	require.NoError(t, target.(load.Admin).Prepare(ctx))
	facts, err := target.(load.Observer).Facts(ctx)
	require.NoError(t, err)
	require.Equal(t, "timeline", facts["consistency"])
	require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k01")}).Err)
	_, waiting := open("strong", "500")
	require.Eventually(t, func() bool { return waiting.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k01")}).Err == nil }, 20*time.Second, 10*time.Millisecond)

	region, err := c.RegionOf(ctx, name, []byte("k01"))
	require.NoError(t, err)
	t.Logf("the region is on %s, its replicas on %v", region.Server, region.Replicas)
	before := staleReads(target)
	resume := stopProcess(t, region.Server)
	defer resume()
	for i := range rows {
		require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Read, Key: fmt.Appendf(nil, "k%02d", i)}).Err)
	}
	require.Equal(t, before+rows, staleReads(target))
	out := s.Do(ctx, &workload.Op{Kind: workload.Scan, Key: []byte("k00"), ScanLength: rows})
	require.NoError(t, out.Err)
	require.EqualValues(t, rows, out.Rows)
	require.Equal(t, before+rows+1, staleReads(target))
	require.Equal(t, workload.Timeout, waiting.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k01")}).Code)
	resume()
	require.NotContains(t, strong.(load.Counter).Counts(), "stale_read")
	t.Log(target.(load.Counter).Counts())
}

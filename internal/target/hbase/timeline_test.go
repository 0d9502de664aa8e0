package hbase_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/internal/workload"
)

// replicated is a sandbox with a table of two replicas, and its rows k0 to k9.
type replicated struct {
	box *sandbox.Sandbox
	c   *admin.Client
}

func newReplicated(t *testing.T, ctx context.Context, o sandbox.Options) *replicated {
	t.Helper()
	box, err := sandbox.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	c, err := admin.Connect(ctx, admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	r := &replicated{box, c}
	table := admin.Table{Name: "t", Attributes: map[string]string{admin.Replication: "2"}, Families: []admin.Family{{Name: "cf"}}}
	require.NoError(t, c.Create(ctx, table, b("k5")))
	_, s := r.open(t, ctx, "strong")
	for i := range 10 {
		require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f"), Values: b("old")}).Err)
	}
	return r
}

// open opens the table with reads of a consistency.
func (r *replicated) open(t *testing.T, ctx context.Context, consistency string, pairs ...string) (load.Target, load.Session) {
	t.Helper()
	properties := map[string]string{
		"table": "t", "columnfamily": "cf", "hbase.zookeeper.quorum": r.box.Quorum(), "hbase.consistency": consistency,
		"hbase.client.primaryCallTimeout.get": "20000", "hbase.client.replicaCallTimeout.scan": "20000",
	}
	for i := 0; i < len(pairs); i += 2 {
		properties[pairs[i]] = pairs[i+1]
	}
	target, err := hbase.Open(ctx, load.Settings{Properties: properties})
	require.NoError(t, err)
	s, err := target.Open(ctx, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close(context.Background()))
		require.NoError(t, target.Close())
	})
	return target, s
}

// primary returns the server of the region of a key.
func (r *replicated) primary(t *testing.T, ctx context.Context, key string) string {
	t.Helper()
	region, err := r.c.RegionOf(ctx, "t", []byte(key))
	require.NoError(t, err)
	return region.Server
}

func staleReads(target load.Target) uint64 { return target.(load.Counter).Counts()["stale_read"] }

// While the server of a region is stopped, timeline-consistent reads go on with what its replicas have, and strong ones wait.
func TestReplicasAnswerWhileAServerIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := newReplicated(t, ctx, sandbox.Options{Detection: time.Hour, ReplicaAge: time.Hour})
	target, s := r.open(t, ctx, "timeline")
	facts, err := target.(load.Observer).Facts(ctx)
	require.NoError(t, err)
	require.Equal(t, "timeline", facts["consistency"])
	var value string
	collect := func(_, v []byte) { value = string(v) }
	strong, waiting := r.open(t, ctx, "strong", "hbase.client.operation.timeout", "300")
	require.NoError(t, waiting.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k1")}).Err)
	require.NoError(t, r.box.SilenceServer(ctx, r.primary(t, ctx, "k1")))
	out := s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k1"), Collect: collect})
	require.NoError(t, out.Err)
	require.Equal(t, "old", value)
	require.EqualValues(t, 1, staleReads(target))
	require.Equal(t, workload.Timeout, waiting.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k1")}).Code)
	require.NotContains(t, strong.(load.Counter).Counts(), "stale_read")

	out = s.Do(ctx, &workload.Op{Kind: workload.Scan, Key: []byte("k0"), ScanLength: 10})
	require.NoError(t, out.Err)
	require.EqualValues(t, 10, out.Rows)
	require.EqualValues(t, 2, staleReads(target))

	for range 200 { // all workers use the same calls again
		require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k1")}).Err)
	}
	require.EqualValues(t, 202, staleReads(target))
	require.EqualValues(t, 202, target.(load.Counter).Counts()["hedged_read"])
	require.Zero(t, target.(load.Counter).Counts()["retry"])
}

// What was written after a replica was renewed is missing there, and is counted.
func TestAReadOfAReplicaMayMissARow(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := newReplicated(t, ctx, sandbox.Options{Detection: time.Hour, ReplicaAge: time.Hour})
	target, s := r.open(t, ctx, "timeline")
	lost := r.primary(t, ctx, "k1")
	require.NoError(t, r.box.SilenceServer(ctx, lost))
	require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k1")}).Err)
	_, err := r.box.ResumeServer(ctx, lost)
	require.NoError(t, err)
	require.NoError(t, s.Do(ctx, &workload.Op{Kind: workload.Insert, Key: []byte("k2b"), Fields: b("f"), Values: b("new")}).Err)
	require.Eventually(t, func() bool { // the region itself answers again
		before := staleReads(target)
		return s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k2b")}).Code == workload.OK && staleReads(target) == before
	}, 30*time.Second, time.Millisecond)
	before := target.(load.Counter).Counts()["stale_not_found"]
	require.NoError(t, r.box.SilenceServer(ctx, lost))
	require.Equal(t, workload.NotFound, s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k2b")}).Code)
	require.Equal(t, before+1, target.(load.Counter).Counts()["stale_not_found"])
}

// After the death of a server, reads go on at once, and their regions are found again without any other operation.
func TestTimelineReadsFollowARegionToItsNextServer(t *testing.T) {
	for name, lose := range map[string]func(context.Context, *sandbox.Sandbox, string) error{
		"kill -9": func(ctx context.Context, s *sandbox.Sandbox, at string) error { return s.KillServer(ctx, at) },
		"SIGSTOP": func(ctx context.Context, s *sandbox.Sandbox, at string) error { return s.SilenceServer(ctx, at) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := newReplicated(t, ctx, sandbox.Options{Detection: 500 * time.Millisecond})
			target, s := r.open(t, ctx, "timeline", "hbase.rpc.timeout", "300")
			lost := r.primary(t, ctx, "k7")
			require.NoError(t, lose(ctx, r.box, lost))
			fresh := 0
			require.Eventually(t, func() bool {
				before := staleReads(target)
				out := s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k7")})
				if out.Err != nil {
					t.Errorf("read: %v", out.Err)
				}
				if fresh++; staleReads(target) != before {
					fresh = 0
				}
				return fresh > 20 // the region itself answers
			}, 30*time.Second, time.Millisecond)
			require.NotEqual(t, lost, r.primary(t, ctx, "k7"))
			require.Positive(t, staleReads(target))
		})
	}
}

// A table without replicas is refused: each of its reads would be strong.
func TestTimelineReadsNeedReplicas(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, _ := sandboxTable(t, ctx, sandbox.Options{}, "t")
	target, err := hbase.Open(ctx, load.Settings{Properties: map[string]string{
		"table": "t", "columnfamily": "cf", "hbase.zookeeper.quorum": s.Quorum(), "hbase.consistency": "timeline",
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, target.Close()) }()
	require.ErrorContains(t, target.(load.Admin).Prepare(ctx), "table t has no replicas of its regions, and hbase.consistency=timeline needs some: create it with hbase.regionreplication=2")
}

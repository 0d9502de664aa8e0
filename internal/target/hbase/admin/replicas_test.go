package admin_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// The replicas of a region are on different servers whatever happens to its region and to the servers.
func TestReplicasOfRegionsHaveServersOfTheirOwn(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := sandbox.Start(ctx, sandbox.Options{Detection: 10 * time.Millisecond})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	c, err := admin.Connect(ctx, admin.Config{Quorum: s.Quorum()})
	require.NoError(t, err)
	defer c.Close()

	const name = "ns:t"
	table := admin.Table{Name: name, Attributes: map[string]string{admin.Replication: "3"}, Families: []admin.Family{{Name: "cf"}}}
	require.NoError(t, c.Create(ctx, table, [][]byte{[]byte("m")}))
	found, err := c.Describe(ctx, name)
	require.NoError(t, err)
	require.Equal(t, 3, admin.ReplicasOf(found))
	apart := func(regions, servers int) []admin.Region {
		t.Helper()
		require.NoError(t, c.WaitOpen(ctx, name))
		require.NoError(t, c.WaitReplicas(ctx, name, servers))
		all, err := c.Regions(ctx, name)
		require.NoError(t, err)
		require.Len(t, all, regions)
		for _, r := range all {
			on := append(slices.DeleteFunc(slices.Clone(r.Replicas), func(s string) bool { return s == "" }), r.Server)
			slices.Sort(on)
			require.Len(t, slices.Compact(on), servers, "%+v", r)
		}
		return all
	}
	regions := apart(2, 3)
	_, err = c.Move(ctx, regions[0].Encoded, regions[0].Replicas[1])
	require.NoError(t, err)
	apart(2, 3)
	_, err = c.SplitTable(ctx, name, []byte("t"))
	require.NoError(t, err)
	lost := apart(3, 3)[0].Server
	require.NoError(t, s.KillServer(ctx, lost))
	require.Eventually(t, func() bool {
		all, err := c.Regions(ctx, name)
		return err == nil && !slices.ContainsFunc(all, func(r admin.Region) bool { return r.Server == lost || slices.Contains(r.Replicas, lost) })
	}, 30*time.Second, 10*time.Millisecond)
	apart(3, 2)
	_, err = s.RestartServer(ctx, lost)
	require.NoError(t, err)
	apart(3, 3)
	require.NoError(t, c.Disable(ctx, name))
	require.NoError(t, c.Enable(ctx, name))
	apart(3, 3)
	limited, end := context.WithTimeout(ctx, 300*time.Millisecond)
	defer end()
	require.ErrorContains(t, c.WaitReplicas(limited, name, 4), "3 of 9 replicas of table ns:t are not open")
	require.NoError(t, c.Drop(ctx, name))
}

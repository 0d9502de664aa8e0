//go:build hbase

package admin_test

import (
	"cmp"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// cluster returns a client of the HBase under test.
func cluster(t *testing.T) (context.Context, *admin.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	c, err := admin.Connect(ctx, admin.Config{Quorum: cmp.Or(os.Getenv("BENCHD_HBASE"), "127.0.0.1:2181")})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return ctx, c
}

// table returns the name of a table that does not exist, and drops it afterwards.
func table(ctx context.Context, t *testing.T, c *admin.Client, name string) string {
	t.Helper()
	drop := func(ctx context.Context) {
		if there, err := c.Exists(ctx, name); err == nil && there {
			require.NoError(t, c.Drop(ctx, name))
		}
	}
	drop(ctx)
	t.Cleanup(func() { drop(context.WithoutCancel(ctx)) })
	return name
}

func TestATableLivesFromCreateToDrop(t *testing.T) {
	ctx, c := cluster(t)
	name := table(ctx, t, c, "benchd_admin:life")
	wanted := admin.Table{
		Name: name, Attributes: map[string]string{admin.Mark: "a test"},
		Families: []admin.Family{{Name: "cf", Attributes: map[string]string{
			"VERSIONS": "2", "BLOCKSIZE": "32768", "BLOOMFILTER": "ROWCOL", "TTL": "86400", "IN_MEMORY": "true",
			"DATA_BLOCK_ENCODING": "FAST_DIFF", "COMPRESSION": "GZ",
		}}},
	}
	_, err := c.Describe(ctx, name)
	require.ErrorIs(t, err, admin.ErrNoTable)
	require.NoError(t, c.Create(ctx, wanted, [][]byte{[]byte("user5"), []byte("user2")}), "its namespace is created, too")
	require.ErrorIs(t, c.Create(ctx, wanted, nil), admin.ErrTableExists)

	got, err := c.Describe(ctx, name)
	require.NoError(t, err)
	require.True(t, got.Marked())
	require.Len(t, got.Families, 1)
	for k, v := range wanted.Families[0].Attributes {
		require.Equal(t, v, got.Families[0].Attributes[k], k)
	}
	regions, err := c.Regions(ctx, name)
	require.NoError(t, err)
	require.Len(t, regions, 3)
	require.Equal(t, "user2", string(regions[1].StartKey))
	require.Equal(t, "user5", string(regions[1].EndKey))

	require.NoError(t, c.Disable(ctx, name))
	require.NoError(t, c.Disable(ctx, name), "twice does no harm")
	state, err := c.State(ctx, name)
	require.NoError(t, err)
	require.Equal(t, admin.Disabled, state)
	_, err = c.Count(ctx, name)
	require.ErrorIs(t, err, admin.ErrDisabled)
	_, _, err = c.Flush(ctx, name)
	require.ErrorIs(t, err, admin.ErrDisabled)
	require.NoError(t, c.Enable(ctx, name))
	require.NoError(t, c.Enable(ctx, name))

	require.NoError(t, c.Truncate(ctx, name, true))
	regions, err = c.Regions(ctx, name)
	require.NoError(t, err)
	require.Len(t, regions, 3, "truncating keeps the splits")
	count, err := c.Count(ctx, name)
	require.NoError(t, err)
	require.Zero(t, count)

	facts := c.Facts(ctx, name)
	require.Contains(t, facts["hbase.version"], cmp.Or(os.Getenv("BENCHD_HBASE_VERSION"), "2.6.4"))
	require.Equal(t, "3", facts["hbase.table.regions"])
	require.NotEmpty(t, facts["conf.hbase.regionserver.handler.count"], "%v", facts)

	require.NoError(t, c.Drop(ctx, name))
	require.ErrorIs(t, c.Drop(ctx, name), admin.ErrNoTable)
	_, err = c.Regions(ctx, name)
	require.ErrorIs(t, err, admin.ErrNoTable)
}

func TestRegionsMoveAndSplit(t *testing.T) {
	ctx, c := cluster(t)
	name := table(ctx, t, c, "benchd_admin_regions")
	require.NoError(t, c.Create(ctx, admin.Table{Name: name, Families: []admin.Family{{Name: "cf"}}}, [][]byte{[]byte("m")}))
	regions, err := c.Regions(ctx, name)
	require.NoError(t, err)

	_, err = c.SplitTable(ctx, name, nil)
	require.ErrorContains(t, err, "too few rows", "an empty region has no middle")
	split, err := c.SplitTable(ctx, name, []byte("q"))
	require.NoError(t, err)
	require.Equal(t, 1, split)
	now, err := c.Regions(ctx, name)
	require.NoError(t, err)
	require.Len(t, now, 3)
	require.Equal(t, "q", string(now[2].StartKey))

	status, err := c.Cluster(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, status.Servers)
	for _, s := range status.Servers {
		at, err := c.Move(ctx, regions[0].Encoded, s.Name)
		require.NoError(t, err)
		require.Equal(t, s.Name, at)
	}
	_, err = c.Move(ctx, regions[0].Encoded, "nowhere,1,1")
	require.ErrorContains(t, err, "no live region server")

	before, err := c.SetBalancer(ctx, false)
	require.NoError(t, err)
	on, err := c.BalancerOn(ctx)
	require.NoError(t, err)
	require.False(t, on)
	ran, err := c.Balance(ctx)
	require.NoError(t, err)
	require.False(t, ran.Ran, "it is off")
	_, err = c.SetBalancer(ctx, before)
	require.NoError(t, err)
}

func TestQuietComesAfterACompaction(t *testing.T) {
	ctx, c := cluster(t)
	name := table(ctx, t, c, "benchd_admin_quiet")
	require.NoError(t, c.Create(ctx, admin.Table{Name: name, Families: []admin.Family{{Name: "cf"}}}, [][]byte{[]byte("m")}))
	_, regions, err := c.Flush(ctx, name)
	require.NoError(t, err)
	require.Equal(t, 2, regions)
	regions, err = c.Compact(ctx, name, true)
	require.NoError(t, err)
	require.Equal(t, 2, regions)
	require.NoError(t, c.Compacted(ctx, name))
	left, err := c.Compacting(ctx, name)
	require.NoError(t, err)
	require.Zero(t, left)
	looks := 0
	last, err := c.Quiet(ctx, func(admin.Unrest) { looks++ })
	require.NoError(t, err)
	require.Equal(t, "quiet", last.String())
	require.GreaterOrEqual(t, looks, 4)
}

func TestAWrongParentIsReportedAtOnce(t *testing.T) {
	_, err := admin.Connect(t.Context(), admin.Config{Quorum: cmp.Or(os.Getenv("BENCHD_HBASE"), "127.0.0.1:2181"), Parent: "/nope"})
	require.ErrorContains(t, err, "znode /nope does not exist")
	require.ErrorContains(t, err, "there is /hbase")
}

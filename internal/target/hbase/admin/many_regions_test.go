package admin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// metaReads returns how many rows of hbase:meta were read.
func metaReads(t *testing.T, ctx context.Context, c *admin.Client) (n int64) {
	t.Helper()
	cluster, err := c.Cluster(ctx)
	require.NoError(t, err)
	found := false
	for i := range cluster.Servers {
		for _, l := range cluster.Servers[i].RegionLoads {
			if strings.HasPrefix(l.Region, "hbase:meta,") {
				n, found = n+int64(l.Reads), true
			}
		}
	}
	require.True(t, found, "no server reports hbase:meta")
	return n
}

// Actions on a table of many regions look up the regions of a lost server one by one; they do not read the whole table for each.
func TestALostServerCausesNoStormOfActionsOnMeta(t *testing.T) {
	const regions = 1000
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	box, err := sandbox.Start(ctx, sandbox.Options{Detection: 300 * time.Millisecond})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	c, err := admin.Connect(ctx, admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	defer c.Close()
	points := make([][]byte, regions-1)
	for i := range points {
		points[i] = fmt.Appendf(nil, "k%05d", 1+i)
	}
	require.NoError(t, c.Create(ctx, admin.Table{Name: "large", Families: []admin.Family{{Name: "cf"}}}, points))
	before := metaReads(t, ctx, c)
	require.NoError(t, box.KillServer(ctx, box.Servers()[2].Name))
	n, err := c.Compact(ctx, "large", true)
	require.NoError(t, err)
	require.Equal(t, regions, n)
	rows, err := c.Count(ctx, "large")
	require.NoError(t, err)
	require.Zero(t, rows)
	require.NoError(t, c.Compacted(ctx, "large"))
	read := metaReads(t, ctx, c) - before
	t.Logf("%d rows of hbase:meta read", read)
	require.Less(t, read, int64(20*regions))
}

package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// Tests with the tag hbase make the same calls to a real HBase.
func TestASandboxIsAdministeredAsAnHBase(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := sandbox.Start(ctx, sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	c, err := admin.Connect(ctx, admin.Config{Quorum: s.Quorum()})
	require.NoError(t, err)
	defer c.Close()

	const name = "ns:t"
	table := admin.Table{Name: name, Attributes: map[string]string{admin.Mark: "a test"}, Families: []admin.Family{{Name: "cf"}}}
	require.NoError(t, c.Create(ctx, table, [][]byte{[]byte("m"), []byte("f")}))
	require.ErrorIs(t, c.Create(ctx, table, nil), admin.ErrTableExists)
	found, err := c.Describe(ctx, name)
	require.NoError(t, err)
	require.True(t, found.Marked())

	regions, err := c.Regions(ctx, name)
	require.NoError(t, err)
	require.Len(t, regions, 3)
	require.Equal(t, "f", string(regions[1].StartKey))
	cluster, err := c.Cluster(ctx)
	require.NoError(t, err)
	for _, to := range cluster.Servers {
		at, err := c.Move(ctx, regions[1].Encoded, to.Name)
		require.NoError(t, err)
		require.Equal(t, to.Name, at)
	}
	split, err := c.SplitTable(ctx, name, []byte("t"))
	require.NoError(t, err)
	require.Equal(t, 1, split)
	_, flushed, err := c.Flush(ctx, name)
	require.NoError(t, err)
	require.Equal(t, 4, flushed)
	_, err = c.Compact(ctx, name, true)
	require.NoError(t, err)
	require.NoError(t, c.Compacted(ctx, name))
	last, err := c.Quiet(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, "quiet", last.String())

	require.NoError(t, c.Disable(ctx, name))
	_, err = c.Count(ctx, name)
	require.ErrorIs(t, err, admin.ErrDisabled)
	require.NoError(t, c.Enable(ctx, name))
	count, err := c.Count(ctx, name)
	require.NoError(t, err)
	require.Zero(t, count)
	require.Equal(t, "4", c.Facts(ctx, name)["hbase.table.regions"])
	require.NoError(t, c.Drop(ctx, name))
	_, err = c.Regions(ctx, name)
	require.ErrorIs(t, err, admin.ErrNoTable)
}

package admin_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// silentCluster is a sandbox with a table of three regions, and a client.
func silentCluster(t *testing.T) (*sandbox.Sandbox, *admin.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := sandbox.Start(ctx, sandbox.Options{Detection: 200 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	c, err := admin.Connect(ctx, admin.Config{Quorum: s.Quorum()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Create(ctx, admin.Table{Name: "t", Families: []admin.Family{{Name: "cf"}}}, [][]byte{[]byte("f"), []byte("m")}))
	return s, c
}

// A server that has fallen silent closes no connection, so its clients get neither an answer nor an error.
func TestAClientLeavesAServerThatFallsSilent(t *testing.T) {
	for name, call := range map[string]func(context.Context, *admin.Client) error{
		"all regions of a table": func(ctx context.Context, c *admin.Client) error {
			_, err := c.Regions(ctx, "t")
			return err
		},
		"the region of a key": func(ctx context.Context, c *admin.Client) error {
			_, err := c.RegionOf(ctx, "t", []byte("k"))
			return err
		},
		"a question for the master": func(ctx context.Context, c *admin.Client) error {
			_, err := c.Cluster(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := silentCluster(t)
			silent := deaf(t)
			c.Mislead(silent)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			require.NoError(t, call(ctx, c))
			require.False(t, c.Connected(silent), "the connection is closed")
		})
	}
}

func TestMetaIsFoundOnItsNewServer(t *testing.T) {
	s, c := silentCluster(t)
	before := c.Meta()
	require.NoError(t, s.SilenceServer(t.Context(), before))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			r, err := c.RegionOf(ctx, "t", []byte("k"))
			if err != nil || string(r.StartKey) != "f" {
				t.Errorf("%+v: %v", r, err)
			}
		})
	}
	work.Wait()
	require.NotEqual(t, before, c.Meta())
}

func TestARegionIsFoundByAnyOfItsKeys(t *testing.T) {
	_, c := silentCluster(t)
	for key, start := range map[string]string{"": "", "a": "", "ezzz": "", "f": "f", "f,,9": "f", "lz": "f", "m": "m", "\xff\xff": "m"} {
		r, err := c.RegionOf(t.Context(), "t", []byte(key))
		require.NoError(t, err)
		require.Equal(t, start, string(r.StartKey), "%q", key)
		require.True(t, r.Serves())
	}
	_, err := c.RegionOf(t.Context(), "s", []byte("k"))
	require.ErrorIs(t, err, admin.ErrNoTable)
	_, err = c.RegionOf(t.Context(), "u", []byte("k"))
	require.ErrorIs(t, err, admin.ErrNoTable)
}

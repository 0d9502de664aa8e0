package admin_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestManyRegions(t *testing.T) {
	const regions = 10_000
	box, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, box.Close()) }()
	c, err := admin.Connect(t.Context(), admin.Config{Quorum: box.Quorum()})
	require.NoError(t, err)
	defer c.Close()
	points := make([][]byte, regions-1)
	for i := range points {
		points[i] = fmt.Appendf(nil, "k%05d", 1+i)
	}
	step := func(name string, do func(ctx context.Context) error) {
		b, at := cpu(), time.Now()
		err := do(t.Context())
		t.Logf("%-12s %8.1f ms wall, %8.1f ms CPU (%v)", name, time.Since(at).Seconds()*1000, (cpu()-b).Seconds()*1000, err)
	}
	step("create", func(ctx context.Context) error {
		return c.Create(ctx, admin.Table{Name: "large", Families: []admin.Family{{Name: "cf"}}}, points)
	})
	step("regions", func(ctx context.Context) error { r, err := c.Regions(ctx, "large"); _ = r; return err })
	step("cluster", func(ctx context.Context) error { _, err := c.Cluster(ctx); return err })
	step("compacting", func(ctx context.Context) error { _, err := c.Compacting(ctx, "large"); return err })
	step("unrest", func(ctx context.Context) error { _, err := c.Unrest(ctx); return err })
	step("count", func(ctx context.Context) error { _, err := c.Count(ctx, "large"); return err })
	step("flush", func(ctx context.Context) error { _, _, err := c.Flush(ctx, "large"); return err })
	step("compact", func(ctx context.Context) error { _, err := c.Compact(ctx, "large", true); return err })
	step("compacted", func(ctx context.Context) error { return c.Compacted(ctx, "large") })
	step("compacted2", func(ctx context.Context) error { return c.Compacted(ctx, "large") })
	step("quiet", func(ctx context.Context) error { _, err := c.Quiet(ctx, nil); return err })
}

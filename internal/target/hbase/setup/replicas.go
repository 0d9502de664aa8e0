package setup

import (
	"context"
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// replicasWithin bounds the wait for the replicas of regions: a cluster with fewer servers than replicas may never open all of them.
const replicasWithin = 30 * time.Second

// waitReplicas waits until the replicas of a table's regions are open. A table with too few of them can be used: its regions answer.
func waitReplicas(ctx context.Context, c *admin.Client, table string, n int, log *slog.Logger) error {
	if n < 2 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, replicasWithin)
	defer cancel()
	err := c.WaitReplicas(limited, table, n)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		log.Warn("some replicas of regions are not open", "table", table, "replicas", n, "waited", replicasWithin, "error", err)
		return nil
	}
	return err
}

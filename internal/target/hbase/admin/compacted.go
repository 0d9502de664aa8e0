package admin

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// compactedEvery is between two looks at a table's compactions.
const compactedEvery = 200 * time.Millisecond

// Compacting is how many regions of a table are being compacted, or wait for it because somebody asked for it. The region
// servers tell of it at the instant.
func (c *Client) Compacting(ctx context.Context, table string) (int, error) {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	asked, within := errgroup.WithContext(ctx)
	for _, s := range cluster.Servers {
		asked.Go(func() error {
			loads, err := c.loads(within, s.Name)
			if err != nil {
				return fmt.Errorf("read compactions of %s: %w", s.Name, err)
			}
			for _, l := range loads {
				if l.Compacting && strings.HasPrefix(l.Region, table+",") {
					n.Add(1)
				}
			}
			return nil
		})
	}
	err = asked.Wait()
	return int(n.Load()), err
}

// Compacted waits until no region of a table is being compacted, in several looks in a row. What else the cluster has to
// do does not matter, nor how old the figures of its pages are: this is when the compaction has ended.
func (c *Client) Compacted(ctx context.Context, table string) error {
	blind := c.progress("see whether table " + table + " is compacted")
	for looks, left := 0, 0; looks < quietLooks; {
		n, err := c.Compacting(ctx, table)
		switch {
		case err != nil && ctx.Err() == nil:
			if !mayPass(err) {
				return fmt.Errorf("wait for the compaction of %s: %w", table, err)
			}
			blind.note(ctx, err) // a server that has just died, perhaps
			looks = 0
		case err == nil && n > 0:
			looks, left = 0, n
		case err == nil:
			looks, left = looks+1, 0
		}
		if late := wait(ctx, compactedEvery); late != nil {
			return fmt.Errorf("wait for the compaction of %s: %d regions left: %w", table, left, late)
		}
	}
	return nil
}

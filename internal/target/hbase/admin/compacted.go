package admin

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// compactedEvery is the time between two checks of a table's compactions.
const compactedEvery = 200 * time.Millisecond

// Compacting returns how many regions of a table are being compacted, or wait for a compaction that was requested. The region
// servers report it without delay.
func (c *Client) Compacting(ctx context.Context, table string) (int, error) {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return 0, err
	}
	if release(cluster.Version).isOne() {
		return c.compactingByRegion(ctx, table)
	}
	var n atomic.Int64
	asked, within := errgroup.WithContext(ctx)
	for _, s := range cluster.Servers {
		asked.Go(func() error {
			loads, err := c.tableLoads(within, s.Name, table)
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

// compactingByRegion is Compacting for HBase 1, whose servers report it for one region at a time.
func (c *Client) compactingByRegion(ctx context.Context, table string) (int, error) {
	regions, err := c.Regions(ctx, table)
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	err = c.eachOf(ctx, table, regions, func(at endpoint, r Region) error {
		response := &hbasepb.GetRegionInfoResponse{}
		err := c.ask(ctx, at, "GetRegionInfo", &hbasepb.GetRegionInfoRequest{Region: r.specifier(), CompactionState: new(true)}, response)
		if response.GetCompactionState() != hbasepb.CompactionState_COMPACTION_STATE_NONE {
			n.Add(1)
		}
		return err
	})
	return int(n.Load()), err
}

// Compacted waits until several checks in a row find no region of a table being compacted. It ignores other work of the
// cluster and the figures of the info pages, which may be old.
func (c *Client) Compacted(ctx context.Context, table string) error {
	blind := c.progress("check whether table " + table + " is compacted")
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

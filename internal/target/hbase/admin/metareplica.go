package admin

import (
	"context"
	"fmt"
	"time"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// metaRegion is the name of the only region of hbase:meta.
const metaRegion = "hbase:meta,,1"

// maxMetaReplicas is the highest number of a replica of hbase:meta that is read.
const maxMetaReplicas = 9

// place notes the server of hbase:meta, or of one of its replicas.
func (s *sites) place(replica int, address string) {
	switch {
	case replica == 0:
		s.meta = address
	case replica > 0 && replica <= maxMetaReplicas:
		for len(s.replicas) < replica {
			s.replicas = append(s.replicas, "")
		}
		s.replicas[replica-1] = address
	}
}

// metaReader calls a function with a scan of hbase:meta that lacks only its range.
type metaReader func(ctx context.Context, scanning func(s *scan) error) error

// Locations lists a table's regions as Regions does, but may read them from a replica of hbase:meta: a region may have moved since, or
// may have been split. Its server then says so, and the next look-up begins at hbase:meta itself.
func (c *Client) Locations(ctx context.Context, table string) ([]Region, error) {
	if err := CheckName(table); err != nil {
		return nil, err
	}
	return c.regions(ctx, table, c.onAnyMeta)
}

// onAnyMeta does what onMeta does. When the server of hbase:meta fails, and the configuration allows it, the replicas are read in turn
// before the next try.
func (c *Client) onAnyMeta(ctx context.Context, scanning func(s *scan) error) error {
	if !c.config.MetaReplicas {
		return c.onMeta(ctx, scanning)
	}
	return c.scanMeta(ctx, scanning, func(ctx context.Context, within time.Duration) bool { return c.onReplica(ctx, within, scanning) })
}

// onReplica reports whether a replica of hbase:meta has answered.
func (c *Client) onReplica(ctx context.Context, within time.Duration, scanning func(s *scan) error) bool {
	c.mu.Lock()
	replicas := c.sites.replicas
	c.mu.Unlock()
	for i, address := range replicas {
		if address == "" {
			continue
		}
		err := scanning(&scan{
			c: c, at: endpoint{clientService, address}, families: []string{"info"}, within: within, timeline: true, region: &hbasepb.RegionSpecifier{
				Type:  hbasepb.RegionSpecifierType_REGION_SPECIFIER_TYPE_REGION_NAME.Enum(),
				Value: fmt.Appendf(nil, "%s_%04X", metaRegion, i+1),
			},
		})
		if err == nil {
			c.stale.Do(func() {
				c.log.Warn("the server of hbase:meta does not serve it: regions are looked up in a replica, which may be older", "replica", i+1, "server", address)
			})
			return true
		}
		if ctx.Err() != nil {
			return false
		}
	}
	return false
}

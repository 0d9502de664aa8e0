package cluster

import (
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/sandbox/meta"
)

// ReplicateMeta makes copies of hbase:meta for reads until there are n with the table itself, each on a live server of its own. It returns
// the servers of the copies, from number 1 on. Copies are never moved, and show the table as it is.
func (c *Cluster) ReplicateMeta(n int) []*Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	holder := c.holder(meta.EncodedName)
	for _, s := range c.servers {
		if number := len(c.copied) + 1; number < n && s != holder && s.serves() && s.meta.Load() == nil {
			r := metaRegion(c.Meta, c.opened)
			r.Name = fmt.Sprintf("%s_%04X", meta.RegionName, number)
			s.meta.Store(r)
			c.copied = append(c.copied, s)
		}
	}
	return slices.Clone(c.copied)
}

// MetaReplicas returns the servers of the copies of hbase:meta, from number 1 on; nil for one whose server is lost.
func (c *Cluster) MetaReplicas() []*Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	servers := slices.Clone(c.copied)
	for i, s := range servers {
		if !s.Known() {
			servers[i] = nil
		}
	}
	return servers
}

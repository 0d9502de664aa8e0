package cluster

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/sandbox/meta"
	"github.com/benchd/benchd/internal/sandbox/store"
)

// newCopy makes a replica of a region. It has the region's cells as they were a short time ago.
func newCopy(r *store.Region, id int, opened int64) *Region {
	info := r.Info()
	name, encoded := info.Replica(id)
	table := info.Table.String()
	info.Encoded = encoded
	return &Region{Info: info, Name: string(name), Table: table, Store: r, Copy: id, Opened: opened}
}

// Modify changes a table's definition.
func (c *Cluster) Modify(t store.Table) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.replicate()
	return c.store.ModifyTable(t)
}

// replicate gives the replicas of regions to servers that have no other replica of the region, as long as there are some, and
// records them in hbase:meta. Each change of regions or servers ends with it. The caller holds the cluster's lock.
func (c *Cluster) replicate() {
	next := make(map[*Server]routes, len(c.servers))
	for _, s := range c.servers {
		next[s] = routes{}
	}
	var rows []meta.Row
	for _, t := range c.store.Tables() {
		if t.Replicas < 2 || t.State != store.Enabled {
			continue
		}
		regions, err := c.store.Regions(t.Name)
		if err != nil {
			continue // it has just been deleted
		}
		for _, r := range regions {
			rows = append(rows, c.copies(r, t.Replicas, next)...)
		}
	}
	for s, copies := range next {
		if len(copies) > 0 || len(*s.copies.Load()) > 0 {
			s.copies.Store(&copies)
		}
	}
	if len(rows) > 0 {
		c.Meta.Update(rows)
	}
}

// copies assigns the replicas of a region from 1 to n-1, and returns its row in hbase:meta, if it has one.
func (c *Cluster) copies(held *store.Region, n int, next map[*Server]routes) []meta.Row {
	info := held.Info()
	primary := c.holder(info.Encoded)
	used := []*Server{primary}
	at := make([]meta.Location, n-1)
	for id := 1; id < n; id++ {
		r, s := c.copyOf(held, id)
		if s == nil || !s.Alive() || !s.Known() || slices.Contains(used, s) {
			if s = c.vacant(used, next); s == nil {
				continue
			}
			c.opened++
			r = newCopy(held, id, c.opened)
		}
		used = append(used, s)
		next[s][r.Name], next[s][r.Info.Encoded] = r, r
		at[id-1] = s.Location()
	}
	if primary == nil {
		return nil
	}
	row := meta.RegionRow(&info, primary.Location(), (*primary.routes.Load())[info.Encoded].Opened)
	row.AddReplicas(at, c.opened)
	return []meta.Row{row}
}

// copyOf finds a replica of a region and its server.
func (c *Cluster) copyOf(held *store.Region, id int) (*Region, *Server) {
	info := held.Info()
	_, encoded := info.Replica(id)
	for _, s := range c.servers {
		if r := (*s.copies.Load())[encoded]; r != nil && r.Store == held {
			return r, s
		}
	}
	return nil, nil
}

// vacant returns the live server with the fewest replicas that is not in used, or nil.
func (c *Cluster) vacant(used []*Server, next map[*Server]routes) *Server {
	free := slices.DeleteFunc(c.alive(), func(s *Server) bool { return slices.Contains(used, s) })
	if len(free) == 0 {
		return nil
	}
	return slices.MinFunc(free, func(a, b *Server) int { return cmp.Compare(len(next[a]), len(next[b])) })
}

// replicated adds to a region's row where its replicas are.
func (c *Cluster) replicated(row meta.Row, held *store.Region) meta.Row {
	n := held.Table().Replicas
	if n < 2 {
		return row
	}
	at := make([]meta.Location, n-1)
	for id := 1; id < n; id++ {
		if _, s := c.copyOf(held, id); s != nil {
			at[id-1] = s.Location()
		}
	}
	row.AddReplicas(at, c.opened)
	return row
}

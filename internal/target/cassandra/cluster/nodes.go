package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Pool is a pool of threads of a node, with its work.
type Pool struct {
	Name                                string
	Active, Waiting, Completed, Blocked int64
}

// Pools reads the pools of a node from its virtual table, which exists since Cassandra 4.0.
func (c *Cluster) Pools(ctx context.Context, node string) ([]Pool, error) {
	iter := c.Query("SELECT name, active_tasks, pending_tasks, completed_tasks, blocked_tasks_all_time FROM system_views.thread_pools").SetHostID(node).IterContext(ctx)
	var all []Pool
	var p Pool
	for iter.Scan(&p.Name, &p.Active, &p.Waiting, &p.Completed, &p.Blocked) {
		all = append(all, p)
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("read system_views.thread_pools: %w", err)
	}
	return all, nil
}

// Working reports whether a pool flushes or compacts.
func (p Pool) Working() bool {
	return slices.Contains([]string{"CompactionExecutor", "MemtableFlushWriter", "MemtablePostFlush", "PerDiskMemtableFlushWriter_0"}, p.Name)
}

// Busy describes the flushes and compactions of all nodes; it is empty if there are none.
func (c *Cluster) Busy(ctx context.Context) (string, error) {
	var left []string
	for _, n := range c.Nodes() {
		if !n.Up {
			continue
		}
		pools, err := c.Pools(ctx, n.ID)
		if err != nil {
			return "", err
		}
		for _, p := range pools {
			if work := p.Active + p.Waiting; p.Working() && work > 0 {
				left = append(left, fmt.Sprintf("%d %s on %s", work, p.Name, n.Address))
			}
		}
	}
	return strings.Join(left, ", "), nil
}

// Cache is a cache of a node.
type Cache struct {
	Name                 string
	Hits, Requests, Size int64
}

// Caches reads the caches of a node.
func (c *Cluster) Caches(ctx context.Context, node string) ([]Cache, error) {
	iter := c.Query("SELECT name, hit_count, request_count, size_bytes FROM system_views.caches").SetHostID(node).IterContext(ctx)
	var all []Cache
	var one Cache
	for iter.Scan(&one.Name, &one.Hits, &one.Requests, &one.Size) {
		all = append(all, one)
	}
	return all, iter.Close()
}

// Figure reads a number of a table from a virtual table of a node, such as column count of coordinator_read_latency.
func (c *Cluster) Figure(ctx context.Context, node, column, from, keyspace, table string) (n int64, found bool, err error) {
	stmt := "SELECT " + column + " FROM system_views." + from + " WHERE keyspace_name = ? AND table_name = ?"
	iter := c.Query(stmt, keyspace, table).SetHostID(node).IterContext(ctx)
	found = iter.Scan(&n)
	return n, found, iter.Close()
}

// Clients counts the connections of clients to a node.
func (c *Cluster) Clients(ctx context.Context, node string) (n int, err error) {
	iter := c.Query("SELECT port FROM system_views.clients").SetHostID(node).IterContext(ctx)
	for port := 0; iter.Scan(&port); {
		n++
	}
	return n, iter.Close()
}

// Generation identifies the process of a node: it changes with each start.
func (c *Cluster) Generation(ctx context.Context, node string) (n int, err error) {
	err = c.Query("SELECT gossip_generation FROM system.local").SetHostID(node).ScanContext(ctx, &n)
	return n, err
}

// Compactions counts the compactions of a table that are under way on a node.
func (c *Cluster) Compactions(ctx context.Context, node, keyspace, table string) (n int, err error) {
	iter := c.Query("SELECT kind, table_name FROM system_views.sstable_tasks WHERE keyspace_name = ?", keyspace).SetHostID(node).IterContext(ctx)
	for kind, of := "", ""; iter.Scan(&kind, &of); {
		if of == table && strings.Contains(strings.ToLower(kind), "compaction") {
			n++
		}
	}
	return n, iter.Close()
}

package watch

import (
	"context"
	"math"

	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
)

// Figures of a node begin with prefix.
const (
	prefix  = "cassandra.node."
	percent = "percent"
	mega    = 1 << 20
)

// view is a virtual table that is read.
type view struct {
	name string
	read func(ctx context.Context, c *cluster.Cluster, node string, s cassandraspec.Settings) ([]observe.Reading, error)
}

func views() []view {
	return []view{
		{"system_views.thread_pools", pools},
		{"system_views.caches", caches},
		{"system_views.coordinator_read_latency", counted("coordinator_read_latency", "table_reads")},
		{"system_views.coordinator_write_latency", counted("coordinator_write_latency", "table_writes")},
		{"system_views.coordinator_scan_latency", counted("coordinator_scan_latency", "table_scans")},
		{"system_views.disk_usage", disk},
		{"system_views.clients", clients},
	}
}

// figure is a figure of a pool of threads.
type figure struct{ completed, active, waiting string }

// poolFigures has the pools that are observed.
func poolFigures() map[string]figure {
	return map[string]figure{
		"Native-Transport-Requests": {"requests", "requests_active", "requests_waiting"},
		"ReadStage":                 {"reads", "reads_active", "reads_waiting"},
		"MutationStage":             {"writes", "writes_active", "writes_waiting"},
		"CompactionExecutor":        {"", "compactions_active", "compactions_waiting"},
		"MemtableFlushWriter":       {"flushes", "flushes_active", "flushes_waiting"},
	}
}

func pools(ctx context.Context, c *cluster.Cluster, node string, _ cassandraspec.Settings) ([]observe.Reading, error) {
	all, err := c.Pools(ctx, node)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the table
	}
	var out []observe.Reading
	for _, p := range all {
		f, ok := poolFigures()[p.Name]
		if !ok {
			continue
		}
		if f.completed != "" {
			out = append(out, observe.Reading{Name: prefix + f.completed, Unit: "1/s", Kind: observe.Counter, Value: float64(p.Completed)})
		}
		out = append(out,
			observe.Reading{Name: prefix + f.active, Unit: "1", Value: float64(p.Active)},
			observe.Reading{Name: prefix + f.waiting, Unit: "1", Value: float64(p.Waiting)})
	}
	return out, nil
}

// cacheFigures has the caches that are observed.
func cacheFigures() map[string]string {
	return map[string]string{"chunks": "chunk_cache", "keys": "key_cache", "rows": "row_cache"}
}

func caches(ctx context.Context, c *cluster.Cluster, node string, _ cassandraspec.Settings) ([]observe.Reading, error) {
	all, err := c.Caches(ctx, node)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the table
	}
	var out []observe.Reading
	for _, one := range all {
		if figure := cacheFigures()[one.Name]; figure != "" {
			out = append(out,
				observe.Reading{Name: prefix + figure + "_hit_percent", Unit: percent, Kind: observe.Share, Value: float64(one.Hits), Of: float64(one.Requests)},
				observe.Reading{Name: prefix + figure + "_size", Unit: "bytes", Value: float64(one.Size)})
		}
	}
	return out, nil
}

// counted reads the number of operations on the run's table for which the node was the coordinator.
func counted(table, figure string) func(context.Context, *cluster.Cluster, string, cassandraspec.Settings) ([]observe.Reading, error) {
	return func(ctx context.Context, c *cluster.Cluster, node string, s cassandraspec.Settings) ([]observe.Reading, error) {
		n, found, err := c.Figure(ctx, node, "count", table, s.Keyspace, s.Table)
		if err != nil || !found {
			return nil, err //nolint:wrapcheck // the caller names the table
		}
		return []observe.Reading{{Name: prefix + figure, Unit: "1/s", Kind: observe.Counter, Value: float64(n)}}, nil
	}
}

func disk(ctx context.Context, c *cluster.Cluster, node string, s cassandraspec.Settings) ([]observe.Reading, error) {
	n, found, err := c.Figure(ctx, node, "mebibytes", "disk_usage", s.Keyspace, s.Table)
	if err != nil || !found {
		return nil, err //nolint:wrapcheck // the caller names the table
	}
	return []observe.Reading{{Name: prefix + "table_size", Unit: "bytes", Value: float64(n * mega)}}, nil
}

func clients(ctx context.Context, c *cluster.Cluster, node string, _ cassandraspec.Settings) ([]observe.Reading, error) {
	n, err := c.Clients(ctx, node)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the table
	}
	return []observe.Reading{{Name: prefix + "clients", Unit: "1", Value: float64(n)}}, nil
}

// known reports whether a value of JMX is one: beans report a negative number or NaN for what they do not know.
func known(v float64) bool { return v >= 0 && !math.IsNaN(v) }

package cassandra

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/setup"
	"github.com/benchd/benchd/internal/workload"
)

// Table is a table of Cassandra, as load.Target has it.
type Table struct {
	settings cassandraspec.Settings
	workload workload.Config
	run      string
	log      *slog.Logger
	cluster  *cluster.Cluster

	mu         sync.Mutex
	checked    bool
	batchBytes int // of an unlogged batch at most
}

// Open is Cassandra's load.Driver. It fails within ten seconds if the cluster cannot be used.
func Open(ctx context.Context, s load.Settings) (load.Target, error) {
	settings, err := cassandraspec.Read(s.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of target cassandra: %w", err)
	}
	config, err := cluster.NewConfig(settings, s)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the property or the file
	}
	c, err := cluster.Connect(ctx, config)
	if err != nil {
		return nil, err //nolint:wrapcheck // it needs no context
	}
	t := &Table{settings: settings, workload: s.Workload, run: s.Run, log: s.Logger, cluster: c}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t, nil
}

// Prepare creates keyspace and table if cassandra.table.create requires it, and checks that they can be used. The run's steward calls
// it.
func (t *Table) Prepare(ctx context.Context) error {
	if err := setup.Prepare(ctx, t.cluster, t.settings, t.workload, t.run, t.log); err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	return t.ready(ctx)
}

// Open returns the session of a worker.
func (t *Table) Open(ctx context.Context, _ int) (load.Session, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	return newSession(t), nil
}

// ready checks the table once.
func (t *Table) ready(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.checked {
		return nil
	}
	if err := setup.Check(ctx, t.cluster, t.settings, t.workload); err != nil {
		return err //nolint:wrapcheck // it needs no context
	}
	t.batchBytes = t.settings.BatchBytes
	if t.batchBytes == 0 {
		t.batchBytes = batchLimit(ctx, t.cluster, t.log)
	}
	t.checked = true
	return nil
}

const (
	// defaultBatch is the batch_size_fail_threshold of Cassandra's own configuration file.
	defaultBatch = 50 << 10
	// batchShare is how much of it a batch may have, because the sizes of rows in it are estimates.
	batchShare = 0.9
)

// batchLimit returns how many bytes a node accepts in a batch.
func batchLimit(ctx context.Context, c *cluster.Cluster, log *slog.Logger) int {
	limit := defaultBatch
	if settings, err := c.Settings(ctx); err != nil {
		log.Warn("the limit of batches is not known: that of Cassandra's own configuration counts", "bytes", limit, "error", err)
	} else if n := sizeOf(settings); n > 0 {
		limit = n
	}
	return int(float64(limit) * batchShare)
}

// sizeOf returns batch_size_fail_threshold in bytes: "50KiB" since Cassandra 4.1, and a number of KiB before. It is 0 if it is unknown.
func sizeOf(settings map[string]string) int {
	text := settings["batch_size_fail_threshold"]
	if text == "" {
		text = settings["batch_size_fail_threshold_in_kb"] + "KiB"
	}
	for unit, bytes := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if digits, ok := strings.CutSuffix(text, unit); ok {
			n, _ := strconv.Atoi(digits)
			return n * bytes
		}
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(text, "B"))
	return n
}

// Facts describes the cluster by its own settings, and the client settings that affect a result.
func (t *Table) Facts(ctx context.Context) (map[string]string, error) {
	s := t.settings
	facts := map[string]string{
		"target":                            cassandraspec.Name,
		"cassandra.table":                   s.FullTable(),
		cassandraspec.FactReadLevel:         s.ReadLevel,
		cassandraspec.FactWriteLevel:        s.WriteLevel,
		"cassandra.client.connections":      strconv.Itoa(s.Connections),
		"cassandra.client.protocol":         strconv.Itoa(s.Protocol),
		"cassandra.client.retries":          "off",
		"cassandra.client.speculative":      "off",
		"cassandra.client.timestamps":       "of the nodes",
		"cassandra.client.coalesce":         s.Coalesce.String(),
		"cassandra.client.scan_order":       "token",
		"cassandra.client.driver":           driverVersion,
		"cassandra.client.routing":          "token-aware",
		"cassandra.client.local_datacenter": s.Datacenter,
	}
	maps.DeleteFunc(facts, func(_, value string) bool { return value == "" })
	found, err := t.cluster.Facts(ctx, s.Keyspace, s.Table)
	maps.Copy(facts, found)
	return facts, err //nolint:wrapcheck // it needs no context
}

// driverVersion is the version of the driver in go.mod.
const driverVersion = "cassandra-gocql-driver v2.1.2"

// Counts returns the number of connections that the client has tried to make.
func (t *Table) Counts() map[string]uint64 { return map[string]uint64{"connect": t.cluster.Dials()} }

// Close ends all connections.
func (t *Table) Close() error {
	t.cluster.Close()
	return nil
}

var (
	_ load.Admin    = (*Table)(nil)
	_ load.Observer = (*Table)(nil)
	_ load.Counter  = (*Table)(nil)
)

package watch

import "github.com/benchd/benchd/internal/observe"

// figure is a figure, and the columns of the server's views from which it is made.
type figure struct {
	name, unit string
	kind       observe.Kind
	view       string // without pg_stat_
	column     string
	of         []string // of a Share: the columns whose sum is the whole
}

// own is the view of the figures that are computed by the statement of a look.
const own = "benchd"

// figures lists the figures. A column that a version of the server does not have gives no figure; several of one name are those of
// different versions.
func figures() []figure {
	const level, counter, share = observe.Level, observe.Counter, observe.Share
	return []figure{
		{"postgres.database.commits", "1/s", counter, "database", "xact_commit", nil},
		{"postgres.database.rollbacks", "1/s", counter, "database", "xact_rollback", nil},
		{"postgres.database.cache_hit_percent", "percent", share, "database", "blks_hit", []string{"blks_hit", "blks_read"}},
		{"postgres.database.blocks_read", "1/s", counter, "database", "blks_read", nil},
		{"postgres.database.rows_read", "1/s", counter, "database", "tup_fetched", nil},
		{"postgres.database.rows_inserted", "1/s", counter, "database", "tup_inserted", nil},
		{"postgres.database.rows_updated", "1/s", counter, "database", "tup_updated", nil},
		{"postgres.database.rows_deleted", "1/s", counter, "database", "tup_deleted", nil},
		{"postgres.database.temporary", "bytes/s", counter, "database", "temp_bytes", nil},
		{"postgres.database.deadlocks", "1/s", counter, "database", "deadlocks", nil},
		{"postgres.database.read_time", "ms/s", counter, "database", "blk_read_time", nil},
		{"postgres.database.write_time", "ms/s", counter, "database", "blk_write_time", nil},

		{"postgres.table.live_rows", "1", level, "user_tables", "n_live_tup", nil},
		{"postgres.table.dead_rows", "1", level, "user_tables", "n_dead_tup", nil},
		{"postgres.table.hot_update_percent", "percent", share, "user_tables", "n_tup_hot_upd", []string{"n_tup_upd"}},
		{"postgres.table.index_scans", "1/s", counter, "user_tables", "idx_scan", nil},
		{"postgres.table.sequential_scans", "1/s", counter, "user_tables", "seq_scan", nil},
		{"postgres.table.size", "bytes", level, own, "size", nil},

		{"postgres.connections", "1", level, own, "connections", nil},
		{"postgres.connections_active", "1", level, own, "active", nil},
		{"postgres.connections_waiting", "1", level, own, "waiting", nil},
		{"postgres.replication.lag", "bytes", level, own, "lag", nil},

		{"postgres.checkpoints.timed", "1/s", counter, "bgwriter", "checkpoints_timed", nil},
		{"postgres.checkpoints.timed", "1/s", counter, "checkpointer", "num_timed", nil},
		{"postgres.checkpoints.requested", "1/s", counter, "bgwriter", "checkpoints_req", nil},
		{"postgres.checkpoints.requested", "1/s", counter, "checkpointer", "num_requested", nil},
		{"postgres.checkpoints.buffers", "1/s", counter, "bgwriter", "buffers_checkpoint", nil},
		{"postgres.checkpoints.buffers", "1/s", counter, "checkpointer", "buffers_written", nil},
		{"postgres.checkpoints.write_time", "ms/s", counter, "bgwriter", "checkpoint_write_time", nil},
		{"postgres.checkpoints.write_time", "ms/s", counter, "checkpointer", "write_time", nil},
		{"postgres.checkpoints.sync_time", "ms/s", counter, "bgwriter", "checkpoint_sync_time", nil},
		{"postgres.checkpoints.sync_time", "ms/s", counter, "checkpointer", "sync_time", nil},
		{"postgres.background.buffers_written", "1/s", counter, "bgwriter", "buffers_clean", nil},
		{"postgres.background.buffers_allocated", "1/s", counter, "bgwriter", "buffers_alloc", nil},
		{"postgres.backends.buffers_written", "1/s", counter, "bgwriter", "buffers_backend", nil},

		{"postgres.wal.records", "1/s", counter, "wal", "wal_records", nil},
		{"postgres.wal.full_page_images", "1/s", counter, "wal", "wal_fpi", nil},
		{"postgres.wal.bytes", "bytes/s", counter, "wal", "wal_bytes", nil},
		{"postgres.wal.buffers_full", "1/s", counter, "wal", "wal_buffers_full", nil},
		{"postgres.wal.writes", "1/s", counter, "wal", "wal_write", nil},
		{"postgres.wal.syncs", "1/s", counter, "wal", "wal_sync", nil},
		{"postgres.wal.write_time", "ms/s", counter, "wal", "wal_write_time", nil},
		{"postgres.wal.sync_time", "ms/s", counter, "wal", "wal_sync_time", nil},
	}
}

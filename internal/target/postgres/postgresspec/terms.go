package postgresspec

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// terms describes what a workload does on PostgreSQL, by the settings of the server.
func terms(properties, facts map[string]string) descriptor.Terms {
	t := descriptor.Terms{
		Durability: durability(properties, facts), Replicas: replicas(facts), Scans: "in the order of keys",
		Updates: "only the written fields; the server writes the whole row again",
	}
	if level := facts["default_transaction_isolation"]; level != "" {
		t.Consistency = "the primary answers, and returns what is committed (" + level + ")"
	}
	if collation := facts["postgres.table.collation"]; collation != "" && !IsByteOrder(collation) {
		t.Scans = "in the order of collation " + collation
	}
	if properties["writeallfields"] == "true" {
		t.Updates = "all fields; the server writes the whole row again"
	}
	return t
}

// durability describes what has happened to a write when it is acknowledged.
func durability(properties, facts map[string]string) string {
	commit := cmp.Or(properties[commitKey], facts["synchronous_commit"])
	standbys := facts["synchronous_standby_names"]
	switch {
	case facts["fsync"] == "":
		return ""
	case facts["postgres.table.unlogged"] == "true":
		return "in memory: a crash of the server empties the table (UNLOGGED)"
	case commit == "off":
		return "in memory; written to the WAL within " + lossOf(facts["wal_writer_delay"]) + " (synchronous_commit off)"
	case facts["fsync"] == "off":
		return "handed to the operating system, which syncs it later (fsync off)"
	case standbys == "" || commit == "local":
		return "synced to the WAL on the server's disk (synchronous_commit " + commit + ")"
	case commit == "remote_write":
		return "synced to the WAL on the server's disk, and in memory of the synchronous standbys (synchronous_commit remote_write)"
	case commit == "remote_apply":
		return "synced to the WAL on the server's disk, and visible on the synchronous standbys (synchronous_commit remote_apply)"
	}
	return "synced to the WAL on the disks of the server and of the synchronous standbys (synchronous_commit " + commit + ")"
}

// lossOf returns how old a write can be that a crash loses: three times the delay of the WAL writer.
func lossOf(delay string) string {
	number, isMilliseconds := strings.CutSuffix(delay, "ms")
	if n, err := strconv.Atoi(number); err == nil && isMilliseconds {
		return strconv.Itoa(3*n) + " ms"
	}
	return "3 times wal_writer_delay"
}

// replicas describes how many copies of a row there are.
func replicas(facts map[string]string) string {
	n, err := strconv.Atoi(facts["standbys"])
	switch {
	case err != nil:
		return ""
	case n == 0:
		return "1"
	}
	return strconv.Itoa(n+1) + ", of which synchronous: " + cmp.Or(facts["standbys.synchronous"], "0")
}

// IsByteOrder reports whether a collation sorts texts by their bytes.
func IsByteOrder(collation string) bool {
	switch collation {
	case "C", "POSIX", "C.UTF-8", "C.utf8", "ucs_basic", "pg_c_utf8":
		return true
	}
	return false
}

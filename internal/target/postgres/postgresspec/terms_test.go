package postgresspec

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

// The terms follow from the server's settings and from the properties of the case.
func TestTerms(t *testing.T) {
	facts := map[string]string{
		"fsync": "on", "synchronous_commit": "on", "synchronous_standby_names": "", "wal_writer_delay": "200ms", "standbys": "0", "standbys.synchronous": "0",
		"default_transaction_isolation": "read committed", "postgres.table.collation": "C", "postgres.table.unlogged": "false",
	}
	usual := descriptor.Terms{
		Durability:  "synced to the WAL on the server's disk (synchronous_commit on)",
		Consistency: "the primary answers, and returns what is committed (read committed)",
		Replicas:    "1", Scans: "in the order of keys", Updates: "only the written fields; the server writes the whole row again",
	}
	for name, test := range map[string]struct {
		properties, facts map[string]string
		change            func(*descriptor.Terms)
	}{
		"the defaults": {nil, nil, func(*descriptor.Terms) {}},
		"asynchronous": {nil, map[string]string{"synchronous_commit": "off"}, func(d *descriptor.Terms) {
			d.Durability = "in memory; written to the WAL within 600 ms (synchronous_commit off)"
		}},
		"asynchronous by the case": {map[string]string{commitKey: "off"}, map[string]string{"wal_writer_delay": "1s"}, func(d *descriptor.Terms) {
			d.Durability = "in memory; written to the WAL within 3 times wal_writer_delay (synchronous_commit off)"
		}},
		"without fsync": {nil, map[string]string{"fsync": "off"}, func(d *descriptor.Terms) {
			d.Durability = "handed to the operating system, which syncs it later (fsync off)"
		}},
		"unlogged": {nil, map[string]string{"postgres.table.unlogged": "true"}, func(d *descriptor.Terms) {
			d.Durability = "in memory: a crash of the server empties the table (UNLOGGED)"
		}},
		"standbys": {map[string]string{"writeallfields": "true"}, map[string]string{"standbys": "2", "standbys.synchronous": "1", "synchronous_standby_names": "s1"}, func(d *descriptor.Terms) {
			d.Durability = "synced to the WAL on the disks of the server and of the synchronous standbys (synchronous_commit on)"
			d.Replicas = "3, of which synchronous: 1"
			d.Updates = "all fields; the server writes the whole row again"
		}},
		"standbys that apply": {nil, map[string]string{"synchronous_commit": "remote_apply", "synchronous_standby_names": "s1"}, func(d *descriptor.Terms) {
			d.Durability = "synced to the WAL on the server's disk, and visible on the synchronous standbys (synchronous_commit remote_apply)"
		}},
		"standbys that write": {nil, map[string]string{"synchronous_commit": "remote_write", "synchronous_standby_names": "s1"}, func(d *descriptor.Terms) {
			d.Durability = "synced to the WAL on the server's disk, and in memory of the synchronous standbys (synchronous_commit remote_write)"
		}},
		"standbys that are not waited for": {nil, map[string]string{"synchronous_commit": "local", "synchronous_standby_names": "s1"}, func(d *descriptor.Terms) {
			d.Durability = "synced to the WAL on the server's disk (synchronous_commit local)"
		}},
		"another collation": {nil, map[string]string{"postgres.table.collation": "de_DE.utf8"}, func(d *descriptor.Terms) {
			d.Scans = "in the order of collation de_DE.utf8"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			all, want := maps.Clone(facts), usual
			maps.Copy(all, test.facts)
			test.change(&want)
			require.Equal(t, want, terms(test.properties, all))
		})
	}
	require.Equal(t, descriptor.Terms{Scans: usual.Scans, Updates: usual.Updates}, terms(nil, map[string]string{"target": Name}), "nothing is claimed without facts")
}

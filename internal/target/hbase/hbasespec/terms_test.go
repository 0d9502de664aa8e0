package hbasespec

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

// The terms follow from the settings of the servers and the table, and from the properties of the case.
func TestTermsOfHBase(t *testing.T) {
	const strongReads, keys, fields = "strong: the server of the region answers", "in the order of keys", "only the written fields (Put)"
	hdfs := map[string]string{
		"target": "hbase", "hbase.version": "2.6.4", "conf.hbase.rootdir": "hdfs://nn:8020/hbase", "conf.dfs.replication": "3",
		"hbase.table.descriptor": "'usertable', {NAME => 'family', VERSIONS => '1'}",
	}
	with := func(pairs ...string) map[string]string {
		facts := make(map[string]string)
		maps.Copy(facts, hdfs)
		for i := 0; i < len(pairs); i += 2 {
			facts[pairs[i]] = pairs[i+1]
		}
		return facts
	}
	const flushed = "written to the WAL in memory of all replicas (SYNC_WAL, hflush)"
	for name, test := range map[string]struct {
		properties, facts map[string]string
		want              descriptor.Terms
	}{
		"the defaults": {nil, hdfs, descriptor.Terms{Durability: flushed, Replicas: "3: HDFS"}},
		"the table's default": {
			map[string]string{"durability": "USE_DEFAULT"},
			with("hbase.table.descriptor", "'t', DURABILITY => 'ASYNC_WAL', REGION_REPLICATION => '2', {NAME => 'cf'}"),
			descriptor.Terms{Durability: "in memory of the region server; written to the WAL later (ASYNC_WAL)", Replicas: "3: HDFS; 2 copies of each region in memory"},
		},
		"the case overrides the table": {
			map[string]string{"durability": "SKIP_WAL"},
			with("hbase.table.descriptor", "'t', DURABILITY => 'ASYNC_WAL', {NAME => 'cf'}"),
			descriptor.Terms{Durability: "in memory of the region server, not in the WAL (SKIP_WAL)", Replicas: "3: HDFS"},
		},
		"servers that sync to disks": {
			nil, with("conf.hbase.wal.hsync", "true"), descriptor.Terms{Durability: "synced to the WAL on the disks of all replicas (SYNC_WAL, hsync)", Replicas: "3: HDFS"},
		},
		"a case that syncs to disks": {
			map[string]string{"durability": "FSYNC_WAL"}, hdfs, descriptor.Terms{Durability: "synced to the WAL on the disks of all replicas (FSYNC_WAL, hsync)", Replicas: "3: HDFS"},
		},
		"a version without that": {
			map[string]string{"durability": "FSYNC_WAL"}, with("hbase.version", "1.4.14"), descriptor.Terms{Durability: "written to the WAL in memory of all replicas (FSYNC_WAL, hflush)", Replicas: "3: HDFS"},
		},
		"a local file system": {
			nil, with("conf.hbase.rootdir", "file:///data"), descriptor.Terms{Durability: "written to the WAL on a local file system, which may not sync it (SYNC_WAL)", Replicas: "1: a local file system"},
		},
		"another storage": {nil, with("conf.hbase.rootdir", "s3a://bucket/hbase"), descriptor.Terms{Durability: flushed, Replicas: "as many as the storage s3a keeps"}},
		"servers that do not show their settings": {
			nil, map[string]string{"target": "hbase", "hbase.settings.gap": "403 Forbidden"}, descriptor.Terms{Durability: "written to the WAL (SYNC_WAL)"},
		},
		"a client buffer": {
			map[string]string{"clientbuffering": "true", "writebuffersize": "2048"},
			hdfs,
			descriptor.Terms{Durability: flushed + "; sent from a client buffer of 2048 bytes", Replicas: "3: HDFS"},
		},
		"reads of replicas": {
			map[string]string{"hbase.consistency": "timeline"},
			hdfs,
			descriptor.Terms{Durability: flushed, Replicas: "3: HDFS", Consistency: "timeline: a replica that is behind may answer"},
		},
		"all fields": {map[string]string{"writeallfields": "true"}, hdfs, descriptor.Terms{Durability: flushed, Replicas: "3: HDFS", Updates: "all fields (Put)"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := test.want
			if want.Scans = keys; want.Consistency == "" {
				want.Consistency = strongReads
			}
			if want.Updates == "" {
				want.Updates = fields
			}
			require.Equal(t, want, Target().Terms(test.properties, test.facts))
		})
	}
}

// A sandbox has terms of its own, also if it is called an HBase.
func TestTermsOfTheSandbox(t *testing.T) {
	memory := map[string]string{"target": "sandbox", "hbase.version": "2.6.4-benchd-sandbox", "conf.hbase.rootdir": ""}
	disk := map[string]string{"target": "sandbox", "hbase.version": "2.6.4-benchd-sandbox", "conf.hbase.rootdir": "/data"}
	want := descriptor.Terms{
		Durability: "in memory: lost when the process ends", Consistency: "strong: the server of the region answers", Replicas: "1",
		Scans: "in the order of keys", Updates: "only the written fields (Put)",
	}
	require.Equal(t, want, Sandbox().Terms(nil, memory))
	require.Equal(t, want, Target().Terms(nil, memory))
	want.Durability = "synced to the log on the local disk"
	require.Equal(t, want, Sandbox().Terms(nil, disk))
	want.Durability = "in memory; synced to the log on the local disk later (ASYNC_WAL)"
	require.Equal(t, want, Target().Terms(map[string]string{"durability": "ASYNC_WAL"}, disk))
}

package hbasespec

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// Facts of the settings of the servers that decide about the terms.
const (
	rootFact  = "conf.hbase.rootdir"
	hsyncFact = "conf.hbase.wal.hsync"
	hdfsFact  = "conf.dfs.replication"
	tableFact = "hbase.table.descriptor"
)

// terms describes what a workload does on HBase, or on a sandbox that target hbase has found.
func terms(properties, facts map[string]string) descriptor.Terms {
	if isSandbox(facts) {
		return sandboxTerms(properties, facts)
	}
	t := descriptor.Terms{
		Durability: durabilityOf(properties, facts) + buffered(properties),
		Replicas:   replicasOf(facts),
	}
	if facts[LoadMethodFact] != "" {
		t.Durability = "in files that the servers have loaded, without the WAL (bulk load)"
	}
	return ofReadsAndWrites(t, properties)
}

// sandboxTerms describes what it does on a sandbox.
func sandboxTerms(properties, facts map[string]string) descriptor.Terms {
	t := descriptor.Terms{Durability: "in memory: lost when the process ends", Replicas: "1"}
	if facts[rootFact] != "" {
		t.Durability = "synced to the log on the local disk"
		if level := properties["durability"]; level == "SKIP_WAL" || level == "ASYNC_WAL" {
			t.Durability = "in memory; synced to the log on the local disk later (" + level + ")"
		}
	}
	t.Durability += buffered(properties)
	return ofReadsAndWrites(t, properties)
}

// ofReadsAndWrites adds the terms that HBase and a sandbox have in common.
func ofReadsAndWrites(t descriptor.Terms, properties map[string]string) descriptor.Terms {
	t.Consistency = "strong: the server of the region answers"
	if properties[consistencyKey] == timelineReads {
		t.Consistency = "timeline: a replica that is behind may answer"
	}
	t.Scans = "in the order of keys"
	t.Updates = "only the written fields (Put)"
	if properties["writeallfields"] == "true" {
		t.Updates = "all fields (Put)"
	}
	return t
}

// buffered adds that the client collects writes.
func buffered(properties map[string]string) string {
	if properties["clientbuffering"] != "true" {
		return ""
	}
	return "; sent from a client buffer of " + properties["writebuffersize"] + " bytes"
}

// durabilityOf describes what has happened to a write when a region server acknowledges it.
func durabilityOf(properties, facts map[string]string) string {
	level := cmp.Or(properties["durability"], "USE_DEFAULT")
	if level == "USE_DEFAULT" {
		if level = attribute(facts[tableFact], "DURABILITY"); level == "" || level == "USE_DEFAULT" {
			level = "SYNC_WAL"
		}
	}
	switch {
	case level == "SKIP_WAL":
		return "in memory of the region server, not in the WAL (SKIP_WAL)"
	case level == "ASYNC_WAL":
		return "in memory of the region server; written to the WAL later (ASYNC_WAL)"
	case facts[rootFact] == "":
		return "written to the WAL (" + level + ")"
	case fileSystem(facts) == "file":
		return "written to the WAL on a local file system, which may not sync it (" + level + ")"
	case level == "FSYNC_WAL" && !strings.HasPrefix(facts["hbase.version"], "1.4."), facts[hsyncFact] == "true":
		return "synced to the WAL on the disks of all replicas (" + level + ", hsync)"
	}
	return "written to the WAL in memory of all replicas (" + level + ", hflush)"
}

// replicasOf describes how many copies of a row's files there are.
func replicasOf(facts map[string]string) string {
	text := ""
	switch scheme := fileSystem(facts); {
	case facts[rootFact] == "":
	case scheme == "file":
		text = "1: a local file system"
	case scheme == "hdfs" && facts[hdfsFact] != "":
		text = facts[hdfsFact] + ": HDFS"
	default:
		text = "as many as the storage " + scheme + " keeps"
	}
	if n := attribute(facts[tableFact], "REGION_REPLICATION"); n != "" && n != "1" {
		text = strings.TrimPrefix(text+"; "+n+" copies of each region in memory", "; ")
	}
	return text
}

// fileSystem is the scheme of the folder that HBase keeps everything in. Without one it is that of Hadoop's default, HDFS in a cluster.
func fileSystem(facts map[string]string) string {
	root, err := url.Parse(facts[rootFact])
	if err != nil || root.Scheme == "" {
		return "hdfs"
	}
	return root.Scheme
}

// attribute returns an attribute of a table from its descriptor in the form of HBase's shell.
func attribute(table, name string) string {
	found := regexp.MustCompile(`, ` + name + ` => '([^']*)'`).FindStringSubmatch(table)
	if found == nil {
		return ""
	}
	return found[1]
}

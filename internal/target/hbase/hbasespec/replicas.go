package hbasespec

import (
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
)

// replicationKey is the property with the replicas of a region of a table that is created.
const replicationKey = "hbase.regionreplication"

// MostReplicas is the largest number of replicas of a region.
const MostReplicas = 16

// The properties of timeline-consistent reads. The times have the names of HBase's own.
const (
	consistencyKey = "hbase.consistency"
	primaryGetKey  = "hbase.client.primaryCallTimeout.get"
	primaryScanKey = "hbase.client.replicaCallTimeout.scan"
)

// The values of hbase.consistency.
const (
	strong        = "strong"
	timelineReads = "timeline"
)

// Consistency returns the consistency of reads, as the property has it.
func (s Settings) Consistency() string {
	if s.Timeline {
		return timelineReads
	}
	return strong
}

// checkConsistency reports settings that do not fit to timeline-consistent reads.
func checkConsistency(c descriptor.Case) {
	if !c.Sound(consistencyKey) {
		return
	}
	if c.Value(consistencyKey) != timelineReads {
		for _, name := range []string{primaryGetKey, primaryScanKey} {
			if c.Changed(name) {
				c.Warn(name, "has no effect without hbase.consistency=timeline")
			}
		}
		return
	}
	for _, m := range []missing{
		{"dataintegrity", []string{"", "false"}, "verifies that reads return what was written", "a replica may lack a row that was just written: use hbase.consistency=strong"},
		{"hbase.batch.size", []string{"1"}, "lets operations share requests", "only single reads and scans ask replicas: remove it, or use hbase.consistency=strong"},
		{"multigetproportion", none(), "reads several rows in one request", "only single reads and scans ask replicas: remove it, or use hbase.consistency=strong"},
	} {
		if c.Sound(m.name) && !slices.Contains(m.has, c.Value(m.name)) {
			c.Fail(m.name, "%s, and conflicts with hbase.consistency=timeline; %s", m.what, m.cure)
		}
	}
	if c.Sound(replicationKey) && c.Value(replicationKey) == "1" && c.Value("hbase.table.create") == string(descriptor.Recreate) {
		c.Fail(consistencyKey, "needs replicas, and hbase.table.create=recreate makes a table without any; set hbase.regionreplication=2 or more")
	}
}

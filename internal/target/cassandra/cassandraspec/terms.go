package cassandraspec

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// terms describes what a workload does on a cluster, by the settings of its nodes and of its keyspace.
func terms(properties, facts map[string]string) descriptor.Terms {
	read := cmp.Or(properties[readLevelKey], "QUORUM")
	write := cmp.Or(properties[writeLevelKey], "QUORUM")
	t := descriptor.Terms{
		Durability:  durabilityOf(facts) + "; acknowledged by " + whose(write),
		Consistency: consistencyOf(facts, read, write),
		Scans:       "in the order of tokens, the hashes of keys",
		Updates:     "only the written fields (UPDATE, which also inserts)",
	}
	if replication := facts[FactReplication]; replication != "" {
		t.Replicas = facts[FactCopies] + ": " + replication
	}
	if properties["writeallfields"] == "true" {
		t.Updates = "all fields (UPDATE, which also inserts)"
	}
	return t
}

// durabilityOf describes where a write is on a node that acknowledges it.
func durabilityOf(facts map[string]string) string {
	if facts[FactDurable] == "false" {
		return "in memory, not in the commit log (durable_writes off)"
	}
	switch sync := facts[FactCommitLog]; sync {
	case "":
		return "in the commit log"
	case "periodic":
		return "in the commit log, synced every " + seconds(facts[FactPeriod]) + " (commitlog_sync periodic)"
	case "batch":
		return "synced to the commit log (commitlog_sync batch)"
	case "group":
		return "synced to the commit log in groups of " + seconds(facts[FactGroup]) + " (commitlog_sync group)"
	default:
		return "in the commit log (commitlog_sync " + sync + ")"
	}
}

// seconds shortens a time of a setting: 10000ms is 10 s.
func seconds(text string) string {
	found := regexp.MustCompile(`^(\d+)ms$`).FindStringSubmatch(text)
	if found == nil {
		return cmp.Or(text, "some time")
	}
	ms, err := strconv.Atoi(found[1])
	if err != nil || ms < 1000 {
		return found[1] + " ms"
	}
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s"
}

// whose describes the replicas of a consistency level.
func whose(level string) string {
	switch level {
	case "ANY":
		return "any node, perhaps none that has the row (ANY)"
	case "ALL":
		return "all replicas (ALL)"
	case "QUORUM", "LOCAL_QUORUM", "EACH_QUORUM", "SERIAL", "LOCAL_SERIAL":
		return "a majority of replicas (" + level + ")"
	}
	return strings.ToLower(strings.TrimPrefix(level, "LOCAL_")) + " of the replicas (" + level + ")"
}

// consistencyOf describes which writes a read returns: all acknowledged ones, if the replicas of reads and writes overlap.
func consistencyOf(facts map[string]string, read, write string) string {
	text := "reads " + read + ", writes " + write
	copies, err := strconv.Atoi(facts[FactCopies])
	if err != nil || copies < 1 {
		return text
	}
	r, w := replicasOf(read, copies), replicasOf(write, copies)
	if r == 0 || w == 0 {
		return text
	}
	if r+w > copies {
		return text + ": a read returns every acknowledged write"
	}
	return text + ": a read may miss an acknowledged write"
}

// replicasOf returns how many replicas of all a level needs; 0 if that depends on the datacenters.
func replicasOf(level string, copies int) int {
	switch level {
	case "ANY":
		return 0
	case "ONE", "LOCAL_ONE":
		return 1
	case "TWO":
		return 2
	case "THREE":
		return 3
	case "ALL":
		return copies
	case "QUORUM", "SERIAL", "EACH_QUORUM":
		return copies/2 + 1
	case "LOCAL_QUORUM", "LOCAL_SERIAL":
		if copies <= 2 {
			return copies/2 + 1
		}
	}
	return 0
}

package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

// Facts describes the cluster by what the nodes report about themselves, with the table if it exists. What cannot be read is left out,
// and the error names it.
func (c *Cluster) Facts(ctx context.Context, keyspace, table string) (map[string]string, error) {
	facts := make(map[string]string)
	nodes := c.Nodes()
	var datacenters []string
	for _, n := range nodes {
		if !slices.Contains(datacenters, n.Datacenter) {
			datacenters = append(datacenters, n.Datacenter)
		}
	}
	facts[cassandraspec.FactNodes] = strconv.Itoa(len(nodes))
	facts[cassandraspec.FactDatacenters] = strings.Join(datacenters, ",")
	identity, failed := c.Identity(ctx)
	facts[cassandraspec.FactVersion], facts[cassandraspec.FactCluster] = identity.Version, identity.Cluster
	facts["cassandra.partitioner"] = identity.Partitioner
	facts[cassandraspec.FactTLS] = c.Agreed()
	if k, err := c.Keyspace(ctx, keyspace); err == nil {
		facts[cassandraspec.FactReplication], facts[cassandraspec.FactDurable] = k.Text(), strconv.FormatBool(k.Durable)
		facts[cassandraspec.FactCopies] = strconv.Itoa(k.Copies())
	}
	if t, err := c.Table(ctx, keyspace, table); err == nil {
		facts["cassandra.table.compaction"] = last(t.Compaction["class"])
		facts["cassandra.table.compression"] = last(t.Compression["class"])
		facts["cassandra.table.speculative_retry"] = t.Speculative
		facts["cassandra.table.created_by"] = t.Mark()
	}
	settings, err := c.Settings(ctx)
	failed = errors.Join(failed, err)
	maps.Copy(facts, settingsOf(settings))
	maps.DeleteFunc(facts, func(_, value string) bool { return value == "" })
	return facts, failed
}

func last(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// settingsOf returns the settings of a node that affect a result. Names changed with Cassandra 4.1, and values got units.
func settingsOf(settings map[string]string) map[string]string {
	facts := make(map[string]string)
	for fact, names := range map[string][]string{
		cassandraspec.FactCommitLog:       {"commitlog_sync"},
		cassandraspec.FactPeriod:          {"commitlog_sync_period", "commitlog_sync_period_in_ms"},
		cassandraspec.FactGroup:           {"commitlog_sync_group_window", "commitlog_sync_group_window_in_ms"},
		"cassandra.concurrent_reads":      {"concurrent_reads"},
		"cassandra.concurrent_writes":     {"concurrent_writes"},
		"cassandra.compaction_throughput": {"compaction_throughput", "compaction_throughput_mb_per_sec"},
		"cassandra.memtable_allocation":   {"memtable_allocation_type"},
		"cassandra.authenticator":         {"authenticator", "authenticator_class_name"},
	} {
		for _, name := range names {
			value := settings[name]
			if value == "" || value == "null" {
				continue
			}
			if strings.HasSuffix(name, "_in_ms") {
				value += "ms"
			}
			facts[fact] = last(value)
			break
		}
	}
	return facts
}

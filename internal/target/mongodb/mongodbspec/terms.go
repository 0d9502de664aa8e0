package mongodbspec

import (
	"cmp"

	"github.com/benchd/benchd/internal/descriptor"
)

// terms describes what a workload does on a MongoDB.
func terms(properties, facts map[string]string) descriptor.Terms {
	s, err := Read(properties)
	if err != nil {
		return descriptor.Terms{}
	}
	t := descriptor.Terms{
		Durability:  durabilityOf(s, facts),
		Consistency: consistencyOf(s, facts),
		Replicas:    replicasOf(facts),
		Scans:       "in the order of keys",
		Updates:     "only the written fields ($set)",
	}
	if facts[TopologyFact] == Sharded && facts[ShardKeyFact] == string(Hashed) {
		t.Scans = "in the order of keys, merged from all shards"
	}
	if properties["writeallfields"] == "true" {
		t.Updates = "all fields ($set)"
	}
	return t
}

// durabilityOf describes what has happened to a write when it is acknowledged.
func durabilityOf(s Settings, facts map[string]string) string {
	w := cmp.Or(s.Write.W, facts[DefaultWrite])
	if name := facts[ProductFact]; name != "" && name != product {
		return "as " + name + " stores it, which ignores the write concern"
	}
	if s.Write.Unacknowledged() {
		return "none: writes are not acknowledged (w: 0)"
	}
	if facts[EngineFact] == "inMemory" {
		return "in memory: the storage engine inMemory writes nothing to disk"
	}
	if w == "" {
		return ""
	}
	if s.Write.Journal == "true" || w == "majority" && s.Write.Journal == "" && facts[MajorityJournal] != "false" && facts[TopologyFact] != Standalone {
		return "synced to the journal of " + serversOf(w, facts) + " (w: " + w + ")"
	}
	return "in memory of " + serversOf(w, facts) + "; synced to the journal every " + cmp.Or(facts[CommitFact], "100") + " ms (w: " + w + ")"
}

// serversOf names the servers that acknowledge a write.
func serversOf(w string, facts map[string]string) string {
	switch {
	case facts[TopologyFact] == Standalone:
		return "the server"
	case w == "1":
		return "the primary"
	case w == "majority":
		return "a majority of the members"
	}
	return w + " members"
}

// consistencyOf describes which writes a read returns.
func consistencyOf(s Settings, facts map[string]string) string {
	level := cmp.Or(s.ReadConcern, facts[DefaultRead], "local")
	switch {
	case facts[TopologyFact] == "":
		return ""
	case facts[TopologyFact] == Standalone:
		return "strong: one server answers"
	case s.ReadPreference != readPreferences()[0]:
		return "a member that is behind may answer (" + s.ReadPreference + ", " + level + ")"
	case level == "linearizable":
		return "strong: the primary answers after a majority confirms it (linearizable)"
	case level == "majority" || level == "snapshot":
		return "writes that a majority of the members has (" + level + ")"
	}
	return "the writes of the primary, which a failover may undo (" + level + ")"
}

// replicasOf describes how many copies of a document there are.
func replicasOf(facts map[string]string) string {
	switch n := facts[MembersFact]; {
	case facts[TopologyFact] == Standalone:
		return "1"
	case n == "":
		return ""
	case facts[TopologyFact] == Sharded:
		return n + " members of each shard"
	default:
		return n + " members of the replica set"
	}
}

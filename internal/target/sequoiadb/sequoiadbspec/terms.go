package sequoiadbspec

import (
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// terms describes what a workload does on SequoiaDB.
func terms(properties, facts map[string]string) descriptor.Terms {
	t := descriptor.Terms{
		Durability:  durabilityOf(facts),
		Consistency: consistencyOf(facts),
		Scans:       "in the order of keys",
		Updates:     "only the written fields ($set)",
	}
	if n := facts[FactReplicas]; n != "" {
		t.Replicas = n + " nodes in each group"
	}
	if n := facts[FactReplicas]; n == "1" {
		t.Replicas = "1"
	}
	if properties["writeallfields"] == "true" {
		t.Updates = "all fields ($set)"
	}
	return t
}

// durabilityOf describes which nodes have an acknowledged write, and when it is on their disks.
func durabilityOf(facts map[string]string) string {
	var text string
	switch n := facts[FactReplSize]; n {
	case "":
		return ""
	case "1":
		text = "received by the primary (ReplSize 1)"
	case "0":
		text = "received by all nodes of a group (ReplSize 0)"
	case "-1":
		text = "received by all reachable nodes of a group (ReplSize -1)"
	default:
		text = "received by " + n + " nodes of a group (ReplSize)"
	}
	if every := facts[FactSyncInterval]; every != "" && every != "0" {
		text += "; synced to disk every " + every + " ms (syncinterval)"
	}
	return text
}

// consistencyOf describes which node answers reads.
func consistencyOf(facts map[string]string) string {
	switch instance := strings.ToUpper(facts[FactPreferred]); instance {
	case "":
		return ""
	case "M":
		return "strong: the primary answers (preferredinstance M)"
	default:
		return "eventual: a node that is behind may answer (preferredinstance " + instance + ")"
	}
}

package cassandraspec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

// The terms follow from the settings of the nodes and the keyspace, and from the properties of the case.
func TestTermsOfCassandra(t *testing.T) {
	const tokens, fields = "in the order of tokens, the hashes of keys", "only the written fields (UPDATE, which also inserts)"
	facts := func(pairs ...string) map[string]string {
		all := map[string]string{FactCommitLog: "periodic", FactPeriod: "10000ms", FactReplication: "SimpleStrategy 3", FactCopies: "3", FactDurable: "true"}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = pairs[i+1]
		}
		return all
	}
	const periodic = "in the commit log, synced every 10 s (commitlog_sync periodic)"
	for name, test := range map[string]struct {
		properties, facts map[string]string
		want              descriptor.Terms
	}{
		"the defaults": {nil, facts(), descriptor.Terms{
			Durability: periodic + "; acknowledged by a majority of replicas (QUORUM)", Consistency: "reads QUORUM, writes QUORUM: a read returns every acknowledged write",
			Replicas: "3: SimpleStrategy 3",
		}},
		"one of three": {map[string]string{readLevelKey: "ONE", writeLevelKey: "ONE"}, facts(), descriptor.Terms{
			Durability: periodic + "; acknowledged by one of the replicas (ONE)", Consistency: "reads ONE, writes ONE: a read may miss an acknowledged write",
			Replicas: "3: SimpleStrategy 3",
		}},
		"batch": {map[string]string{writeLevelKey: "ALL"}, facts(FactCommitLog, "batch"), descriptor.Terms{
			Durability: "synced to the commit log (commitlog_sync batch); acknowledged by all replicas (ALL)", Consistency: "reads QUORUM, writes ALL: a read returns every acknowledged write",
			Replicas: "3: SimpleStrategy 3",
		}},
		"group": {map[string]string{writeLevelKey: "ANY"}, facts(FactCommitLog, "group", FactGroup, "15ms"), descriptor.Terms{
			Durability: "synced to the commit log in groups of 15 ms (commitlog_sync group); acknowledged by any node, perhaps none that has the row (ANY)", Consistency: "reads QUORUM, writes ANY",
			Replicas: "3: SimpleStrategy 3",
		}},
		"no commit log": {map[string]string{"writeallfields": "true"}, facts(FactDurable, "false"), descriptor.Terms{
			Durability: "in memory, not in the commit log (durable_writes off); acknowledged by a majority of replicas (QUORUM)", Consistency: "reads QUORUM, writes QUORUM: a read returns every acknowledged write",
			Replicas: "3: SimpleStrategy 3", Updates: "all fields (UPDATE, which also inserts)",
		}},
		"a node that hides its settings": {nil, map[string]string{FactVersion: "3.11"}, descriptor.Terms{
			Durability: "in the commit log; acknowledged by a majority of replicas (QUORUM)", Consistency: "reads QUORUM, writes QUORUM",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.Scans = tokens
			if test.want.Updates == "" {
				test.want.Updates = fields
			}
			require.Equal(t, test.want, terms(test.properties, test.facts))
		})
	}
}

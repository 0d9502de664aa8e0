package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

// A run has terms only if its target was reached, and describes them.
func TestTermsNeedFacts(t *testing.T) {
	list := descriptor.List{{Name: "plain"}, {Name: "map", Terms: func(properties, facts map[string]string) descriptor.Terms {
		return descriptor.Terms{Durability: facts["log"], Updates: properties["fields"]}
	}}}
	facts := map[string]string{"log": "synced"}
	require.Equal(t, &descriptor.Terms{Durability: "synced", Updates: "all"}, list.Terms(map[string]string{"db": "map", "fields": "all"}, facts))
	require.Nil(t, list.Terms(map[string]string{"db": "map"}, nil), "the servers reported nothing")
	require.Nil(t, list.Terms(map[string]string{"db": "plain"}, facts))
	require.Nil(t, list.Terms(map[string]string{"db": "tree"}, facts))
}

func TestEachTermIsListed(t *testing.T) {
	terms := descriptor.Terms{Durability: "1", Consistency: "2", Replicas: "3", Scans: "4", Updates: "5"}
	require.Equal(t, []descriptor.Term{{"durability", "1"}, {"consistency", "2"}, {"replicas", "3"}, {"scans", "4"}, {"updates", "5"}}, terms.Each())
}

// Databases that do the same with other words have terms of the same meaning.
func TestMeaningOfATerm(t *testing.T) {
	for text, want := range map[string]string{
		"only the written fields ($set)": "only the written fields",
		"3: HDFS":                        "3",
		"strong: one server answers":     "strong",
		"synced to the WAL (SYNC_WAL, hsync); sent from a client buffer of 2048 bytes": "synced to the WAL; sent from a client buffer of 2048 bytes",
		"in the order of keys": "in the order of keys",
		"":                     "",
	} {
		require.Equal(t, want, descriptor.Term{Text: text}.Meaning())
	}
}

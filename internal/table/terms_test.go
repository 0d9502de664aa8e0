package table_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// A suite has an entry for each target, and another where cases of a target differ in their terms. Those of one target are together.
func TestTermsOfEachTarget(t *testing.T) {
	targets := descriptor.List{
		{Name: "store", Terms: func(properties, _ map[string]string) descriptor.Terms {
			return descriptor.Terms{Durability: "synced", Updates: properties["sends"]}
		}},
		{Name: "other", Terms: func(_, facts map[string]string) descriptor.Terms {
			return descriptor.Terms{Replicas: facts["copies"]}
		}},
		{Name: "plain"},
	}
	s := &result.Suite{ID: "S", Plan: &result.Plan{}}
	add := func(name, target, db, sends string) {
		s.Plan.Cases = append(s.Plan.Cases, result.PlannedCase{Name: name, Target: target, Repeats: 2})
		for range 2 {
			r := result.Run{Case: name, Resolved: map[string]string{"db": db, "sends": sends}}
			r.Provenance.Target = map[string]string{"copies": "2"}
			s.Runs = append(s.Runs, r)
		}
	}
	add("load on A", "A", "store", "fields")
	add("load on B", "B", "other", "fields")
	add("update on A", "A", "store", "documents")
	add("update on B", "B", "other", "documents")
	add("update on C", "C", "plain", "documents")
	s.Runs = append(s.Runs, result.Run{Case: "update on A", Resolved: map[string]string{"db": "store"}}) // it has not reached its target
	table.Conclude(s, targets)
	require.Equal(t, []result.TargetTerms{
		{Target: "A", DB: "store", Cases: []string{"load on A"}, Terms: descriptor.Terms{Durability: "synced", Updates: "fields"}},
		{Target: "A", DB: "store", Cases: []string{"update on A"}, Terms: descriptor.Terms{Durability: "synced", Updates: "documents"}},
		{Target: "B", DB: "other", Cases: []string{"load on B", "update on B"}, Terms: descriptor.Terms{Replicas: "2"}},
	}, s.Terms)
	require.Equal(t, "documents", s.Runs[4].Terms.Updates)
	require.Nil(t, s.Runs[len(s.Runs)-1].Terms)

	table.Conclude(s, targets)
	require.Len(t, s.Terms, 3, "it may be called repeatedly")
}

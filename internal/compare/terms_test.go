package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// What a workload does on two databases is compared before everything else: each term that differs, and none that is the same.
func TestTermsThatDifferAreNamedFirst(t *testing.T) {
	of := func(id, db string, terms *descriptor.Terms) compare.Side {
		return side(t, id, suite(made{id: id, repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Resolved["db"], r.Resolved["cluster.consistency"], r.Resolved["a"] = db, db+" reads", id
			r.Provenance.Target["client"], r.Provenance.Target["consistency"] = db+" client", db+" reads"
			r.Terms = terms
		}}))
	}
	a := of("A", "store", &descriptor.Terms{Durability: "on three disks", Consistency: "strong", Replicas: "3", Scans: "in the order of keys", Updates: "only the written fields"})
	b := of("B", "other", &descriptor.Terms{Durability: "in memory", Consistency: "strong", Replicas: "3", Scans: "in the order of hashes"})
	differences := compare.New(a, b, compare.Settings{Smallest: 0.05}).Differences
	require.Equal(t, []compare.Difference{
		{What: "durability", A: "on three disks", B: "in memory", Cases: []string{}},
		{What: "scans", A: "in the order of keys", B: "in the order of hashes", Cases: []string{}},
		{What: "updates", A: "only the written fields", Cases: []string{}},
		{What: "client", A: "store client", B: "other client", Cases: []string{}},
	}, differences[:4])
	for i, d := range differences {
		require.Equal(t, i < 3, d.IsTerm(), d.What)
	}

	// Of one side alone they are no difference: another program measured it, or its target does not describe them.
	for _, d := range compare.New(a, of("B", "other", nil), compare.Settings{Smallest: 0.05}).Differences {
		require.False(t, d.IsTerm() && d.What != "consistency", d.What)
	}
}

// Runs of a case with different terms are all named.
func TestTermsThatDifferWithinACase(t *testing.T) {
	of := func(id string, texts ...string) compare.Side {
		n := 0
		return side(t, id, suite(made{id: id, repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Terms = &descriptor.Terms{Durability: texts[n%len(texts)]}
			n++
		}}))
	}
	require.Equal(t, []compare.Difference{{What: "durability", A: "synced / in memory", B: "synced", Cases: []string{}}},
		compare.New(of("A", "synced", "in memory"), of("B", "synced"), compare.Settings{Smallest: 0.05}).Differences)
}

// Results of builds without terms get them from the descriptions of the targets.
func TestTermsOfOlderResults(t *testing.T) {
	targets := descriptor.List{{Name: "hbase", Terms: func(properties, _ map[string]string) descriptor.Terms {
		return descriptor.Terms{Durability: properties["durability"]}
	}}}
	of := func(id, durability string) compare.Side {
		s, err := compare.NewSide(id, []result.Suite{suite(made{id: id, repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Resolved["db"], r.Resolved["durability"] = "hbase", durability
			r.Provenance.Target["hbase.version"] = "2.6.4"
		}})}, compare.Selection{}, targets)
		require.NoError(t, err)
		return s
	}
	differences := compare.New(of("A", "SYNC_WAL"), of("B", "ASYNC_WAL"), compare.Settings{Smallest: 0.05}).Differences
	require.Equal(t, compare.Difference{What: "durability", A: "SYNC_WAL", B: "ASYNC_WAL", Cases: []string{}}, differences[0])
}

// Batches of different sizes are compared by rows, and not by the time of a batch.
func TestBatchesOfDifferentSizesAreComparedByRows(t *testing.T) {
	of := func(id string, batch uint64) compare.Side {
		return side(t, id, suite(made{id: id, repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			p := &r.Phases[0]
			p.Operations = p.Operations[:1]
			p.Operations[0].Op, p.Rows = "INSERT", p.Ops*batch
		}}))
	}
	c := compare.New(of("A", 1), of("B", 100), compare.Settings{Smallest: 0.05}).Cases[0]
	require.Len(t, c.Figures, 1)
	require.Equal(t, "throughput_rows", c.Figures[0].Name)
	require.Equal(t, compare.Better, c.Figures[0].Verdict)
	require.Contains(t, c.Sentence, "B is faster: throughput in rows +")
	require.Contains(t, c.Notes, "operations of A and B insert batches of different sizes: the throughput is in rows, and response times are left out")
}

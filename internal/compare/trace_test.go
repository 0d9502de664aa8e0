package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trace"
)

// replayed makes a run one that repeats a trace.
func replayed(file, digest string, ops int64, more ...func(*result.Run)) func(*result.Run) {
	card := trace.Card{
		Version: trace.Version, Ops: ops, Keys: 1, Rows: 1, Length: 1e9, Mix: map[string]int64{"READ": ops}, Counts: []int64{ops},
		Interval: 1e9, LongestKey: 4, Chunks: 1, IndexAt: 100, SHA256: digest,
	}
	return func(r *result.Run) {
		r.Resolved["trace"], r.Resolved["trace.card"], r.Resolved["readproportion"] = file, card.Text(), digest[:1]
		for _, change := range more {
			change(r)
		}
	}
}

const (
	oneDigest   = "1111111111111111111111111111111111111111111111111111111111111111"
	otherDigest = "2222222222222222222222222222222222222222222222222222222222222222"
)

// Runs of different traces did different work: that is the first difference, and what follows from it is none.
func TestDifferentTracesAreTheFirstDifference(t *testing.T) {
	newer := func(r *result.Run) { r.Provenance.Benchd = "v0" }
	a := suite(made{id: "A", name: "x", repeats: 4, factor: 1, change: replayed("day.trace", oneDigest, 5)})
	b := suite(made{id: "B", name: "x", repeats: 4, factor: 1, change: replayed("day.trace", otherDigest, 7, newer)})
	c := compare.New(side(t, "A", a), side(t, "B", b), compare.Settings{Smallest: 0.05})
	require.Len(t, c.Differences, 2)
	require.Equal(t, "trace", c.Differences[0].What)
	require.True(t, c.Differences[0].IsTerm(), "it is printed before any figure")
	require.Regexp(t, `^[0-9a-f]{12} \(day\.trace, 5 ops\)$`, c.Differences[0].A)
	require.Regexp(t, `^[0-9a-f]{12} \(day\.trace, 7 ops\)$`, c.Differences[0].B)
	require.Equal(t, "benchd", c.Differences[1].What)

	without := suite(made{id: "B", name: "x", repeats: 4, factor: 1})
	c = compare.New(side(t, "A", a), side(t, "B", without), compare.Settings{Smallest: 0.05})
	require.Equal(t, "trace", c.Differences[0].What)
	require.Empty(t, c.Differences[0].B)
}

// The same trace may have had another name on another machine.
func TestTheSameTraceOfTwoFilesIsNoDifference(t *testing.T) {
	a := suite(made{id: "A", name: "x", repeats: 4, factor: 1, change: replayed("day.trace", oneDigest, 5)})
	b := suite(made{id: "B", name: "x", repeats: 4, factor: 1, change: replayed("copy.trace", oneDigest, 5)})
	require.Empty(t, compare.New(side(t, "A", a), side(t, "B", b), compare.Settings{Smallest: 0.05}).Differences)
}

package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// The state of a report is good only if all runs are complete and were tested without a bad verdict.
func TestStateOfAReport(t *testing.T) {
	tested := func(id string, bad bool) result.Run {
		return result.Run{ID: id, Status: result.Complete, Verdicts: []result.Verdict{{Name: "client_bound", Value: bad, Test: "idle CPU below 20 %"}}}
	}
	for _, c := range []struct {
		status result.Status
		runs   []result.Run
		state  book.State
		text   string
	}{
		{result.Complete, []result.Run{tested("S.1", false)}, book.Good, "complete, no verdict raised"},
		{result.Complete, []result.Run{tested("S.1", false), tested("S.2", true)}, book.Caution, "complete; verdicts raised in 1 of 2 runs: client_bound"},
		{result.Complete, []result.Run{{ID: "S.1", Status: result.Complete}}, book.Caution, "complete; no verdict was tested"},
		{result.Partial, []result.Run{tested("S.1", false), {ID: "S.2", Status: result.Partial}}, book.Bad, "partial: 1 of 2 runs are complete"},
		{result.Running, []result.Run{tested("S.1", false)}, book.Caution, "running: the figures can change"},
	} {
		state, text := stateOf(c.status, c.runs)
		require.Equal(t, c.state, state, c.text)
		require.Equal(t, c.text, text)
	}
}

// A reader of a report meets no word of the code, and no other word changes.
func TestWordsOfTheCodeAreReplaced(t *testing.T) {
	require.Equal(t, "agent b: intervals 14–20 of part 3", plainWords("agent b: windows 14–20 of shard 3"))
	require.Equal(t, "sharded windowed idle_shards", plainWords("sharded windowed idle_shards"))
}

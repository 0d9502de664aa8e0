package record_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/all"
)

// TestCasesAreWhatRepetitionsGet opens the run of an import, whose state asks for more than its properties show.
func TestCasesAreWhatRepetitionsGet(t *testing.T) {
	state, err := json.Marshal(record.State{
		Life:  lifecycle.New("S.1", []plan.Phase{{Name: plan.Load, Ops: 1}}, lifecycle.FailOnLoss),
		Asked: map[string]string{"actions": "1s hook restart", "table": "important"},
	})
	require.NoError(t, err)
	runs := []archive.RunRecord{{
		ID: "S.1", Suite: "S", Case: "a", Repeat: 1, Status: result.Cancelled, State: state,
		Properties: map[string]string{"db": "hbase", "table": "benchd_a", "columnfamily": "f", "operationcount": "1000", "recordcount": "1000"},
	}}
	reader, suite := all.Targets().Reader(), archive.Suite{ID: "S"}
	cases, err := record.Cases(reader, suite, runs)
	require.NoError(t, err)
	again, err := record.RunAgain(reader, suite, runs, []lifecycle.Retry{{Of: "S.1", ID: "S.2"}})
	require.NoError(t, err)
	require.Len(t, cases, 1)
	require.Equal(t, "important", again[0].Archived.Properties["table"])
	require.Equal(t, again[0].Archived.Properties, cases[0].Properties)
	require.Equal(t, again[0].Settings, cases[0].Settings)
	require.Equal(t, []string{"restart"}, cases[0].Settings.Hooks())
}

package results

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

// A foreign suite of another archive is checked like the files of another program.
func TestImportedForeignSuitesAreChecked(t *testing.T) {
	low := 1.0
	for name, test := range map[string]struct {
		change func(*record.State, *archive.RunRecord)
		want   string
	}{
		"unchanged":   {func(*record.State, *archive.RunRecord) {}, ""},
		"few samples": {func(s *record.State, _ *archive.RunRecord) { s.Foreign.Phases[0].Operations[0].P9999 = &low }, "p99.99 of 1000 samples, which needs 66381"},
		"reconciled":  {func(s *record.State, _ *archive.RunRecord) { s.Foreign.Reconcile = result.Reconcile{OK: true} }, "which a foreign result does not have"},
		"verdict": {func(s *record.State, _ *archive.RunRecord) {
			s.Foreign.Verdicts = []result.Verdict{{Name: "client_bound"}}
		}, "which a foreign result does not have"},
		"not marked": {func(s *record.State, _ *archive.RunRecord) { s.Foreign.Provenance.Foreign = nil }, "it is not marked as foreign"},
		"negative":   {func(s *record.State, _ *archive.RunRecord) { s.Foreign.Phases[0].Seconds = -1 }, "in -1 s"},
		"generators": {func(s *record.State, _ *archive.RunRecord) {
			s.Foreign.Phases[0].Generators = []result.Generator{{Name: "a"}}
		}, "it has Generators, which a foreign result does not have"},
		"terminal codes": {func(s *record.State, _ *archive.RunRecord) { s.Foreign.Warnings = []string{"\x1b[2J"} }, "cannot be printed"},
		"unfinished":     {func(s *record.State, _ *archive.RunRecord) { s.Life.Status = result.Failed }, "a state that a foreign result does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := ForeignResult([]foreign.File{{Name: "out.txt", Content: []byte(`[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 1000
[READ], Operations, 1000
[READ], AverageLatency(us), 200
[READ], MinLatency(us), 100
[READ], MaxLatency(us), 900
[READ], 99thPercentileLatency(us), 800
`)}}, foreign.Stated{})
			require.NoError(t, err)
			suite, runs, err := record.NewForeign(archive.Suite{ID: "20260301-k7mp", Name: "old", Created: time.Unix(1, 0).UTC()}, "", []result.Run{run})
			require.NoError(t, err)
			var state record.State
			require.NoError(t, json.Unmarshal(runs[0].State, &state))
			test.change(&state, &runs[0])
			runs[0].State, err = json.Marshal(state)
			require.NoError(t, err)

			from, in := onArchive(t, Keep{})
			require.NoError(t, in.CreateSuite(t.Context(), suite, runs))
			var file bytes.Buffer
			require.NoError(t, from.Export(t.Context(), suite.ID, &file))
			to, _ := onArchive(t, Keep{})
			_, err = to.Import(t.Context(), &file)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, shown(t, from, suite.ID), shown(t, to, suite.ID))
			require.Contains(t, shown(t, to, suite.ID), `"p99_us":800`)
		})
	}
}

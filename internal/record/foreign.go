package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// ForeignDB is the kind of target of suites that another program measured. It is none that a run could have, so that an older
// coordinator refuses such a suite.
const ForeignDB = "foreign"

// NewForeign returns the archive's records of a suite of one case whose runs another program measured: suite with its ID, name, dates
// and submitter, and a run for each result.
func NewForeign(suite archive.Suite, name string, results []result.Run) (archive.Suite, []archive.RunRecord, error) {
	name = cmp.Or(name, suite.Name)
	suite.Status, suite.DB = result.Complete, ForeignDB
	var err error
	if suite.Plan, err = json.Marshal(result.Plan{Order: plan.Sequential, OnFailure: plan.GoOn, Cases: []result.PlannedCase{{Name: name, Scenario: name, Repeats: len(results)}}}); err != nil {
		return suite, nil, fmt.Errorf("encode plan: %w", err)
	}
	files := []result.ForeignFile{}
	records := make([]archive.RunRecord, len(results))
	for i := range results {
		files = append(files, results[i].Provenance.Foreign.Files...)
		id := fmt.Sprintf("%s.%d", suite.ID, i+1)
		life := &lifecycle.State{Run: id, Status: result.Complete, Policy: lifecycle.FailOnLoss, Phase: -1}
		for _, p := range results[i].Phases {
			life.Phases = append(life.Phases, plan.Phase{Name: plan.PhaseName(p.Name)})
		}
		records[i] = archive.RunRecord{
			ID: id, Suite: suite.ID, Case: name, Repeat: i + 1, Status: result.Complete, Ended: suite.Created,
			Properties: map[string]string{"db": ForeignDB},
		}
		if records[i].State, err = json.Marshal(State{Life: life, Foreign: &results[i]}); err != nil {
			return suite, nil, fmt.Errorf("encode run %s: %w", id, err)
		}
	}
	suite.Spec, err = json.Marshal(map[string]any{"foreign": files})
	return suite, records, err
}

// ForeignResult returns the result of a run that another program measured; false for a run of benchd. Only what a foreign result can
// have is taken from the record.
func (r *Run) ForeignResult() (result.Run, bool) {
	f := r.State.Foreign
	if f == nil {
		return result.Run{}, false
	}
	return result.Run{
		Schema: result.Schema, Kind: "run", ID: r.Archived.ID, Name: r.Suite.Name, Case: r.Archived.Case, Repeat: r.Archived.Repeat,
		Status: result.Complete, Missing: []string{}, Spec: r.Suite.Spec, Resolved: f.Resolved, Note: r.Suite.Note, Tags: r.Suite.Tags,
		Provenance: result.Provenance{
			SubmittedBy: r.Suite.SubmittedBy, Created: r.Suite.Created, Target: map[string]string{}, Agents: []result.Agent{}, Foreign: f.Provenance.Foreign,
		},
		Reconcile: result.Reconcile{Unknown: true}, Phases: slices.Clone(f.Phases), Verdicts: []result.Verdict{}, Warnings: f.Warnings,
	}, true
}

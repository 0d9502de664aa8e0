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
	"github.com/benchd/benchd/internal/spec"
)

// FirstRuns returns the archive's records of the runs with which a submitted suite begins; EncodePlan has encoded its plan.
// They are all of its runs or, if it has searches, those up to the first probe: Planner.More returns the others.
func FirstRuns(reader *spec.Reader, stored archive.Suite, suite plan.Suite, ask Ask) ([]archive.RunRecord, error) {
	planner, err := NewPlanner(reader, stored)
	if err != nil {
		return nil, err
	}
	if planner != nil {
		return planner.More(nil, nil)
	}
	return NewRuns(stored.ID, suite, ask)
}

// NewRuns returns the archive's records of the runs of a submitted suite without searches.
func NewRuns(id string, suite plan.Suite, ask Ask) ([]archive.RunRecord, error) {
	var records []archive.RunRecord
	for _, planned := range plan.Runs(id, suite) {
		one, ok := suite.Case(planned.Case)
		if !ok {
			return nil, fmt.Errorf("run %s is of case %q, which the suite does not have", planned.ID, planned.Case)
		}
		each := ask
		each.Agents = cmp.Or(one.Agents, ask.Agents)
		rec, err := newRun(id, planned, one, each)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// NewSuite returns the state of a suite, from its records. A suite with searches that has not ended is open: its planner
// closes it.
func NewSuite(suite archive.Suite, runs []archive.RunRecord) *lifecycle.Suite {
	planned, _ := Plan(suite)
	searches := planned.Searches()
	return &lifecycle.Suite{
		ID: suite.ID, Status: suite.Status, StopOnFailure: stopsOnFailure(suite), Runs: RunsOf(suite, runs),
		Searches: searches, Open: searches && !suite.Status.Ended(),
	}
}

// RunsOf converts records of runs for their suite, with those that are probes of a search.
func RunsOf(suite archive.Suite, runs []archive.RunRecord) []lifecycle.SuiteRun {
	planned, _ := Plan(suite)
	out := SuiteRuns(runs)
	for i := range out {
		c, _ := planned.Case(out[i].Case)
		out[i].Probe = c.Search != nil
	}
	return out
}

// SuiteRuns converts records of runs for their suite.
func SuiteRuns(runs []archive.RunRecord) []lifecycle.SuiteRun {
	out := make([]lifecycle.SuiteRun, len(runs))
	for i, r := range runs {
		out[i] = lifecycle.SuiteRun{ID: r.ID, Case: r.Case, Repeat: r.Repeat, Status: r.Status, Reason: r.Reason}
	}
	return out
}

// RunAgain returns the records of new runs that replace others of a suite.
func RunAgain(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord, retries []lifecycle.Retry) ([]*Run, error) {
	var again []*Run
	for _, retry := range retries {
		i := slices.IndexFunc(runs, func(r archive.RunRecord) bool { return r.ID == retry.Of })
		if i < 0 {
			return nil, fmt.Errorf("repeat run %s: the suite does not have it", retry.Of)
		}
		before, err := Open(reader, suite, runs[i])
		if err != nil {
			return nil, err
		}
		rec, err := before.again(retry.ID)
		if err != nil {
			return nil, err
		}
		opened, err := Open(reader, suite, rec)
		if err != nil {
			return nil, err
		}
		again = append(again, opened)
	}
	return again, nil
}

// Plan returns the plan of a suite; nil if it was not archived.
func Plan(suite archive.Suite) (*result.Plan, error) {
	if suite.Plan == nil {
		return nil, nil //nolint:nilnil // a suite of an older benchd
	}
	p := new(result.Plan)
	if err := json.Unmarshal(suite.Plan, p); err != nil {
		return nil, fmt.Errorf("read plan of suite %s: %w", suite.ID, err)
	}
	return p, nil
}

// stopsOnFailure reports whether the queued runs of a suite are cancelled when one fails.
func stopsOnFailure(suite archive.Suite) bool {
	planned, err := Plan(suite)
	return err == nil && planned != nil && planned.OnFailure != plan.GoOn
}

// Standing returns the runs of a suite that no other run replaces.
func Standing(runs []archive.RunRecord) []archive.RunRecord {
	replaced := ReplacedBy(runs)
	return slices.DeleteFunc(slices.Clone(runs), func(r archive.RunRecord) bool { return replaced[r.ID] != "" })
}

// ReplacedBy maps runs to the later run that replaces them.
func ReplacedBy(runs []archive.RunRecord) map[string]string {
	return lifecycle.ReplacedBy(SuiteRuns(runs))
}

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

// NewRuns makes the archive's records of the runs of a suite that is submitted.
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

// NewSuite makes the state of a suite from its records.
func NewSuite(suite archive.Suite, runs []archive.RunRecord) *lifecycle.Suite {
	return &lifecycle.Suite{ID: suite.ID, Status: suite.Status, StopOnFailure: stopsOnFailure(suite), Runs: SuiteRuns(runs)}
}

// SuiteRuns are runs as their suite sees them.
func SuiteRuns(runs []archive.RunRecord) []lifecycle.SuiteRun {
	out := make([]lifecycle.SuiteRun, len(runs))
	for i, r := range runs {
		out[i] = lifecycle.SuiteRun{ID: r.ID, Case: r.Case, Repeat: r.Repeat, Status: r.Status, Reason: r.Reason}
	}
	return out
}

// RunAgain makes the records of new runs in the place of others of a suite.
func RunAgain(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord, retries []lifecycle.Retry) ([]*Run, error) {
	var again []*Run
	for _, retry := range retries {
		i := slices.IndexFunc(runs, func(r archive.RunRecord) bool { return r.ID == retry.Of })
		if i < 0 {
			return nil, fmt.Errorf("run %s again: the suite does not have it", retry.Of)
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

// Plan is what a suite is to do; nil where that was not kept.
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

// stopsOnFailure reports whether the runs of a suite that wait are cancelled when one fails.
func stopsOnFailure(suite archive.Suite) bool {
	planned, err := Plan(suite)
	return err == nil && planned != nil && planned.OnFailure != plan.GoOn
}

// Standing are the runs of a suite without those in whose place another one was, or is, run.
func Standing(runs []archive.RunRecord) []archive.RunRecord {
	replaced := ReplacedBy(runs)
	return slices.DeleteFunc(slices.Clone(runs), func(r archive.RunRecord) bool { return replaced[r.ID] != "" })
}

// ReplacedBy maps runs to the later one in their place.
func ReplacedBy(runs []archive.RunRecord) map[string]string {
	return lifecycle.ReplacedBy(SuiteRuns(runs))
}

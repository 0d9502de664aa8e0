package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/archive"
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

// RunAgain makes the records of new runs in the place of those that ended otherwise than complete. They come behind the
// others, in the same order. unfinished reports whether other runs of the suite have not ended.
func RunAgain(reader *spec.Reader, suite archive.Suite, runs []archive.RunRecord) (again []*Run, unfinished bool, err error) {
	last := 0
	for _, r := range runs {
		_, number, _ := strings.Cut(r.ID, ".")
		if n, err := strconv.Atoi(number); err == nil {
			last = max(last, n)
		}
	}
	for _, r := range Standing(runs) {
		switch {
		case r.Status == result.Complete:
			continue
		case !r.Status.Ended():
			unfinished = true
			continue
		}
		last++
		before, err := Open(reader, suite, r)
		if err != nil {
			return nil, false, err
		}
		rec, err := before.again(suite.ID + "." + strconv.Itoa(last))
		if err != nil {
			return nil, false, err
		}
		opened, err := Open(reader, suite, rec)
		if err != nil {
			return nil, false, err
		}
		again = append(again, opened)
	}
	return again, unfinished, nil
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

// StopsAll reports whether the runs after this one are cancelled when it fails.
func (r *Run) StopsAll() bool {
	planned, err := Plan(r.Suite)
	return err == nil && planned != nil && planned.OnFailure != plan.GoOn
}

// Standing are the runs of a suite without those in whose place another one was, or is, run.
func Standing(runs []archive.RunRecord) []archive.RunRecord {
	replaced := ReplacedBy(runs)
	return slices.DeleteFunc(slices.Clone(runs), func(r archive.RunRecord) bool { return replaced[r.ID] != "" })
}

// ReplacedBy maps runs to the later one in their place: the last of the same repeat of the same case.
func ReplacedBy(runs []archive.RunRecord) map[string]string {
	type turn struct {
		name   string
		repeat int
	}
	last, replaced := make(map[turn]string), make(map[string]string)
	for _, r := range slices.Backward(runs) {
		at := turn{r.Case, r.Repeat}
		if by, is := last[at]; is {
			replaced[r.ID] = by
			continue
		}
		last[at] = r.ID
	}
	return replaced
}

// StatusOf is the status of a suite when one of its runs changes to changed: that of its worst run once all have ended,
// that of the run that is served before.
func StatusOf(runs []archive.RunRecord, changed archive.RunRecord) result.Status {
	status, ended := result.Complete, 0
	runs = Standing(runs)
	for _, other := range runs {
		s := other.Status
		if other.ID == changed.ID {
			s = changed.Status
		}
		if s.Ended() {
			ended++
			if worse(s, status) {
				status = s
			}
		}
	}
	switch {
	case ended == len(runs):
		return status
	case changed.Status.Ended():
		return result.Running // between two runs
	default:
		return changed.Status
	}
}

func worse(a, b result.Status) bool {
	ends := []result.Status{result.Complete, result.Partial, result.Cancelled, result.Failed}
	return slices.Index(ends, a) > slices.Index(ends, b)
}

package conductor

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/record"
)

// fitRows fits a run of several to the rows that are there, and archives its properties before anything is sent: where the
// numbers of rows were lost, the next run would write over them. why says why the run cannot be begun.
func (cd *Conductor) fitRows() (why string, err error) {
	if !cd.run.Settings.ContinueInserts {
		return "", nil
	}
	if cd.run.State.Asked == nil {
		runs, err := cd.c.Archive.Runs(cd.c.Life, cd.run.Suite.ID)
		if err != nil {
			return "", fmt.Errorf("read runs of suite %s: %w", cd.run.Suite.ID, err)
		}
		changes, gaps, err := cd.run.Fit(runs)
		for _, gap := range gaps {
			cd.timeline.note("rows", fmt.Sprintf("an earlier run of the suite left out some of the row numbers %d to %d: this run asks for none of them", gap.First, gap.Last))
		}
		if unfit, is := errors.AsType[*record.UnfitError](err); is {
			return unfit.Error(), nil // it ends the run, not the coordinator's work
		}
		if err != nil {
			return "", err
		}
		for _, c := range changes {
			if c.Because != "" {
				cd.timeline.note("rows", fmt.Sprintf("%s is %s instead of %s: %s", c.Key, c.Value, cd.run.State.Asked[c.Key], c.Because))
			}
		}
	}
	if cd.archiver.persist(cd.c.Life); cd.archiver.dirty {
		return "", errors.New("the archive did not take the numbers of the rows")
	}
	return "", nil
}

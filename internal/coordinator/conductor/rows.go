package conductor

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/record"
)

// fitRows adjusts a run of a suite to the existing rows, and archives its properties before anything is sent: if they
// were lost, the next run could overwrite its rows. why is the reason if the run cannot start.
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
			cd.timeline.note("rows", fmt.Sprintf("an earlier run of the suite skipped some of the row numbers %d to %d: this run reads none of them", gap.First, gap.Last))
		}
		if unfit, is := errors.AsType[*record.UnfitError](err); is {
			return unfit.Error(), nil // it ends the run, and is no error of the coordinator
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
		return "", errors.New("the archive did not store the row numbers")
	}
	return "", nil
}

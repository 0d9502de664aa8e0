package results

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/record"
)

// runSet is a set of runs. Its zero value is empty.
type runSet struct {
	mu   sync.Mutex
	runs map[string]bool
}

func (r *runSet) add(run string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs == nil {
		r.runs = make(map[string]bool)
	}
	r.runs[run] = true
}

func (r *runSet) has(run string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runs[run]
}

// forget removes the runs of some suites.
func (r *runSet) forget(gone func(suite string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.runs, func(run string, _ bool) bool { return gone(record.SuiteOf(run)) })
}

// extent is the size of an ended run.
type extent struct {
	run     string
	windows int  // at most
	long    bool // see mayBeLong
}

// extentsOf adds up the phases of runs. Runs are in the order of their first windows.
func (s *Store) extentsOf(phases []archive.PhaseExtent) (list []extent) {
	at := make(map[string]int, len(phases))
	for _, e := range phases {
		i, is := at[e.Run]
		if !is {
			i = len(list)
			at[e.Run], list = i, append(list, extent{run: e.Run})
		}
		list[i].windows += e.Windows * max(e.Shards, 1)
		list[i].long = list[i].long || s.sealed.dir != "" && s.mayBeLong(e)
	}
	return list
}

// sealEach computes, once for each ended long run, what readers of its result need of its windows; if missing is true, then also the documents of
// shorter runs. It pauses after each run, ends when a run begins, and reports whether it has ended because its time is over.
func (s *Store) sealEach(ctx context.Context, phases []archive.PhaseExtent, missing bool) (more bool, err error) {
	if s.sealed.none() {
		return false, nil
	}
	if err := s.forgetRemoved(ctx); err != nil {
		return false, err
	}
	runs := s.extentsOf(phases)
	due := s.due(runs, missing)
	if len(due) > 0 && !s.listed { // not without need: the program is read for its fingerprint
		if err := s.findMade(ctx, runs); err != nil {
			s.log.Warn("list the results that are kept of runs", "error", err, "next_try", maintainEvery)
			missing = false // most may be there
		}
		due = s.due(runs, missing)
	}
	began, pause := clock.Mono(), breathe()
	for i, run := range due {
		if i > 0 {
			if err := pause(ctx); err != nil {
				return false, err
			}
		}
		if s.busy() {
			return false, nil
		}
		if began.Elapsed() > missingFor {
			return true, nil
		}
		err := s.quarantine.Do(record.SuiteOf(run.run), "make the result of run "+run.run, func() error {
			if run.long {
				return s.seal(ctx, run.run)
			}
			return s.makeDocument(ctx, run.run)
		})
		if ctx.Err() != nil {
			return false, err
		}
		s.sealedRuns.add(run.run) // also after an error: it must not be in the way of others, and the first reader sees it
		if err != nil || s.sealed.failing.Load() {
			return false, err
		}
	}
	if missing && len(s.programs) > 0 {
		if err := s.sealed.dropPrograms(ctx, s.programs); err != nil {
			s.log.Log(ctx, severity(err), "remove the results that other programs have kept", "error", err, "next_try", maintainEvery)
			return false, nil
		}
		s.programs = nil
	}
	return false, nil
}

// forgetRemoved removes what is kept of removed suites: once at the start, and after suites have been removed, as a document may have been made
// meanwhile.
func (s *Store) forgetRemoved(ctx context.Context) error {
	list, err := s.archive.Suites(ctx)
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(list))
	for _, suite := range list {
		there[suite.ID] = true
	}
	same := s.suites != nil
	for suite := range s.suites {
		same = same && there[suite]
	}
	if !same {
		if err := s.forget(ctx, func(suite string) bool { return !there[suite] }); err != nil {
			s.log.Log(ctx, severity(err), "remove what was computed of removed suites", "error", err, "next_try", maintainEvery)
			return nil
		}
	}
	s.suites = there
	return nil
}

// findMade finds out which documents this program has made before: for thousands of runs by their names alone.
func (s *Store) findMade(ctx context.Context, runs []extent) error {
	made, others, err := s.sealed.made(ctx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if made[r.run] {
			s.madeRuns.add(r.run)
		}
	}
	s.programs, s.listed = others, true
	return nil
}

// due returns the runs to look at: long ones in their order, since the newest logs must be the last ones, as they have a limit; then the others,
// the newest first.
func (s *Store) due(runs []extent, missing bool) (due []extent) {
	for _, r := range runs {
		if r.long && !s.sealedRuns.has(r.run) {
			due = append(due, r)
		}
	}
	if !missing {
		return due
	}
	for _, r := range slices.Backward(runs) {
		if !r.long && r.windows >= s.sealed.documents && !s.sealedRuns.has(r.run) && !s.madeRuns.has(r.run) {
			due = append(due, r)
		}
	}
	return due
}

// makeDocument makes the document of an ended run, unless there is one.
func (s *Store) makeDocument(ctx context.Context, id string) error {
	suite, runs, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.document(ctx, suite, newSuiteKey(suite), runs[0])
	return err
}

package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// Reasons why a suite refuses an event.
var (
	ErrSuiteClosed = errors.New("it is closed")
	ErrSuiteEnded  = errors.New("it has ended")
)

// Suite is the life of a suite: which of its runs is next, how the end of one affects the others, and when the suite has
// ended. Runs can be added while others are served, and, as long as it is Open, after the last one has ended. It has no
// archived form of its own: it is built from the records of the suite and its runs. After a restart Resume returns the
// pending commands.
type Suite struct {
	ID     string
	Status result.Status
	// StopOnFailure cancels the queued runs when one has failed.
	StopOnFailure bool
	// Open is set while the planner of the suite may add runs: the suite does not end with its last run. Cancelling a
	// run, or a failure that stops the suite, closes it.
	Open bool
	// Searches is set if cases of the suite are searches: their probes are added one after another, so the suite is open
	// until its planner closes it, and again when a user resumes it.
	Searches bool
	// CutShort is set if the suite was cancelled while it was open.
	CutShort bool
	Runs     []SuiteRun // in their order
}

// SuiteRun is a run as its suite sees it.
type SuiteRun struct {
	ID       string
	Case     string
	Repeat   int
	Status   result.Status // as archived
	Reason   string
	Taken    bool // it has left the queue, and its agents are not free yet
	Unwanted bool // it is being cancelled: it must not start
	Probe    bool // it is a probe of a search, which is repeated after its first failure
}

// MaxAttempts bounds the runs of one probe of a search that end as failed or partial.
const MaxAttempts = 2

// Retry is a new run that replaces one which did not end as complete.
type Retry struct{ ID, Of string }

// Step applies an event and returns the commands that follow. An event that After refuses, that is repeated, or that
// concerns an unknown run changes nothing.
func (s *Suite) Step(event SuiteEvent) []SuiteCommand {
	commands, err := s.step(event)
	if err != nil {
		return nil
	}
	return commands
}

// After returns the status that the suite gets by an event, or why the event is refused. The coordinator archives that
// status, together with the change that causes it, before it calls Step.
func (s *Suite) After(event SuiteEvent) (result.Status, error) {
	next := *s
	next.Runs = slices.Clone(s.Runs)
	_, err := next.step(event)
	return next.Status, err
}

func (s *Suite) step(event SuiteEvent) ([]SuiteCommand, error) {
	switch e := event.(type) {
	case RunTaken:
		if r := s.run(e.Run); r != nil {
			r.Taken = true
		}
		return nil, nil
	case RunChanged:
		s.changed(e)
		return nil, nil
	case RunReleased:
		r := s.run(e.Run)
		if r == nil || !r.Taken {
			return nil, nil
		}
		r.Taken = false
		return s.follow(), nil
	case RunsAdded:
		return nil, s.added(e)
	case CancelAsked:
		return s.cancelAsked(e)
	case SuiteClosed:
		s.close()
		return nil, nil
	default:
		panic(fmt.Sprintf("lifecycle: unknown event %T of a suite", event))
	}
}

// changed sets the status of a run, and derives the suite's: the status of its worst run once all have ended, and before
// that the status of the run that is served.
func (s *Suite) changed(e RunChanged) {
	r := s.run(e.Run)
	if r == nil {
		return
	}
	r.Status, r.Reason = e.Status, e.Reason
	if r.Status == result.Cancelled || r.Status == result.Failed && s.StopOnFailure && !MayRepeat(s.Runs, *r) {
		s.Open = false
	}
	switch {
	case s.over():
		s.Status = s.worst()
	case r.Status.Ended():
		s.Status = result.Running // between two runs
	default:
		s.Status = r.Status
	}
}

func (s *Suite) added(e RunsAdded) error {
	if !s.Open && !e.Reopen {
		return fmt.Errorf("add runs to suite %s: %w", s.ID, ErrSuiteClosed)
	}
	for i, r := range e.Runs {
		if s.run(r.ID) != nil || slices.ContainsFunc(e.Runs[:i], func(o SuiteRun) bool { return o.ID == r.ID }) {
			return fmt.Errorf("add run %s to suite %s: it has a run of this id", r.ID, s.ID)
		}
	}
	s.Runs = append(s.Runs, e.Runs...)
	if e.Reopen && s.Searches {
		s.Open, s.CutShort = true, false
	}
	if s.Status.Ended() {
		s.Status = result.Queued
	}
	return nil
}

func (s *Suite) cancelAsked(e CancelAsked) ([]SuiteCommand, error) {
	var out []SuiteCommand
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Status.Ended() || e.Run != "" && e.Run != r.ID {
			continue
		}
		r.Unwanted = true
		out = append(out, CancelRun{Run: r.ID, Cancel: Cancel{By: e.By}})
	}
	if len(out) == 0 && (!s.Open || e.Run != "") {
		return nil, fmt.Errorf("cancel suite %s: %w", s.ID, ErrSuiteEnded)
	}
	if s.Open && e.Run == "" {
		s.CutShort = true
		s.close()
	}
	return out, nil
}

// close ends the suite with its last run, or now if that has ended.
func (s *Suite) close() {
	if !s.Open {
		return
	}
	s.Open = false
	if s.over() {
		s.Status = s.worst()
	}
}

// Resume returns the pending commands after a restart of the coordinator, which may have died before it had carried them
// out. A suite that has not ended while all of its runs have was open.
func (s *Suite) Resume() []SuiteCommand {
	if !s.Status.Ended() && len(s.Runs) > 0 && !s.Unfinished() {
		s.Open = true
	}
	return s.follow()
}

// follow returns the commands that follow from the state of the runs.
func (s *Suite) follow() []SuiteCommand {
	var out []SuiteCommand
	if failed := s.failed(); failed != nil && s.StopOnFailure {
		because := fmt.Sprintf("not started, because run %s failed: %s", failed.ID, failed.Reason)
		for i := range s.Runs {
			if r := &s.Runs[i]; r.Status == result.Queued && !r.Taken && !r.Unwanted {
				r.Unwanted = true
				out = append(out, CancelRun{Run: r.ID, Cancel: Cancel{Because: because}})
			}
		}
	}
	if s.Open && !s.Unfinished() && s.Serving() == "" {
		out = append(out, PlanMore{})
	}
	return out
}

// Next returns the run that gets agents next; empty for none: the runs of a suite are executed one at a time.
func (s *Suite) Next() string {
	next := ""
	for i := range s.Runs {
		switch r := &s.Runs[i]; {
		case r.Taken || !r.Status.Ended() && r.Status != result.Queued:
			return ""
		case r.Status == result.Queued && !r.Unwanted && next == "":
			next = r.ID
		}
	}
	return next
}

// Serving returns the first run that has been taken and not released; empty for none.
func (s *Suite) Serving() string {
	if i := slices.IndexFunc(s.Runs, func(r SuiteRun) bool { return r.Taken }); i >= 0 {
		return s.Runs[i].ID
	}
	return ""
}

// Active reports whether the suite still has work, or may get some.
func (s *Suite) Active() bool { return s.Open || s.Unfinished() || s.Serving() != "" }

// Unfinished reports whether a run of the suite has not ended.
func (s *Suite) Unfinished() bool {
	return slices.ContainsFunc(s.Runs, func(r SuiteRun) bool { return !r.Status.Ended() })
}

// Retries returns a new run for each that did not end as complete, behind the others and in their order.
func (s *Suite) Retries() []Retry {
	last := LastNumber(s.Runs)
	var out []Retry
	for _, r := range s.standing() {
		if r.Status.Ended() && r.Status != result.Complete {
			last++
			out = append(out, Retry{ID: s.ID + "." + strconv.Itoa(last), Of: r.ID})
		}
	}
	return out
}

// LastNumber returns the highest number of a run: that of S.7 is 7.
func LastNumber(runs []SuiteRun) int {
	last := 0
	for _, r := range runs {
		_, number, _ := strings.Cut(r.ID, ".")
		if n, err := strconv.Atoi(number); err == nil {
			last = max(last, n)
		}
	}
	return last
}

// MayRepeat reports whether a probe that did not end as complete is to be run again by itself.
func MayRepeat(runs []SuiteRun, r SuiteRun) bool {
	if !r.Probe {
		return false
	}
	ended := 0
	for _, other := range runs {
		if other.Case == r.Case && other.Repeat == r.Repeat && (other.Status == result.Failed || other.Status == result.Partial) {
			ended++
		}
	}
	return ended < MaxAttempts
}

// ReplacedBy maps runs to the later one that replaces them: the last of the same repeat of the same case.
func ReplacedBy(runs []SuiteRun) map[string]string {
	type place struct {
		name   string
		repeat int
	}
	last, replaced := make(map[place]string), make(map[string]string)
	for _, r := range slices.Backward(runs) {
		at := place{r.Case, r.Repeat}
		if by, is := last[at]; is {
			replaced[r.ID] = by
			continue
		}
		last[at] = r.ID
	}
	return replaced
}

// standing returns the runs that no other has replaced; they determine the status of the suite.
func (s *Suite) standing() []SuiteRun {
	replaced := ReplacedBy(s.Runs)
	return slices.DeleteFunc(slices.Clone(s.Runs), func(r SuiteRun) bool { return replaced[r.ID] != "" })
}

// failed returns the first standing run that failed for good, or nil.
func (s *Suite) failed() *SuiteRun {
	for _, r := range s.standing() {
		if r.Status == result.Failed && !MayRepeat(s.Runs, r) {
			return &r
		}
	}
	return nil
}

// over reports whether the suite has ended.
func (s *Suite) over() bool { return !s.Open && !s.Unfinished() }

// worst returns the status of the suite's worst run.
func (s *Suite) worst() result.Status {
	ends := []result.Status{result.Complete, result.Partial, result.Cancelled, result.Failed}
	worst := 0
	if s.CutShort {
		worst = slices.Index(ends, result.Cancelled)
	}
	for _, r := range s.standing() {
		worst = max(worst, slices.Index(ends, r.Status))
	}
	return ends[worst]
}

func (s *Suite) run(id string) *SuiteRun {
	if i := slices.IndexFunc(s.Runs, func(r SuiteRun) bool { return r.ID == id }); i >= 0 {
		return &s.Runs[i]
	}
	return nil
}

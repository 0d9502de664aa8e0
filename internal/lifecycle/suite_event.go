package lifecycle

import "github.com/benchd/benchd/internal/result"

// SuiteEvent is something that happened to a suite.
type SuiteEvent interface{ suiteEvent() }

type (
	// RunTaken reports that a run has left the queue: it has its agents, or is only being ended.
	RunTaken struct{ Run string }
	// RunChanged reports a new status of a run.
	RunChanged struct {
		Run    string
		Status result.Status
		Reason string
	}
	// RunReleased reports that a run has ended and its agents are free; it follows the RunChanged.
	RunReleased struct{ Run string }
	// RunsAdded adds runs behind the existing ones. Reopen adds them also to a suite that is not open: a user resumes it.
	// A suite with searches is then open again.
	RunsAdded struct {
		Runs   []SuiteRun
		Reopen bool
	}
	// CancelAsked cancels a run or, if Run is empty, the whole suite.
	CancelAsked struct{ Run, By string }
	// SuiteClosed reports that no more runs will be added to an open suite.
	SuiteClosed struct{}
)

func (RunTaken) suiteEvent()    {}
func (RunChanged) suiteEvent()  {}
func (RunReleased) suiteEvent() {}
func (RunsAdded) suiteEvent()   {}
func (CancelAsked) suiteEvent() {}
func (SuiteClosed) suiteEvent() {}

// SuiteCommand is a command to the coordinator for a suite.
type SuiteCommand interface{ suiteCommand() }

type (
	// CancelRun ends a run, whether it has started or not.
	CancelRun struct {
		Run    string
		Cancel Cancel
	}
	// PlanMore asks for more runs: the suite is open, and all of its runs have ended. RunsAdded or SuiteClosed answers.
	PlanMore struct{}
)

func (CancelRun) suiteCommand() {}
func (PlanMore) suiteCommand()  {}

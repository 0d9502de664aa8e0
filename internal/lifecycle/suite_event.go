package lifecycle

import "github.com/benchd/benchd/internal/result"

// SuiteEvent is something that happened to a suite.
type SuiteEvent interface{ suiteEvent() }

type (
	// RunTaken says that a run has left the queue: it has its agents, or is only brought to its end.
	RunTaken struct{ Run string }
	// RunChanged says that a run has another status.
	RunChanged struct {
		Run    string
		Status result.Status
		Reason string
	}
	// RunReleased says that a run has ended and its agents are free; it follows the RunChanged.
	RunReleased struct{ Run string }
	// RunsAdded adds runs behind those that the suite has. Reopen adds them to a suite that is not open, too: a user
	// resumes it.
	RunsAdded struct {
		Runs   []SuiteRun
		Reopen bool
	}
	// CancelAsked says that somebody does not want a run any more, or, where Run is empty, the whole suite.
	CancelAsked struct{ Run, By string }
	// SuiteClosed says that no more runs will be added to an open suite.
	SuiteClosed struct{}
)

func (RunTaken) suiteEvent()    {}
func (RunChanged) suiteEvent()  {}
func (RunReleased) suiteEvent() {}
func (RunsAdded) suiteEvent()   {}
func (CancelAsked) suiteEvent() {}
func (SuiteClosed) suiteEvent() {}

// SuiteCommand is something that the coordinator is to do for a suite.
type SuiteCommand interface{ suiteCommand() }

type (
	// CancelRun ends a run, whether it has begun or not.
	CancelRun struct {
		Run    string
		Cancel Cancel
	}
	// PlanMore asks for more runs: the suite is open, and all that it had have ended. RunsAdded or SuiteClosed answers.
	PlanMore struct{}
)

func (CancelRun) suiteCommand() {}
func (PlanMore) suiteCommand()  {}

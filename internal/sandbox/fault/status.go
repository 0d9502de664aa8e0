package fault

import "time"

// State is the state of a fault.
type State string

// The states.
const (
	Waiting State = "waiting" // before its start
	Active  State = "active"
	Over    State = "over"
	Failed  State = "failed" // an event could not be carried out
)

// Status describes one fault.
type Status struct {
	Number int    `json:"number"`
	Fault  *Fault `json:"fault"`
	State  State  `json:"state"`
	// Begins is the time until it begins; Left is the time until it ends, 0 if it lasts until it is cleared.
	Begins time.Duration `json:"begins"`
	Left   time.Duration `json:"left"`
	// Hits counts the calls, or servers, that it has hit.
	Hits    int64  `json:"hits"`
	Trouble string `json:"trouble,omitempty"`
	// Owner is the run that added the fault; empty if it was added by hand.
	Owner string `json:"owner,omitempty"`
}

// List returns all faults that were not cleared.
func (p *Plan) List() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	list := make([]Status, 0, len(p.faults))
	for _, a := range p.faults {
		list = append(list, a.status(now))
	}
	return list
}

// status is called with the plan locked.
func (a *active) status(now time.Time) Status {
	f := a.Fault
	s := Status{Number: a.number, Fault: &f, Hits: a.hits.Load(), Trouble: a.trouble, Owner: a.owner, State: Active}
	switch {
	case a.trouble != "":
		s.State = Failed
	case now.Before(a.begin):
		s.State, s.Begins = Waiting, a.begin.Sub(now)
	case a.ended(now), a.Kind.Event() && a.happened && (a.returned || !a.returns()):
		s.State = Over
	}
	if !a.end.IsZero() && s.State != Over {
		s.Left = a.end.Sub(now) - s.Begins
	}
	return s
}

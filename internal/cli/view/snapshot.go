package view

import (
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

const (
	keptRates  = 120
	keptEvents = 50
)

// Snapshot is the known state of a suite.
type Snapshot struct {
	Progress remote.Progress
	Rates    []float64 // of the phase so far, one for each interval, the last at the end
	Events   []remote.Event
	Aside
}

// Aside is text beside the progress.
type Aside struct {
	Lost     string // why the coordinator is unreachable, while it is
	Note     string // the effect of the user's answer
	Question string // a question to the user
}

// View shows the last progress and aside that it received.
type View interface {
	Progress(remote.Progress)
	ShowAside(Aside)
}

// Add merges a message of the coordinator. It removes control characters from texts of other machines.
func (s *Snapshot) Add(p remote.Progress) {
	clean(&p)
	if p.Phase != s.Progress.Phase || p.Run != s.Progress.Run {
		s.Rates = nil
	}
	if p.Elapsed > 0 {
		s.Rates = last(append(s.Rates, p.Rate), keptRates)
	}
	s.Events = last(append(s.Events, p.Events...), keptEvents)
	s.Progress = p
}

func last[T any](items []T, n int) []T { return items[max(0, len(items)-n):] }

func clean(p *remote.Progress) {
	for _, text := range []*string{&p.Suite, &p.Run, &p.WaitingFor, &p.Phase, &p.Steady} {
		*text = printable(*text)
	}
	for i := range p.Agents {
		p.Agents[i].Name, p.Agents[i].State = printable(p.Agents[i].Name), printable(p.Agents[i].State)
	}
	for i := range p.Operations {
		o := &p.Operations[i]
		o.Op, o.Outcome, o.PartOf = printable(o.Op), printable(o.Outcome), printable(o.PartOf)
	}
	for i := range p.Statuses {
		p.Statuses[i].Label, p.Statuses[i].Text = printable(p.Statuses[i].Label), printable(p.Statuses[i].Text)
	}
	for i := range p.Events {
		p.Events[i].Kind, p.Events[i].Text = printable(p.Events[i].Kind), printable(p.Events[i].Text)
	}
}

// printable returns a text on one line, without escape sequences and marks of direction.
func printable(s string) string {
	return report.Plain(ansi.Strip(s))
}

// Done returns the completed share of the phase, 0 to 1, and the time that the rest takes; ok is false for a phase without an end.
func (s *Snapshot) Done() (share float64, left time.Duration, ok bool) {
	p := s.Progress
	return plan.Phase{Duration: p.Planned, Ops: int64(p.PlannedOps)}.Done(p.Elapsed, p.Ops)
}

package timetable

import (
	"context"
	"slices"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/schedule"
)

// List describes all schedules, in the order of their names.
func (t *Table) List(ctx context.Context) ([]schedule.Summary, error) {
	suites, err := t.config.Archive.Suites(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]schedule.Summary, 0, len(t.entries))
	for _, e := range t.sorted() {
		alerts, err := t.config.Archive.Alerts(ctx, e.Name, 1)
		if err != nil {
			return nil, err
		}
		list = append(list, e.summary(suites, alerts))
	}
	return list, nil
}

// Show describes a schedule.
func (t *Table) Show(ctx context.Context, name string) (schedule.Document, error) {
	suites, err := t.config.Archive.Suites(ctx)
	if err != nil {
		return schedule.Document{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[name]
	if !ok {
		return schedule.Document{}, unknown(name)
	}
	alerts, err := t.config.Archive.Alerts(ctx, name, MostAlerts)
	if err != nil {
		return schedule.Document{}, err
	}
	d := schedule.Document{Summary: e.summary(suites, alerts), Outcomes: slices.Clone(e.state.Outcomes), Alerts: alerts}
	if d.Outcomes == nil {
		d.Outcomes = []schedule.Outcome{}
	}
	if d.Alerts == nil {
		d.Alerts = []schedule.Alert{}
	}
	return d, nil
}

// summary describes a schedule. The caller holds t.mu.
func (e *entry) summary(suites []archive.SuiteSummary, alerts []schedule.Alert) schedule.Summary {
	s := schedule.Summary{Name: e.Name, Recurs: e.Recurs, Owner: e.Owner, Created: e.Created, Paused: e.Paused}
	if !e.Paused {
		next := e.Next.UTC()
		s.Next = &next
	}
	if len(e.state.Outcomes) > 0 {
		s.Last = &e.state.Outcomes[0]
	}
	for _, o := range e.state.Outcomes {
		if o.Kind != schedule.Submitted {
			continue
		}
		s.Suite = o.Suite
		if i := slices.IndexFunc(suites, func(one archive.SuiteSummary) bool { return one.ID == o.Suite }); i >= 0 {
			s.Status = string(suites[i].Status)
		}
		break
	}
	if len(alerts) > 0 {
		s.LastAlert = &alerts[0]
	}
	return s
}

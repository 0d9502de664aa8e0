package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// allMarks are what happened in the phases, by time.
func (l *timeline) allMarks() []book.Mark {
	var marks []book.Mark
	for _, s := range l.spans {
		if len(l.spans) > 1 {
			marks = append(marks, book.Mark{From: rounded(s.from), To: rounded(s.to), Kind: book.Phase, Label: s.phase.Name})
		}
		marks = append(marks, s.actions()...)
		marks = append(marks, s.handovers()...)
		marks = append(marks, s.dips()...)
		marks = append(marks, grouped(s.events(), (s.to-s.from)/50)...)
	}
	slices.SortStableFunc(marks, func(a, b book.Mark) int { return cmp.Compare(a.From, b.From) })
	return marks
}

// mark is something from a time of the phase on, for some seconds.
func (s span) mark(kind book.MarkKind, t, seconds float64, label, text string) book.Mark {
	m := book.Mark{From: rounded(s.from + t), Kind: kind, Label: label, Text: text}
	if seconds > 0 {
		m.To = rounded(min(s.from+t+seconds, max(s.to, s.from+t)))
	}
	return m
}

func (s span) actions() []book.Mark {
	var out []book.Mark
	for _, a := range s.phase.Actions {
		seconds, text := a.Seconds, a.Outcome
		switch a.Outcome {
		case "":
			seconds, text = s.to-s.from-a.T, "it has not ended"
		case "done":
			text = fmt.Sprintf("took %.1f s", a.Seconds)
		}
		out = append(out, s.mark(book.Action, a.T, seconds, a.Do, text))
	}
	return out
}

// handovers are the times in which a part of the load had no agent.
func (s span) handovers() []book.Mark {
	var out []book.Mark
	for _, h := range s.phase.Handovers {
		out = append(out, s.mark(book.Event, h.T, h.Seconds, "agent "+h.From+" lost", "agent "+h.To+" continued its part"))
	}
	return out
}

// dips are the stretches from the start of a dip until the recovery.
func (s span) dips() []book.Mark {
	var out []book.Mark
	for _, i := range s.phase.Incidents {
		if i.Dip == nil || !*i.Dip {
			continue
		}
		from := i.T
		if i.DipAt != nil {
			from = *i.DipAt
		}
		label, end, text := "dip", min(i.T, from)+i.Measured, "not recovered within the time that was measured"
		if i.Depth != nil {
			label = fmt.Sprintf("−%.0f %%", *i.Depth)
		}
		if i.Recovery != nil {
			end, text = min(i.T, from)+*i.Recovery, fmt.Sprintf("recovered after %.1f s", *i.Recovery)
		}
		out = append(out, s.mark(book.Dip, from, end-from, label, text))
	}
	return out
}

// events are the events of the cluster and the agents. Those of actions are the actions themselves, if the phase has any.
func (s span) events() []book.Mark {
	var out []book.Mark
	for i, e := range s.phase.Events {
		switch {
		case e.T < 0: // an action before the phase
			continue
		case e.Kind == result.ByAction && len(s.phase.Actions) > 0, result.CompactionEnded(e):
			continue
		case e.Kind == result.ByAction:
			out = append(out, s.mark(book.Action, e.T, 0, e.Text, ""))
			continue
		}
		seconds := 0.0
		if e.Kind == result.HappenedCompaction {
			seconds = s.untilCompacted(i)
		}
		out = append(out, s.mark(book.Event, e.T, seconds, e.Kind, e.Text))
	}
	return out
}

// untilCompacted is how long the compactions that an event is the begin of lasted; 0 if their end is not known.
func (s span) untilCompacted(begin int) float64 {
	for _, e := range s.phase.Events[begin+1:] {
		if result.CompactionEnded(e) {
			return e.T - s.phase.Events[begin].T
		}
	}
	return 0
}

// grouped joins events of one kind within a short time: their labels would cover each other.
func grouped(marks []book.Mark, within float64) []book.Mark {
	const most = 5 // texts of a group
	type group struct {
		book.Mark
		texts []string
		n     int
	}
	var groups []*group
	last := make(map[string]*group)
	for _, m := range marks {
		g := last[m.Label]
		if m.Kind != book.Event || g == nil || m.From-g.From > within {
			g = &group{Mark: m}
			groups = append(groups, g)
			if m.Kind == book.Event {
				last[m.Label] = g
			}
		} else if m.To > m.From {
			g.To = max(g.To, m.To)
		}
		if g.n++; g.n > most || m.Text == "" {
			continue
		}
		if g.n > 1 {
			m.Text = fmt.Sprintf("at %.1f s: %s", m.From, m.Text)
		}
		g.texts = append(g.texts, m.Text)
	}
	out := make([]book.Mark, 0, len(groups))
	for _, g := range groups {
		g.Text = strings.Join(g.texts, "; ")
		if g.n > 1 {
			g.Label += fmt.Sprintf(" × %d", g.n)
		}
		if g.n > most {
			g.Text += fmt.Sprintf("; and %d more", g.n-most)
		}
		out = append(out, g.Mark)
	}
	return out
}

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// incidentsTitle is the heading of incidents.
const incidentsTitle = "Actions and events"

// addIncidents adds the chapter of the actions and events of runs, with their cost.
func (b *maker) addIncidents(runs []result.Run) {
	c := book.Chapter{Title: incidentsTitle}
	for _, run := range runs {
		for _, phase := range run.Phases {
			for _, text := range incidents(phase) {
				c.Text = append(c.Text, "- "+incidentOf(run, phase)+": "+plainWords(text))
			}
		}
	}
	if len(c.Text) > 0 {
		c.Text = append(c.Text, "Tested: "+sentence(plainWords(incidentTest(runs))))
		b.Chapters = append(b.Chapters, c)
	}
}

// incidents writes the actions and events of runs, with their cost.
func (p *page) incidents(runs []result.Run) {
	title := incidentsTitle
	for _, run := range runs {
		for _, phase := range run.Phases {
			for _, text := range incidents(phase) {
				if title != "" {
					p.line()
					p.line(p.bold(p.t(title)))
					title = ""
				}
				p.wrap(incidentOf(run, phase)+"  ", text, plain)
			}
		}
	}
	if title == "" {
		p.wrap("", "tested: "+plainWords(incidentTest(runs)), p.dim)
	}
}

// incidentOf names the run and, unless it is the measurement, the phase of an incident.
func incidentOf(run result.Run, phase result.Phase) string {
	name := run.ID
	if run.Case != "" {
		name += " " + short(printable(run.Case), 40)
	}
	if phase.Name != string(plan.Measure) {
		name += " " + phase.Name
	}
	return name
}

// incidentTest is the rule by which the dips of runs were tested.
func incidentTest(runs []result.Run) string {
	for _, run := range runs {
		for _, phase := range run.Phases {
			for _, i := range phase.Incidents {
				return i.Test
			}
		}
	}
	return ""
}

// incidents describes the incidents of a phase, a sentence each. Events after which no dip was shown share one.
func incidents(phase result.Phase) []string {
	var lines, quiet []string
	for _, i := range phase.Incidents {
		switch {
		case i.Dip != nil && !*i.Dip && i.Kind != result.ByAction && len(i.Errors) == 0:
			if len(quiet) < someEvents {
				quiet = append(quiet, fmt.Sprintf("%s at %s s", i.Kind, fixed(i.T, 1)))
			} else if len(quiet) == someEvents {
				quiet = append(quiet, "and others")
			}
		default:
			lines = append(lines, incident(phase, i))
		}
	}
	if len(quiet) > 0 {
		lines = append(lines, "no dip shown after "+strings.Join(quiet, ", "))
	}
	return lines
}

// incident describes an incident in a sentence.
func incident(phase result.Phase, i result.Incident) string {
	text := fmt.Sprintf("%s at %s s%s: ", printable(i.Cause), fixed(i.T, 1), incidentNotes(phase, i))
	switch {
	case i.Dip == nil:
		return text + "not determined: " + printable(i.Because) + failures(i, "; ")
	case !*i.Dip:
		text += fmt.Sprintf("no dip shown (%s ops/s before, lowest interval %s at %s s)", before(i.Before), rate(*i.Worst), fixed(i.WorstAt, 0))
	default:
		text += fmt.Sprintf("throughput fell by %s %% (%s → %s ops/s at %s s), ", fixed(*i.Depth, 0), before(i.Before), rate(*i.Worst), fixed(i.WorstAt, 0))
		if i.Recovery != nil {
			text += "recovered after " + fixed(*i.Recovery, 1) + " s"
		} else {
			text += "not recovered within the " + fixed(i.Measured, 0) + " s that were measured"
		}
		text += "; " + rounded(*i.Lost) + " operations fewer"
		if phase.Loop == string(plan.Open) && i.CaughtUp != nil {
			text += ", " + rounded(*i.CaughtUp) + " of them done later"
		}
	}
	return text + failures(i, ", ") + slower(i)
}

// before formats the mean throughput before an incident, with its interval if there is one.
func before(b *result.Baseline) string {
	if b.Low == nil || b.High == nil {
		return rate(b.Mean)
	}
	return rate(b.Mean) + " ± " + rate((*b.High-*b.Low)/2)
}

// incidentNotes are how long an action took, whether it failed, and what else belongs to an incident.
func incidentNotes(phase result.Phase, i result.Incident) string {
	const shown = 3
	var notes []string
	if i.Kind == result.ByAction {
		notes = append(notes, took(phase, i.T, i.Cause))
	}
	for k, e := range i.Events {
		if k == shown {
			notes = append(notes, fmt.Sprintf("and %d more", len(i.Events)-shown))
			break
		}
		note := fmt.Sprintf("%s at %s s", short(printable(e.Text), 60), fixed(e.T, 1))
		if e.Kind == result.ByAction {
			note = fmt.Sprintf("%s at %s s %s", printable(e.Text), fixed(e.T, 1), took(phase, e.T, e.Text))
		}
		notes = append(notes, note)
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}

// took is how long an action of a phase took, and its outcome if it is not done.
func took(phase result.Phase, t float64, do string) string {
	for _, a := range phase.Actions {
		if a.T != t || a.Do != do {
			continue
		}
		switch a.Outcome {
		case "":
			return "not ended"
		case "done":
			return "took " + fixed(a.Seconds, 1) + " s"
		case result.StillGoing:
			return "took over " + fixed(a.Seconds, 1) + " s: " + a.Outcome
		}
		return "after " + fixed(a.Seconds, 1) + " s: " + printable(a.Outcome)
	}
	return "action"
}

// failures counts the failed operations of an incident above the usual number.
func failures(i result.Incident, separator string) string {
	n := errorsOf(i)
	if n == 0 {
		return separator + "0 errors"
	}
	var parts []string
	for _, outcome := range slices.SortedFunc(maps.Keys(i.Errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(i.Errors[b], i.Errors[a]), cmp.Compare(a, b))
	}) {
		parts = append(parts, outcome+" "+whole(i.Errors[outcome]))
	}
	return separator + whole(n) + " errors (" + strings.Join(parts, ", ") + ")"
}

func errorsOf(i result.Incident) uint64 {
	var n uint64
	for _, count := range i.Errors {
		n += count
	}
	return n
}

// slower describes the operation whose response times rose most.
func slower(i result.Incident) string {
	var most *result.IncidentLatency
	factor := func(l *result.IncidentLatency) float64 { return *l.P99Worst / max(*l.P99Before, 1e-3) }
	for k := range i.Latency {
		if l := &i.Latency[k]; l.P99Before != nil && l.P99Worst != nil && (most == nil || factor(l) > factor(most)) {
			most = l
		}
	}
	if most == nil {
		return ""
	}
	return fmt.Sprintf("; p99 of %s up to %s (%s before)", printable(most.Op), Micros(*most.P99Worst), Micros(*most.P99Before))
}

// rounded formats a number of operations with three digits or more.
func rounded(n float64) string {
	unit := 1.0
	for n/unit >= 9995 {
		unit *= 10
	}
	return whole(uint64(max(n/unit+0.5, 0)) * uint64(unit))
}

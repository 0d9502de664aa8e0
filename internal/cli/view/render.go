package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
)

// Theme highlights text. The zero Theme does not.
type Theme struct{ colour bool }

// Colours returns the theme of a terminal.
func Colours() Theme { return Theme{colour: true} }

func (t Theme) style(s ansi.Style, text string) string {
	if !t.colour || text == "" {
		return text
	}
	return s.Styled(text)
}

func (t Theme) bold(text string) string  { return t.style(ansi.NewStyle().Bold(), text) }
func (t Theme) faint(text string) string { return t.style(ansi.NewStyle().Faint(), text) }
func (t Theme) good(text string) string {
	return t.style(ansi.NewStyle().ForegroundColor(ansi.Green), text)
}

func (t Theme) alarm(text string) string {
	return t.style(ansi.NewStyle().Bold().ForegroundColor(ansi.Red), text)
}

// Render formats s for a screen, with no line longer than width and no more lines than height. If there is too little room it
// leaves out events first, then agents, then operations; a line gives the number of agents and operations left out.
func Render(s *Snapshot, width, height int, t Theme) []string {
	head := header(s, width, t)
	foot := footer(s, t)
	room := height - len(head) - len(foot)

	operations := section(operationTable(s.Progress), room, "operations", t)
	room -= len(operations)
	agents := section(agentTable(s.Progress, t), room, "agents", t)
	room -= len(agents)

	lines := slices.Concat(head, operations, agents, eventLines(s.Events, room, t), foot)
	if len(lines) > height {
		lines = lines[:max(0, height)]
	}
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, max(0, width), "…")
	}
	return lines
}

func header(s *Snapshot, width int, t Theme) []string {
	p := s.Progress
	id := p.Run
	if id == "" {
		id = p.Suite
	}
	title := []string{t.bold(id), status(p, t)}
	if p.Phase != "" && !p.Ended {
		title = append(title, p.Phase)
	}
	title = append(title, suiteParts(p)...)
	if p.WaitingFor != "" {
		title = append(title, "waits for "+p.WaitingFor)
	}
	lines := []string{strings.Join(title, "  ")}
	if p.Phase == "" {
		return lines
	}
	figures := []string{"ops/s " + t.bold(count(p.Rate))}
	if p.Offered > 0 {
		figures = append(figures, "offered "+count(p.Offered))
	}
	figures = append(figures, "ops "+count(float64(p.Ops)))
	line := strings.Join(figures, "  ")
	if room := width - ansi.StringWidth(line) - 2; room > 10 {
		line += "  " + t.faint(spark(s.Rates, min(room, 60)))
	}
	lines = append(lines, progressLine(s, width, t), line)
	if p.Steady != "" {
		lines = append(lines, "steady? "+t.faint(p.Steady))
	}
	return lines
}

// suiteParts returns the progress of a suite of several runs, and its remaining time.
func suiteParts(p remote.Progress) []string {
	searches := p.RunsAtMost > 0 && !p.Ended
	if p.Runs <= 1 && !searches {
		return nil
	}
	runs, eta := fmt.Sprintf("%d of %d runs ended", p.RunsEnded, p.Runs), "ETA of all "
	if searches { // how many probes a search needs is not known
		runs, eta = fmt.Sprintf("%d of at most %d runs ended", p.RunsEnded, p.RunsAtMost), "ETA of all at most "
	}
	parts := []string{runs}
	if p.Case != "" {
		parts = append(parts, p.Case)
	}
	if p.Ahead != nil && !p.Ended {
		parts = append(parts, eta+Span(*p.Ahead))
	}
	return parts
}

func status(p remote.Progress, t Theme) string {
	text := string(p.Status)
	if p.Status == result.Complete {
		return t.good(text)
	}
	if p.Status.Ended() {
		return t.alarm(text)
	}
	return text
}

func progressLine(s *Snapshot, width int, t Theme) string {
	p := s.Progress
	done, left, bounded := s.Done()
	if !bounded {
		return Span(p.Elapsed) + "  goes on until it is cancelled"
	}
	text := share(done) + "  " + Span(p.Elapsed)
	if p.Planned > 0 {
		text += " of " + Span(p.Planned)
	}
	if p.PlannedOps > 0 {
		text += fmt.Sprintf("  %s of %s ops", count(float64(p.Ops)), count(float64(p.PlannedOps)))
	}
	if !p.Ended {
		text += "  ETA " + Span(left)
	}
	if room := width - ansi.StringWidth(text) - 2; room >= 10 {
		return t.good(bar(done, min(room, 40))) + "  " + text
	}
	return text
}

// operationTable has a row for each operation that is not part of another, followed by its parts.
func operationTable(p remote.Progress) [][]string {
	if len(p.Operations) == 0 {
		return nil
	}
	total := 0.0
	for _, o := range p.Operations {
		if o.PartOf == "" {
			total += float64(o.Count)
		}
	}
	rows := [][]string{{"operation", "outcome", "ops/s", "p50", "p99", "max"}}
	for _, o := range p.Operations {
		rate := 0.0
		if total > 0 {
			rate = p.Rate * float64(o.Count) / total
		}
		name := o.Op
		if o.PartOf != "" {
			name = "  " + o.Op + " in " + o.PartOf
		}
		rows = append(rows, []string{name, o.Outcome, count(rate), latency(o.P50), latency(o.P99), latency(o.Max)})
	}
	return rows
}

// agentTable has a row for each agent, lost ones first, so that they are not left out.
func agentTable(p remote.Progress, t Theme) [][]string {
	if len(p.Agents) == 0 {
		return nil
	}
	agents := slices.Clone(p.Agents)
	slices.SortStableFunc(agents, func(a, b remote.AgentProgress) int {
		switch {
		case a.Connected == b.Connected:
			return strings.Compare(a.Name, b.Name)
		case b.Connected:
			return -1
		}
		return 1
	})
	rows := [][]string{{"agent", "state", "ops/s", "p99", "idle", "clock"}}
	for _, a := range agents {
		state := a.State
		switch {
		case state == "lost":
			state = t.alarm(state)
		case !a.Connected:
			state = t.alarm(strings.TrimPrefix(state+", not connected", ", "))
		}
		clock := fmt.Sprintf("%+.3f ± %.3f ms", a.Clock.OffsetMS, a.Clock.UncertaintyMS)
		if a.Clock == (remote.Clock{}) {
			clock = none
		}
		rows = append(rows, []string{a.Name, state, count(a.Rate), latency(a.P99), share(a.Idle), clock})
	}
	return rows
}

// section returns a table with an empty line before it, in at most room lines.
func section(rows [][]string, room int, what string, t Theme) []string {
	if len(rows) == 0 || room < 3 {
		return nil
	}
	lines := align(rows, 2)
	lines[0] = t.faint(lines[0])
	if over := len(lines) + 1 - room; over > 0 {
		kept := len(lines) - over - 1
		lines = append(lines[:kept:kept], t.faint(fmt.Sprintf("and %d more %s", over+1, what)))
	}
	return append([]string{""}, lines...)
}

func eventLines(events []remote.Event, room int, t Theme) []string {
	if len(events) == 0 || room < 2 {
		return nil
	}
	lines := []string{""}
	for _, e := range last(events, min(room-1, 8)) {
		lines = append(lines, t.faint(e.At.Local().Format("15:04:05"))+"  "+e.Kind+": "+e.Text)
	}
	return lines
}

func footer(s *Snapshot, t Theme) []string {
	var lines []string
	for _, text := range []string{s.Lost, s.Note, s.Question} {
		if text != "" {
			lines = append(lines, t.alarm(text))
		}
	}
	if lines != nil {
		lines = append([]string{""}, lines...)
	}
	return lines
}

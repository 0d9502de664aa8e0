package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

func (p *page) head(run result.Run) {
	title := []string{p.t("run") + " " + run.ID}
	for _, s := range []string{run.Name, run.Case} {
		if s != "" && !slices.Contains(title, s) {
			title = append(title, cut(s, longName))
		}
	}
	p.line(p.bold(strings.Join(title, "  ")), "  ", p.status(run.Status))
	for _, l := range []struct{ label, text string }{
		{"reason   ", run.Reason},
		{"note     ", run.Note},
		{"foreign  ", foreignText(run)},
		{"agents   ", agents(run)},
		{"target   ", target(run)},
		{"network  ", network(run.Provenance)},
		{"start    ", start(run.Start)},
		{"counts   ", counts(run.Reconcile)},
	} {
		if l.text != "" {
			p.wrap(l.label, l.text, plain)
		}
	}
	for _, text := range run.Missing {
		p.wrap("missing  ", text, p.red)
	}
	for _, text := range run.Warnings {
		p.wrap("warning  ", text, plain)
	}
	if run.RowGap != nil {
		p.wrap("row gap  ", rowGap(run.RowGap), plain)
	}
}

// rowGap describes the row numbers that a run's inserts left out.
func rowGap(gap *result.RowGap) string {
	some := "some"
	if gap.Count != nil {
		some = whole(uint64(*gap.Count))
	}
	return fmt.Sprintf("%s of the row numbers %d to %d have no row: the agents insert in turns and did not end at the same number", some, gap.First, gap.Last)
}

func (p *page) status(s result.Status) string {
	switch s {
	case result.Partial, result.Failed, result.Cancelled:
		return p.red(p.t(string(s)))
	default:
		return p.t(string(s))
	}
}

// someAgents is how many agents are named.
const someAgents = 12

func agents(run result.Run) string {
	all := run.Provenance.Agents
	if len(all) == 0 {
		return ""
	}
	var names []string
	workers := 0
	for i, a := range all {
		if i < someAgents {
			names = append(names, a.Name)
		}
		workers += a.Workers
	}
	if n := len(all) - someAgents; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("%d (%s), %d workers", len(all), strings.Join(names, ", "), workers)
}

func target(run result.Run) string {
	parts := make([]string, 0, 4)
	if db := run.Resolved["db"]; db != "" {
		parts = append(parts, db)
	}
	if v := run.Provenance.Target["version"]; v != "" {
		parts = append(parts, v)
	}
	if run.Provenance.Seed != 0 {
		parts = append(parts, fmt.Sprintf("seed %d", run.Provenance.Seed))
	}
	if v := run.Provenance.Benchd; v != "" {
		parts = append(parts, "benchd "+v)
	}
	return strings.Join(parts, ", ")
}

// network describes how the coordinator's listeners and the connections of the agents are protected.
func network(p result.Provenance) string {
	parts := slices.Clone(p.Listeners)
	var kinds []string
	of := make(map[string][]string)
	for _, a := range p.Agents {
		if a.Connection == "" || slices.Contains(of[a.Connection], a.Name) {
			continue
		}
		if of[a.Connection] == nil {
			kinds = append(kinds, a.Connection)
		}
		of[a.Connection] = append(of[a.Connection], a.Name)
	}
	for _, kind := range kinds {
		who := "agents: "
		if len(kinds) > 1 {
			who = fmt.Sprintf("agents (%s): ", listed(of[kind]))
		}
		parts = append(parts, who+kind)
	}
	return strings.Join(parts, "; ")
}

func start(s *result.Start) string {
	if s == nil {
		return ""
	}
	text := instant(s.Planned)
	switch {
	case len(s.Agents) > 1:
		text += fmt.Sprintf(", skew of the first operations %s ± %s ms", fixed(s.SkewMS, 3), fixed(s.UncertaintyMS, 3))
	case len(s.Agents) == 0:
		text += ", no agent reported its start"
	}
	return text
}

func counts(r result.Reconcile) string {
	switch {
	case r.Unknown:
		return "not known: nothing was reconciled"
	case r.Issued == 0 && r.Recorded == 0 && r.Merged == 0:
		return ""
	case r.OK:
		return whole(r.Issued) + " issued = recorded = merged"
	}
	return fmt.Sprintf("do not reconcile: %s issued, %s recorded, %s merged", whole(r.Issued), whole(r.Recorded), whole(r.Merged))
}

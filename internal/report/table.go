package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Table writes a run's result for people.
func Table(w io.Writer, run result.Run, o Options) error {
	p := newPage(o)
	p.head(run)
	for _, phase := range run.Phases {
		p.phase(run, phase)
	}
	if test := incidentTest([]result.Run{run}); test != "" {
		p.line()
		p.wrap("incidents  ", "tested: "+test, p.dim)
	}
	p.verdicts(run)
	p.summary(run)
	return p.write(w)
}

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

func (p *page) phase(run result.Run, phase result.Phase) {
	p.line()
	name := p.t(phase.Name)
	p.wrapBehind(name+"  ", p.bold(name)+"  ", phaseText(phase), plain)
	for _, v := range run.Verdicts {
		if v.Name == "overloaded" && v.Value && phase.Offered != nil && phase.Name != "warmup" {
			p.wrap("", "throughput below the offered rate: response times are those of an overloaded system", p.red)
		}
	}
	for _, g := range phase.Groups {
		p.wrap("         ", "group "+g.Name+": "+groupText(g), plain)
	}
	p.operations(run, phase)
	if text := replicaReads(run, phase); text != "" {
		p.wrap("reads    ", text, plain)
	}
	p.lateness(phase)
	p.retries(phase)
	p.generators(phase)
	p.watched(phase)
	for _, e := range phase.Errors {
		p.wrap("error    ", fmt.Sprintf("%s %s on agent %s: %s", e.Op, e.Outcome, e.Agent, printable(e.Message)), plain)
	}
	for _, text := range timeline(run, phase) {
		p.wrap("event    ", text, plain)
	}
	for _, text := range incidents(phase) {
		p.wrap("incident ", text, plain)
	}
}

// someEvents is how many events of a phase are printed.
const someEvents = 20

// timeline lists the events of a phase, a line each. The run's warnings are above all phases.
func timeline(run result.Run, phase result.Phase) []string {
	var lines []string
	more := 0
	for _, e := range phase.Events {
		switch {
		case e.Kind == result.HappenedTelemetry && slices.Contains(run.Warnings, e.Text):
		case len(lines) == someEvents:
			more++
		default:
			lines = append(lines, fmt.Sprintf("%s s: %s: %s", fixed(e.T, 1), e.Kind, printable(e.Text)))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// phaseText is a phase in one line. The loop is always named (law 2).
func phaseText(phase result.Phase) string {
	parts := []string{phase.Loop + " loop", fixed(phase.Seconds, 1) + " s", whole(phase.Ops) + " ops"}
	parts = append(parts, throughput(phase))
	if phase.Rows > 0 {
		parts = append(parts, whole(phase.Rows)+" rows")
	}
	if phase.Bytes > 0 {
		parts = append(parts, bytesText(phase.Bytes))
	}
	if buffered(phase) {
		parts = append(parts, "buffered writes")
	}
	if phase.OpsAfter > 0 {
		parts = append(parts, whole(phase.OpsAfter)+" ops done after the end")
	}
	return strings.Join(parts, ", ")
}

// throughput is a phase's throughput, with its interval if it has one, and the offered rate.
func throughput(phase result.Phase) string {
	text := rate(phase.Throughput) + " ops/s"
	half, bounded := phase.Half()
	if bounded {
		text += " ± " + share(half)
	}
	if phase.Offered == nil {
		return text
	}
	if bounded {
		return text + ", offered " + rate(*phase.Offered)
	}
	return text + " of " + rate(*phase.Offered) + " offered"
}

func (p *page) operations(run result.Run, phase result.Phase) {
	if len(phase.Operations) == 0 {
		return
	}
	odd := slices.ContainsFunc(run.Verdicts, func(v result.Verdict) bool {
		return v.Name == "tail_owner" && v.Value || v.Name == "agents_agree" && !v.Value
	})
	g := &grid{left: 1}
	g.add(latencyHead()...)
	above := "" // the operation whose rows these are
	for _, o := range phase.Operations {
		if o.PartOf == nil && o.Op != above && !result.Good(o.Outcome) {
			g.add(o.Op, "0", none, none, none, none, none, none, none)
			above = o.Op
		}
		g.add(latencyCells(p.t(label(o, above)), o.Figures)...)
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		above = o.Op
		if phase.LoopOf(o.Op) == "open" {
			g.add(latencyCells(p.t("  service time"), o.Service)...)
		}
		if (p.options.Agents || odd) && len(o.Agents) > 1 {
			for _, a := range o.Agents {
				g.add("  agent "+a.Name, whole(a.Count), "", percentile(a.P50), "", "", percentile(a.P99), "", Micros(a.Max))
			}
		}
	}
	p.grid(g, "p90", "p99.9", "p95", "mean")
}

// label names an operation's row: the parts and failures of the operation above it are indented.
func label(o result.Operation, above string) string {
	name := o.Op
	switch {
	case o.PartOf != nil && *o.PartOf == above:
		name = "  " + o.Op + " in it"
	case o.PartOf != nil && *o.PartOf == o.Op:
		name = o.Op + ", not counted"
	case o.PartOf != nil:
		name = o.Op + " in " + *o.PartOf
	case o.Op == above:
		return "  " + o.Outcome
	}
	if o.Outcome == "OK" {
		return name
	}
	return name + " " + o.Outcome
}

// latencyHead is the head of a table of operations.
func latencyHead() []string {
	return []string{"operation", "count", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"}
}

// latencyCells are the cells of a table of operations.
func latencyCells(label string, f result.Figures) []string {
	var cells []string
	for _, cell := range latencyRow(label, f) {
		cells = append(cells, cell.Text)
	}
	return cells
}

// latencyColumns are the columns of a table of operations.
func latencyColumns() []book.Column {
	head := latencyHead()
	return slices.Concat(words(head[0]), figures("", head[1]), figures("µs", head[2:]...))
}

// latencyRow is a row of a table of operations.
func latencyRow(label string, f result.Figures) []book.Cell {
	return []book.Cell{
		book.Text(label), countCell(f.Count), timeCell(&f.Mean), timeCell(f.P50), timeCell(f.P90), timeCell(f.P95), timeCell(f.P99), timeCell(f.P999), timeCell(&f.Max),
	}
}

// lateness writes how late an open loop sent its operations.
func (p *page) lateness(phase result.Phase) {
	l := phase.Lateness
	if l == nil {
		return
	}
	us := func(ms *float64) string {
		if ms == nil {
			return none
		}
		return Micros(*ms * 1000)
	}
	p.wrap("sent     ", fmt.Sprintf("after the intended instants by %s (p50), %s (p99), at most %s", us(l.P50), us(l.P99), Micros(l.Max*1000)), plain)
}

// generators writes the health of the load generators; of very many those with the least idle CPU.
func (p *page) generators(phase result.Phase) {
	all := slices.Clone(phase.Generators)
	if len(all) == 0 {
		return
	}
	if len(all) > someAgents {
		slices.SortStableFunc(all, func(a, b result.Generator) int {
			switch x, y := idle(a), idle(b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		all = all[:someAgents]
	}
	p.line()
	g := &grid{left: 1}
	g.add("generator", "idle min", "idle mean", "own CPU", "CPU/op", "late", "late max", "lag p99", "GC max", "backlog")
	for _, a := range all {
		g.add("agent "+a.Name, percent(a.IdleMin), percent(a.IdleMean), fixed(a.OwnCPU, 2), Micros(a.CPUPerOp), whole(a.LateSends),
			some(a.LateMax), some(a.SchedLagP99), some(a.GCPauseMax), whole(a.BacklogMax))
	}
	p.grid(g, "late max", "GC max")
	p.clientRetries(phase, all)
	if n := len(phase.Generators) - len(all); n > 0 {
		p.line(p.t(fmt.Sprintf("and %d more with more idle CPU", n)))
	}
}

// retries writes the causes of retries within operations, the most frequent first.
func (p *page) retries(phase result.Phase) {
	if len(phase.Retries) == 0 {
		return
	}
	causes := slices.SortedFunc(maps.Keys(phase.Retries), func(a, b string) int {
		return cmp.Or(cmp.Compare(phase.Retries[b], phase.Retries[a]), cmp.Compare(a, b))
	})
	var sum uint64
	parts := make([]string, 0, len(causes))
	for _, cause := range causes {
		sum += phase.Retries[cause]
		parts = append(parts, cause+" "+whole(phase.Retries[cause]))
	}
	p.wrap("retries  ", fmt.Sprintf("%s within operations: %s", whole(sum), strings.Join(parts, ", ")), plain)
}

// clientRetries writes the retries of agents that do not count them by cause.
func (p *page) clientRetries(phase result.Phase, all []result.Generator) {
	if len(phase.Retries) > 0 {
		return
	}
	for _, a := range all {
		if n := a.Client["retry"]; n > 0 {
			p.line(p.t(fmt.Sprintf("agent %s: the target's client retried %s times within operations", a.Name, whole(n))))
		}
	}
}

// some formats a time in milliseconds, if it is not 0.
func some(ms float64) string {
	if ms == 0 {
		return none
	}
	return Micros(ms * 1000)
}

// idle is the least idle CPU of a generator; one without the figure comes first.
func idle(g result.Generator) float64 {
	if g.IdleMin == nil {
		return -1
	}
	return *g.IdleMin
}

// verdicts writes the verdicts with their tests (law 8).
func (p *page) verdicts(run result.Run) {
	verdicts := tested(run)
	if len(verdicts) == 0 {
		return
	}
	p.line()
	for _, v := range verdicts {
		if v.Name == "reconcile" && v.Value {
			continue // the counts show it
		}
		bad := v.Bad()
		mark, style, answer := "  ", plain, "no: "
		if bad {
			mark, style = "! ", p.red
		}
		if v.Value {
			answer = "yes: "
		}
		label := fmt.Sprintf("%s%-13s", mark, v.Name)
		p.wrap(label, answer+printable(v.Because), style)
		p.wrap(strings.Repeat(" ", len(label)), "tested: "+printable(v.Test), p.dim)
	}
}

// printable replaces what would control the terminal or the order of a line in a text from elsewhere: control characters become blanks, and
// characters that reverse or break the text around them become �.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return ' '
		case unprintable(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Plain is a text from elsewhere on one line of a terminal: without control characters, and without characters that change the order
// of the line.
func Plain(text string) string { return printable(text) }

// PlainLines is Plain for a text of several lines.
func PlainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}

// Printable is a name from elsewhere on a line of a terminal.
func Printable(name string) string { return cut(printable(name), longName) }

// unprintable reports whether a character changes the direction of text, or is invisible: marks, embeddings, overrides and isolates of
// direction, separators of lines, and zero-width characters but the joiner of scripts and emoji.
func unprintable(r rune) bool {
	return r == 0x61c || r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// longText bounds a text from elsewhere in a report for people.
const longText = 1500

// cut shortens a text to n characters, of which the last ones are its end: a name may be long, and what follows it is ours.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:n-n/4]) + " … " + string(runes[len(runes)-n/4+3:])
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

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

package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/benchd/benchd/internal/remote"
)

// Lines formats p as text: its events, then a line with the state of the run.
func Lines(p remote.Progress) []string {
	clean(&p)
	var lines []string
	for _, e := range p.Events {
		lines = append(lines, fmt.Sprintf("%s  %s: %s", e.At.Local().Format("15:04:05"), e.Kind, e.Text))
	}
	return append(lines, line(p))
}

func line(p remote.Progress) string {
	id := p.Run
	if id == "" {
		id = p.Suite
	}
	parts := append([]string{id, string(p.Status)}, suiteParts(p)...)
	if p.WaitingFor != "" {
		parts = append(parts, "waits for "+p.WaitingFor)
	}
	if p.Phase == "" || p.Ended {
		return strings.Join(parts, "  ")
	}
	elapsed := Span(p.Elapsed)
	if p.Planned > 0 {
		elapsed += " of " + Span(p.Planned)
	}
	ops := count(float64(p.Ops))
	if p.PlannedOps > 0 {
		ops += " of " + count(float64(p.PlannedOps))
	}
	parts = append(parts, p.Phase, elapsed, ops+" ops", count(p.Rate)+" ops/s")
	if p.Offered > 0 {
		parts = append(parts, "offered "+count(p.Offered))
	}
	if p.Steady != "" {
		parts = append(parts, "steady? "+p.Steady)
	}
	for _, o := range p.Operations {
		if o.PartOf == "" {
			parts = append(parts, fmt.Sprintf("%s %s p50 %s p99 %s", o.Op, o.Outcome, latency(o.P50), latency(o.P99)))
		}
	}
	for _, a := range p.Agents {
		if !a.Connected {
			parts = append(parts, "agent "+a.Name+" not connected")
		}
	}
	return strings.Join(parts, "  ")
}

// Plain appends text to out: a line for each interval, or if quiet only asides.
type Plain struct {
	out   io.Writer
	quiet bool
	last  string
	aside Aside
}

// NewPlain makes a Plain.
func NewPlain(out io.Writer, quiet bool) *Plain { return &Plain{out: out, quiet: quiet} }

// Progress appends the lines of p, without a line that repeats the one before.
func (v *Plain) Progress(p remote.Progress) {
	if v.quiet {
		return
	}
	for _, text := range Lines(p) {
		v.print(text)
	}
}

// ShowAside appends the changes in a. The cursor stays behind a question.
func (v *Plain) ShowAside(a Aside) {
	before := v.aside
	v.aside = a
	if before.Question != "" && a == (Aside{}) {
		_, _ = fmt.Fprintln(v.out) // no answer has ended the line
	}
	if a.Lost != before.Lost {
		v.print(a.Lost)
	}
	if a.Note != before.Note {
		v.print(a.Note)
	}
	if a.Question != before.Question && a.Question != "" {
		_, _ = fmt.Fprint(v.out, a.Question+" ")
	}
}

func (v *Plain) print(text string) {
	if text != "" && text != v.last {
		v.last = text
		_, _ = fmt.Fprintln(v.out, text)
	}
}

package report

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// RunBook is the report of one run, with the columns and tables of targets. Its charts are made of the document alone.
func RunBook(r result.Run, targets descriptor.List) book.Book {
	return runBook(r, targets, draw.Options{})
}

// runBook is RunBook with what charts need besides the document.
func runBook(r result.Run, targets descriptor.List, o draw.Options) book.Book {
	b := runHead(r, targets)
	for _, phase := range r.Phases {
		b.Chapters = append(b.Chapters, phaseChapter(r, phase))
	}
	pictures := draw.Run(r, o)
	b.addRunCharts(pictures)
	b.addIncidents([]result.Run{r})
	b.add("Telemetry", "Means over the measured phase; counts are summed over the servers.", telemetryTable([]result.Run{r}, targets))
	b.addServers([]result.Run{r}, targets)
	b.Chapters = append(b.Chapters, runBottlenecks(r)...)
	b.Chapters = append(b.Chapters, verdictChapter([]result.Run{r}), provenanceChapter([]result.Run{r}, targets, termsOfRun(r, targets)))
	b.addDetails(pictures.Details)
	b.addSettings([]result.Run{r})
	return b.Book
}

// runHead is the report of a run without its chapters.
func runHead(r result.Run, targets descriptor.List) maker {
	b := maker{}
	b.ID, b.Name, b.Created = r.ID, r.Name, r.Provenance.Created
	b.Title = titled(r.Name, "run", r.ID)
	b.Question, b.Answer = runQuestion(r), runAnswer(r)
	b.State, b.Status = stateOf(r.Status, []result.Run{r})
	for _, l := range []struct{ label, text string }{
		{"Reason: ", plainWords(r.Reason)},
		{"Note: ", r.Note},
		{"Measured by another program: ", foreignText(r)},
		{"Started: ", start(r.Start)},
		{"Operations: ", counts(r.Reconcile)},
	} {
		if l.text != "" {
			b.Lead = append(b.Lead, l.label+l.text)
		}
	}
	b.Lead = append(b.Lead, cautions([]result.Run{r}, targets)...)
	for _, text := range r.Missing {
		b.Lead = append(b.Lead, "- missing: "+plainWords(text))
	}
	for _, text := range r.Warnings {
		b.Lead = append(b.Lead, "- warning: "+plainWords(text))
	}
	if r.RowGap != nil {
		b.Lead = append(b.Lead, "- row gap: "+rowGap(r.RowGap))
	}
	return b
}

// phaseChapter is the chapter of a phase's measurements.
func phaseChapter(run result.Run, phase result.Phase) book.Chapter {
	c := book.Chapter{Title: phase.Name, Text: []string{phaseText(phase)}}
	if text := replicaReads(run, phase); text != "" {
		c.Text = append(c.Text, "Reads are "+text+".")
	}
	for _, g := range phase.Groups {
		c.Text = append(c.Text, "- group "+g.Name+": "+groupText(g))
	}
	t := book.Table{Columns: latencyColumns()}
	add := func(label string, f result.Figures) {
		t.Rows = append(t.Rows, latencyRow(label, f))
	}
	for _, o := range phase.Operations {
		add(label(o, ""), o.Figures)
		if phase.LoopOf(o.Op) == "open" && o.PartOf == nil && result.Good(o.Outcome) {
			add(label(o, "")+", service time", o.Service)
		}
	}
	if len(t.Rows) > 0 {
		c.Tables = append(c.Tables, t)
	}
	for _, e := range phase.Errors {
		c.Text = append(c.Text, fmt.Sprintf("- %s %s on agent %s: %s", e.Op, e.Outcome, e.Agent, printable(e.Message)))
	}
	for _, text := range timeline(run, phase) {
		c.Text = append(c.Text, "- "+plainWords(text))
	}
	return c
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// maker makes a Book.
type maker struct{ book.Book }

// SuiteBook is the report of a suite, with the columns and tables of targets. Its charts are made of the document alone.
func SuiteBook(s result.Suite, targets descriptor.List) book.Book {
	return suiteBook(s, targets, draw.Options{})
}

// suiteBook is SuiteBook with what charts need besides the document.
func suiteBook(s result.Suite, targets descriptor.List, o draw.Options) book.Book {
	b := suiteHead(s, targets)
	pictures, shown := draw.Suite(s), courses(shownRuns(s), o)
	b.addTerms(s)
	b.addCapacities(s)
	b.addInterference(s)
	b.addTables(s, pictures.Requested)
	b.addAcross(pictures)
	b.addScenarios(s, pictures, shown)
	b.addTargets(s, targets)
	b.addIncidents(s.Runs)
	b.add("Telemetry", "Means over each run's measured phase; counts are summed over the servers.", telemetryTable(s.Runs, targets))
	if len(pictures.Course) > 0 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: "Telemetry of all runs", Charts: pictures.Course})
	}
	b.addServers(s.Runs, targets)
	b.Chapters = append(b.Chapters, suiteBottlenecks(s)...)
	b.Chapters = append(b.Chapters, verdictChapter(s.Runs), runsChapter(s), provenanceChapter(s.Runs, targets, s.Terms))
	b.addSettings(s.Runs)
	return b.Book
}

// suiteHead is the report of a suite without its chapters.
func suiteHead(s result.Suite, targets descriptor.List) maker {
	b := maker{}
	b.ID, b.Name, b.Title = s.ID, s.Name, titled(s.Name, "suite", s.ID)
	if len(s.Runs) > 0 {
		b.Created = s.Runs[0].Provenance.Created
	}
	b.Question, b.Answer = suiteQuestion(s), suiteAnswer(s)
	b.State, b.Status = suiteState(s)
	b.Lead = suiteLead(s, targets)
	return b
}

// Head is the report of a run, or of a suite of several, without its chapters: its question, state and answer. text translates
// what benchd wrote.
func Head(r result.Run, s *result.Suite, targets descriptor.List, text func(string) string) book.Book {
	if s != nil {
		return clean(suiteHead(*s, targets).Book).Map(text)
	}
	return clean(runHead(r, targets).Book).Map(text)
}

// resultsTitle is the heading of what a suite's file asks for.
const resultsTitle = "Results"

// addTables adds the tables and charts that the suite's file describes.
func (b *maker) addTables(s result.Suite, charts []book.Chart) {
	if len(s.Tables)+len(charts) == 0 {
		return
	}
	c := book.Chapter{
		Title:  resultsTitle,
		Text:   []string{"Figures named published are the authors' from their own cluster: none of them was measured here."},
		Charts: charts,
	}
	for _, t := range s.Tables {
		c.Tables = append(c.Tables, suiteTable(t))
	}
	if note := bufferedNote(s.Runs, func(string) bool { return true }); note != "" {
		c.Text = append(c.Text, note)
	}
	b.Chapters = append(b.Chapters, c)
}

// overRepeats describes how the figures of cases are computed.
const overRepeats = "Means over the repeats, their median with its 95 % interval from six repeats on, and their standard deviation (sd). The interval assumes that repeats are " +
	"independent, and no distribution. Percentiles are of each run's merged histogram; over several runs their median."

// addAcross adds the charts that compare scenarios.
func (b *maker) addAcross(p draw.SuitePictures) {
	if len(p.Across) > 0 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: "Scenarios compared", Charts: p.Across})
	}
}

// addScenarios adds a chapter for each scenario with its cases, and one for each of its runs that has charts over time.
func (b *maker) addScenarios(s result.Suite, p draw.SuitePictures, shown []course) {
	for _, of := range scenarios(s) {
		t := of.table(s.Runs)
		t.Title, t.How = "", overRepeats
		c := book.Chapter{Title: "Scenario " + of.title, Sheet: of.title, Tables: []book.Table{t}}
		if of.name == "" {
			c.Title = of.title
		}
		for _, drawn := range p.Scenarios {
			if drawn.Scenario == of.name && drawn.Loop == of.loop {
				c.Charts = drawn.Charts
			}
		}
		var chapters []book.Chapter
		for _, one := range shown {
			i := slices.IndexFunc(of.cases, func(c result.Case) bool { return !c.Fills && c.Name == one.run.Case })
			if i >= 0 {
				chapters = append(chapters, one.chapter(of.title, of.cases[i]))
			}
		}
		if len(chapters) < len(of.cases) && of.name != "" {
			c.Text = append(c.Text, "`benchctl report RUN` draws the charts over time of any other run.")
		}
		b.Chapters = append(append(b.Chapters, c), chapters...)
	}
}

// titled is the title of a report: a name and an ID, once if they are the same.
func titled(name, kind, id string) string {
	if name == id {
		return name
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s)", cmp.Or(name, kind), id))
}

// add adds a chapter of one table, if it has rows.
func (b *maker) add(title, text string, t book.Table) {
	if len(t.Rows) > 0 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: title, Text: []string{text}, Tables: []book.Table{t}})
	}
}

// suiteLead is the context that a reader needs before a suite's figures.
func suiteLead(s result.Suite, targets descriptor.List) []string {
	var lead []string
	if s.Note != "" {
		lead = append(lead, "Note: "+s.Note)
	}
	if s.Plan != nil && s.Plan.Trial {
		lead = append(lead, "This is a trial with small sizes: it shows that the suite works. Its figures are not comparable with any others.")
	}
	lead = append(lead, cautions(s.Runs, targets)...)
	for _, r := range s.Runs {
		if r.RowGap != nil {
			lead = append(lead, "- row gap of "+r.ID+": "+rowGap(r.RowGap))
		}
	}
	if left := leftOut(s); len(left) > 0 {
		lead = append(lead, "Runs excluded from the means:")
		lead = append(lead, left...)
	}
	return lead
}

// leftOut names the runs that the figures of their case exclude.
func leftOut(s result.Suite) []string {
	var out []string
	for _, c := range s.Cases {
		if c.Capacity != nil {
			continue // the table of its probes has all of them
		}
		for _, l := range c.LeftOut {
			out = append(out, fmt.Sprintf("- %s (%s) is %s: %s", l.Run, c.Name, l.Status, plainWords(l.Because)))
		}
	}
	return out
}

// cautions are the warnings about the targets of runs, each once.
func cautions(runs []result.Run, targets descriptor.List) []string {
	var out []string
	for _, r := range runs {
		t, _ := targets.Find(r.Resolved["db"])
		if t.Report.Caution == nil {
			continue
		}
		if text := t.Report.Caution(r.Provenance.Target); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// verdictChapter lists the bad verdicts, and counts the runs with and without one.
func verdictChapter(runs []result.Run) book.Chapter {
	c := book.Chapter{Title: "Verdicts"}
	evaluated, good := 0, 0
	for _, run := range runs {
		if verdicts := tested(run); len(verdicts) > 0 {
			evaluated++
			if !slices.ContainsFunc(verdicts, result.Verdict.Bad) {
				good++
			}
		}
	}
	if evaluated == 0 {
		c.Text = append(c.Text, fmt.Sprintf("Runs with verdicts: 0 of %d.", len(runs)))
		return c
	}
	c.Text = append(c.Text, fmt.Sprintf("Runs with verdicts: %d of %d. Runs with a verdict raised: %d.", evaluated, len(runs), evaluated-good))
	test := ""
	for _, f := range findings(runs) {
		rule, on := f.tested()
		if f.Name+rule != test {
			test = f.Name + rule
			answer := "no"
			if f.Value {
				answer = "yes"
			}
			c.Text = append(c.Text, fmt.Sprintf("%s: %s. Tested: %s", f.Name, answer, sentence(plainWords(rule))))
		}
		because := sentence(plainWords(f.Because))
		if on != "" {
			because += " Tested " + sentence(plainWords(on))
		}
		c.Text = append(c.Text, fmt.Sprintf("- %s: %s", f.runs(), because))
	}
	return c
}

// tested are a run's verdicts that describe their test; others are not printed (law 8).
func tested(run result.Run) []result.Verdict {
	return slices.DeleteFunc(slices.Clone(run.Verdicts), func(v result.Verdict) bool { return v.Test == "" })
}

// tested splits the test into its rule, which runs share, and the data that it was tested on.
func (f finding) tested() (rule, on string) {
	rule, on, ok := strings.Cut(f.Test, "; on ")
	if ok {
		on = "on " + on
	}
	return rule, on
}

// finding is a bad verdict that one or more runs share.
type finding struct {
	result.Verdict
	ids []string
}

// findings are the bad verdicts, each with its runs.
func findings(runs []result.Run) []finding {
	var out []finding
	for _, run := range runs {
		for _, v := range tested(run) {
			if !v.Bad() {
				continue
			}
			i := slices.IndexFunc(out, func(f finding) bool { return f.Verdict == v })
			if i < 0 {
				out = append(out, finding{Verdict: v})
				i = len(out) - 1
			}
			out[i].ids = append(out[i].ids, run.ID)
		}
	}
	slices.SortStableFunc(out, func(a, b finding) int {
		rule, _ := a.tested()
		other, _ := b.tested()
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(rule, other))
	})
	return out
}

// runs names the runs, the first with its suite.
func (f finding) runs() string {
	names := slices.Clone(f.ids)
	for i, id := range names[1:] {
		if dot := strings.LastIndexByte(id, '.'); dot >= 0 {
			names[i+1] = id[dot:]
		}
	}
	return strings.Join(names, ", ")
}

func sentence(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// runsChapter lists the runs in the order in which they began.
func runsChapter(s result.Suite) book.Chapter {
	t := book.Table{Columns: slices.Concat(names("run", "case"), figures("", "repeat"), words("status"), names("began"), words("loop"), figures("s", "took"), figures("", "operations"))}
	at := make(map[string]int, len(s.Ran))
	for i, turn := range s.Ran {
		at[turn.Run] = i + 1
	}
	runs := slices.Clone(s.Runs)
	slices.SortStableFunc(runs, func(a, b result.Run) int {
		x, y := at[a.ID], at[b.ID]
		if x == 0 || y == 0 {
			return cmp.Compare(y, x) // runs that have not begun come last
		}
		return cmp.Compare(x, y)
	})
	for _, run := range runs {
		began, loop, took, ops := none, none, 0.0, uint64(0)
		if run.Start != nil {
			began = instant(run.Start.Planned)
		}
		for _, p := range run.Phases {
			took += p.Seconds
			ops += p.Ops
			loop = p.Loop
		}
		t.Rows = append(t.Rows, append(texts(run.ID, run.Case), countCell(uint64(max(run.Repeat, 1))), book.Text(string(run.Status)), book.Text(began), book.Text(loop), secondsCell(took), countCell(ops)))
	}
	c := book.Chapter{Title: "Runs", Detail: true, Tables: []book.Table{t}}
	if s.Plan != nil && s.Plan.Order != "" {
		c.Text = append(c.Text, "In the order in which they began. Requested order: "+string(s.Plan.Order)+".")
	}
	return c
}

// provenanceChapter is the part of the provenance that all runs share, in brief, with their terms if these are all the same.
func provenanceChapter(runs []result.Run, targets descriptor.List, terms []result.TargetTerms) book.Chapter {
	c := book.Chapter{Title: "Provenance", Detail: true}
	if len(runs) == 0 {
		return c
	}
	if len(terms) == 1 {
		t := termsTable(terms)
		t.Title = termsTitle
		c.Tables = append(c.Tables, t)
	}
	p := runs[0].Provenance
	if p.Foreign == nil {
		c.Text = append(c.Text, fmt.Sprintf("- benchd %s, submitted by %s at %s", p.Benchd, p.SubmittedBy, instant(p.Created)))
	} else {
		from := "- foreign: measured by " + printable(p.Foreign.String())
		if !p.Created.IsZero() { // it is in an archive, not only read from its files
			from += fmt.Sprintf(", imported by %s at %s", p.SubmittedBy, instant(p.Created))
		}
		c.Text = append(c.Text, from)
		for _, f := range p.Foreign.Files {
			c.Text = append(c.Text, fmt.Sprintf("- file %s: %s, %s, SHA-256 %s", printable(f.Name), printable(f.Format), bytesText(uint64(f.Bytes)), printable(f.SHA256)))
		}
	}
	for _, line := range targetLines(runs, targets) {
		c.Text = append(c.Text, "- target: "+line)
	}
	var listeners, seen []string
	for _, run := range runs {
		for _, l := range run.Provenance.Listeners {
			if line := "- listener " + printable(l); !slices.Contains(listeners, line) {
				listeners = append(listeners, line)
			}
		}
		for _, a := range run.Provenance.Agents {
			line := fmt.Sprintf("- agent %s on %s: %d cores (%s), %s of memory, %s, kernel %s, %s, benchd %s", a.Name, a.Hostname, a.Cores, a.CPU, bytesText(a.Memory), a.OS, a.Kernel, a.Go, a.Version)
			if a.Connection != "" {
				line += ", connection: " + printable(a.Connection)
			}
			if !slices.Contains(seen, line) {
				seen = append(seen, line)
			}
		}
	}
	c.Text = append(c.Text, listeners...)
	slices.Sort(seen)
	if n := len(seen) - someAgents; n > 0 {
		seen = append(seen[:someAgents], fmt.Sprintf("- and %d more agents", n))
	}
	c.Text = append(c.Text, seen...)
	if p.Foreign == nil {
		c.Text = append(c.Text, "The seeds of all runs are in the JSON form.")
	}
	return c
}

// targetLines lists the targets of runs, each once.
func targetLines(runs []result.Run, targets descriptor.List) []string {
	var lines []string
	for _, run := range runs {
		t := run.Provenance.Target
		if len(t) == 0 {
			continue
		}
		parts := []string{cmp.Or(t["target"], run.Resolved["db"])}
		described, _ := targets.Find(run.Resolved["db"])
		for _, f := range described.Report.Facts {
			if v := t[f.Name]; v != "" {
				parts = append(parts, f.Title+" "+printable(v))
			}
		}
		if line := strings.Join(parts, ", "); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

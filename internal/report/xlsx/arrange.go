package xlsx

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
)

// chartsOfSummary is how many charts the summary has at most.
const chartsOfSummary = 4

// Texts are the texts that the workbook adds to those of a book, in English.
func Texts() []string {
	return []string{
		"Summary", "Evidence", "Details", "Files", "Heat maps", "Chart data", "Question", "Answer", "Status", "Report", "Sheets", "Data",
		"back to the summary", "published", "as shown", "from", "to", "until", "kind", "what", "details", "operations", "runs", "below", "above",
		"action or fault", "event", "dip until recovery", "phase", "answer", percentileText, oneIn,
		claimText, heatText, plotText, hiddenText, verbatimText,
	}
}

const (
	claimText = "Columns of this colour are published figures of the authors' own cluster. None of them was measured here."
	heatText  = "Each cell counts the operations of a time and a response time. A row is named by its lower and upper bound, " +
		"a column by its first second. The darker, the more; the number is in the cell. Empty: none."
	plotText       = "Figures that charts refer to, where no other sheet has them. Each chart has the columns below its title."
	hiddenText     = "On the sheet of chart data, but not drawn:"
	percentileText = "p90 is 1 in 10, p99 is 1 in 100, p99.9 is 1 in 1,000"
	oneIn          = "1 in"
	verbatimText   = "Verbatim, a line in each row."
)

// arrange divides a book into sheets.
func (wb *workbook) arrange(b book.Book) {
	summary := wb.page(wb.text("Summary"))
	summary.color = accent
	summary.cover(b)
	contents := len(summary.lines)
	index := newIndex(wb, b.Data)
	wb.plots.init(wb, index)

	pages := make(map[string]*page) // by the scenario of the chapters
	own := func(key, title, about string) *page {
		p := pages[key]
		if p == nil {
			p = wb.page(title)
			p.heading(title)
			pages[key] = p
		}
		if about != "" && about != title && !slices.Contains(p.about, about) {
			p.about = append(p.about, about)
		}
		return p
	}
	charts, led := 0, true
	for _, c := range b.Chapters {
		switch {
		case c.Sheet != "":
			led = false
			own("scenario "+c.Sheet, c.Sheet, c.Title).chapter(c)
		case len(drawn(c.Charts)) > chartsOfSummary || c.Detail && len(c.Charts) > 0:
			own("chapter "+c.Title, c.Title, c.Title).chapter(c)
		case c.Detail:
			p := own("details", wb.text("Details"), c.Title)
			p.chapter(c)
		case led && charts+len(drawn(c.Charts)) <= chartsOfSummary:
			charts += len(drawn(c.Charts))
			summary.chapter(c)
		default:
			own("evidence", wb.text("Evidence"), c.Title).chapter(c)
		}
		for _, heat := range c.Charts {
			if heat.Kind == book.Density && heat.Heat != nil {
				own("heat", wb.text("Heat maps"), "").heat(c, heat)
			}
		}
		if len(c.Files) > 0 {
			p := own("files", wb.text("Files"), wb.text(verbatimText))
			p.files = true
			for _, file := range c.Files {
				p.file(file)
			}
		}
	}
	var order []listed
	for _, p := range wb.pages[1:] {
		order = append(order, listed{p.name, strings.Join(p.about, " · ")})
	}
	for _, d := range wb.tables {
		order = append(order, listed{d.name, d.table.Title})
	}
	if wb.plots.used() {
		order = append(order, listed{wb.plots.name(), wb.text(plotText)})
	}
	summary.contents(order, contents)
}

// listed is a sheet in the list of the summary.
type listed struct{ name, about string }

// cover begins the summary: what the report is about, and what was found.
func (p *page) cover(b book.Book) {
	p.add(map[int]cell{0: {text: oneLine(b.Title, 250), look: look{size: 18, bold: true, color: accent, wrap: true}, merge: toEnd}})
	p.blank()
	fill := map[book.State]string{book.Good: goodFill, book.Caution: warnFill, book.Bad: badFill}[b.State]
	if b.Question != "" {
		p.labelled(p.wb.text("Question"), b.Question, look{size: 11})
	}
	if b.Status != "" {
		p.labelled(p.wb.text("Status"), b.Status, look{size: 11, bold: true, fill: fill})
	}
	for i, text := range b.Answer {
		label := ""
		if i == 0 {
			label = p.wb.text("Answer")
		}
		p.labelled(label, text, look{size: 11})
	}
	about := b.ID
	if !b.Created.IsZero() {
		about = strings.TrimPrefix(about+", "+b.Created.UTC().Format("2006-01-02 15:04:05 UTC"), ", ")
	}
	if about != "" {
		p.labelled(p.wb.text("Report"), about, look{color: muted})
	}
	p.blank()
	p.texts(b.Lead)
}

// contents inserts the list of the sheets into the summary.
func (p *page) contents(order []listed, at int) {
	if len(order) == 0 {
		return
	}
	rest := append([]line(nil), p.lines[at:]...)
	p.lines = p.lines[:at]
	p.blank()
	for i, s := range order {
		label := cell{}
		if i == 0 {
			label = cell{text: p.wb.text("Sheets"), look: look{bold: true, color: muted}}
		}
		p.need(1, width(s.name)+1)
		cells := map[int]cell{0: label, 1: {text: s.name, look: look{link: true}, link: s.name}}
		if s.about != "" && s.about != s.name {
			cells[1] = cell{text: s.name, look: look{link: true}, link: s.name, merge: 2}
			cells[3] = cell{text: oneLine(s.about, 400), look: look{color: muted, wrap: true}, merge: toEnd}
		}
		p.add(cells)
	}
	moved := len(p.lines) - at
	p.lines = append(p.lines, rest...)
	for i := range p.pictures {
		if p.pictures[i].row >= at {
			p.pictures[i].row += moved
		}
	}
	if p.filter.at >= at {
		p.filter.at += moved
	}
}

// heading begins a page that is not the summary.
func (p *page) heading(title string) {
	p.title = title
	p.add(map[int]cell{0: {text: oneLine(title, 250), look: look{size: 16, bold: true, color: accent, wrap: true}, merge: toEnd}})
	p.add(map[int]cell{0: {text: p.wb.text("back to the summary"), look: look{link: true}, link: p.wb.pages[0].name, merge: 2}})
}

// chapter adds a chapter.
func (p *page) chapter(c book.Chapter) {
	p.blank()
	if c.Title != "" && c.Title != p.title {
		p.add(map[int]cell{0: {text: oneLine(c.Title, 250), look: look{size: 13, bold: true, wrap: true}, merge: toEnd}})
	}
	p.texts(c.Text)
	p.draws(drawn(c.Charts))
	for _, chart := range c.Charts {
		if chart.Kind == book.Density && chart.Heat != nil {
			sheet := p.wb.text("Heat maps")
			p.add(map[int]cell{0: {text: oneLine(chart.Title, 200) + ": " + sheet, look: look{link: true}, link: sheet, merge: toEnd}})
		}
	}
	for _, t := range c.Tables {
		p.table(t)
	}
}

// file adds a file, a line in each row.
func (p *page) file(f book.File) {
	p.blank()
	p.add(map[int]cell{0: {text: oneLine(f.Name, 250), look: look{size: 13, bold: true}}})
	for text := range strings.SplitSeq(strings.TrimSuffix(f.Text, "\n"), "\n") {
		p.add(map[int]cell{0: {text: clean(text), look: look{mono: true}}})
	}
}

// drawn are the charts that a workbook has as charts: all but heat maps.
func drawn(charts []book.Chart) []book.Chart {
	var out []book.Chart
	for _, c := range charts {
		if c.Kind != book.Density {
			out = append(out, c)
		}
	}
	return out
}

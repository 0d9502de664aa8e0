package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
)

// someSentences is how many cases the answer of a comparison names; its chapters have all.
const someSentences = 8

// How figures of comparisons were computed.
const (
	howMedians = "A and B are medians over the runs of each side, and the whiskers their lowest and highest run."
	howChange  = "The change is the median of the ratios of all pairs of a run of B and one of A (Hodges-Lehmann), with the 95 % interval of the Mann-Whitney test, which assumes no distribution."
)

// ComparisonBook is the report of comparisons: of one result with each of some others. created is when the newest of them was submitted.
func ComparisonBook(id string, created time.Time, all []compare.Comparison) book.Book {
	b := maker{}
	b.ID, b.Name, b.Created, b.State = id, id, created, book.Good
	if len(all) == 0 {
		return b.Book
	}
	var others, status []string
	decided := false
	for _, c := range all {
		others = append(others, printable(c.B))
		text, some := outcomes(c)
		decided = decided || some
		if len(all) > 1 {
			text = printable(c.B) + ": " + text
		}
		status = append(status, text)
		b.Answer = append(b.Answer, comparisonAnswer(c, len(all) > 1)...)
	}
	if !decided {
		b.State = book.Caution
	}
	b.Status = strings.Join(status, "; ")
	b.Title = fmt.Sprintf("%s compared with %s", strings.Join(others, ", "), printable(all[0].A))
	b.Question = fmt.Sprintf("Is %s faster than %s?", strings.Join(others, " or "), printable(all[0].A))
	for _, c := range all {
		of := ""
		if len(all) > 1 {
			of = ": " + printable(c.B)
		}
		b.addComparison(c, of)
	}
	return b.Book
}

// outcomes counts the outcomes of the cases, and reports whether one of them is a decision.
func outcomes(c compare.Comparison) (text string, decided bool) {
	var parts []string
	for _, o := range []compare.Outcome{compare.IsWorse, compare.IsMixed, compare.IsBetter, compare.IsRefused, compare.IsUnknown, compare.IsSame} {
		n := 0
		for _, one := range c.Cases {
			if one.Outcome == o {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcomeText(o)))
			decided = decided || o != compare.IsRefused && o != compare.IsUnknown
		}
	}
	if len(parts) == 0 {
		return "nothing to compare: A and B have no case in common", false
	}
	return several(len(c.Cases), "case") + ": " + strings.Join(parts, ", "), decided
}

func outcomeText(o compare.Outcome) string {
	switch o {
	case compare.IsRefused:
		return "not compared"
	case compare.IsMixed:
		return "better and worse"
	case compare.IsBetter, compare.IsWorse, compare.IsSame, compare.IsUnknown:
	}
	return string(o)
}

// comparisonAnswer has a sentence for each case with a difference, the worse ones first, and one for the others.
func comparisonAnswer(c compare.Comparison, several bool) []string {
	var out, same []string
	if text := differingSides(c); text != "" {
		if several {
			text = printable(c.B) + ": " + text
		}
		out = append(out, text)
	}
	left, most := 0, len(out)+someSentences
	for _, one := range ordered(c.Cases) {
		name := printable(one.Name)
		if several {
			name = printable(c.B) + ", " + name
		}
		switch {
		case one.Outcome == compare.IsSame:
			same = append(same, name)
		case len(out) == most:
			left++
		default:
			out = append(out, sentence(name+": "+printable(one.Sentence)))
		}
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("%d more cases are in the table of outcomes.", left))
	}
	if len(same) > 0 {
		outcome := string(compare.IsSame)
		out = append(out, strings.ToUpper(outcome[:1])+outcome[1:]+" in "+listed(same)+".")
	}
	return out
}

// addComparison adds the chapters of one comparison.
func (b *maker) addComparison(c compare.Comparison, of string) {
	b.Chapters = append(b.Chapters, comparedTerms(c, of)...)
	general := generalNotes(c)
	cases := book.Table{Columns: slices.Concat(names("case"), words("outcome", "finding"), figures("", "runs of A", "runs of B"))}
	for _, one := range ordered(c.Cases) {
		cases.Rows = append(cases.Rows, append(texts(one.Name, outcomeText(one.Outcome), one.Sentence), countCell(uint64(len(one.RunsA))), countCell(uint64(len(one.RunsB)))))
		for _, n := range one.Notes {
			if !slices.Contains(general, n) {
				cases.Notes = append(cases.Notes, printable(one.Name)+": "+printable(n))
			}
		}
	}
	for _, n := range general {
		cases.Notes = append(cases.Notes, printable(n)+inCases(c, n))
	}
	for _, only := range []struct {
		side  string
		cases []string
	}{{"A", c.OnlyA}, {"B", c.OnlyB}} {
		if len(only.cases) > 0 {
			cases.Notes = append(cases.Notes, "Only in "+only.side+": "+strings.Join(only.cases, ", "))
		}
	}
	b.Chapters = append(b.Chapters, book.Chapter{
		Title:  "Outcome of each case" + of,
		Text:   []string{fmt.Sprintf("A is %s. B is %s.", printable(c.A), printable(c.B))},
		Tables: []book.Table{cases},
	})
	if figures := figureChapter(c); len(figures.Tables) > 0 {
		figures.Title += of
		b.Chapters = append(b.Chapters, figures)
	}
	b.Chapters = append(b.Chapters, differencesChapter(c, of))
}

// figureChapter has a table for each figure, with a row for each case, and charts of the changes and of both sides.
func figureChapter(c compare.Comparison) book.Chapter {
	chapter := book.Chapter{
		Title: "Figures",
		Text:  []string{howMedians + " " + howChange, fmt.Sprintf("A difference is named when its interval leaves out no change and the estimate is at least %s %%.", trimmed(100*c.Smallest))},
	}
	var seen []string
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			if !slices.Contains(seen, f.Name) {
				seen = append(seen, f.Name)
			}
		}
	}
	chapter.Charts = draw.Comparison(c)
	for _, name := range seen {
		t, chart := comparedFigure(c, name)
		chapter.Tables = append(chapter.Tables, t)
		chapter.Charts = append(chapter.Charts, chart)
	}
	return chapter
}

// comparedFigure is the table and the chart of one figure over the cases.
func comparedFigure(c compare.Comparison, name string) (book.Table, book.Chart) {
	title, unit := compare.Title(name), ""
	t := book.Table{Title: title}
	a, b := book.Series{Name: "A"}, book.Series{Name: "B"}
	var categories []string
	starred := false
	for _, one := range c.Cases {
		i := slices.IndexFunc(one.Figures, func(f compare.Figure) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		f := one.Figures[i]
		unit = amountUnit(f)
		change, low, high := book.Text(none), book.Text(none), book.Text(none)
		if s := f.Shift; s != nil {
			change, low, high = changeCell(s.Ratio), changeCell(s.Low), changeCell(s.High)
		}
		starred = starred || named(f) && !f.Holds
		t.Rows = append(t.Rows, []book.Cell{book.Text(one.Name), amountCell(f, f.A.Median), amountCell(f, f.B.Median), change, low, high, book.Text(verdictText(f))})
		for _, o := range f.Odd {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: run %s has %s; the median of its side is %s.", printable(one.Name), printable(o.Run), amount(f, o.Value),
				amount(f, map[string]compare.Sample{"a": f.A, "b": f.B}[o.Side].Median)))
		}
		x := float64(len(categories))
		categories = append(categories, printable(one.Name))
		addSample(&a, x, f, f.A)
		addSample(&b, x, f, f.B)
	}
	t.Columns = slices.Concat(names("case"), figures(unit, "A", "B"), figures("%", "change", "lowest change", "highest change"), words("verdict"))
	if starred {
		t.Notes = append(t.Notes, "A verdict with * does not hold after the correction for the number of figures.")
	}
	return t, book.Chart{
		Title: title, How: howMedians, Kind: book.Bars,
		X: book.Axis{Title: "case", Categories: categories}, Y: []book.Axis{{Title: title, Unit: unit}}, Series: []book.Series{a, b},
	}
}

// addSample adds a side's bar of a case.
func addSample(s *book.Series, x float64, f compare.Figure, of compare.Sample) {
	s.X, s.Y = append(s.X, x), append(s.Y, inUnit(f, of.Median))
	s.Low, s.High = append(s.Low, inUnit(f, of.Min)), append(s.High, inUnit(f, of.Max))
	values := make([]float64, len(of.Values))
	for i, v := range of.Values {
		values[i] = inUnit(f, v)
	}
	s.Runs = append(s.Runs, values)
}

// amountCell is a cell of a value of a figure.
func amountCell(f compare.Figure, x float64) book.Cell {
	return book.Number(inUnit(f, x), amount(f, x))
}

// inUnit is a value of a figure in amountUnit.
func inUnit(f compare.Figure, x float64) float64 {
	if base, unit := figure.Split(f.Name); unit != (figure.Unit{}) && base != "" {
		return x / unit.Second * 1e6
	}
	return x
}

// amountUnit is the unit of the numbers of a figure's cells. Texts choose one by the value.
func amountUnit(f compare.Figure) string {
	base, unit := figure.Split(f.Name)
	switch {
	case unit != (figure.Unit{}) && base != "":
		return "µs"
	case strings.HasSuffix(f.Name, "_ops"):
		return "ops/s"
	}
	return f.Unit
}

// changeCell is a cell of a factor as a change in percent.
func changeCell(factor float64) book.Cell {
	if math.IsInf(factor, 0) || math.IsNaN(factor) {
		return book.Text(none)
	}
	return book.Number(100*(factor-1), compare.Percent(factor))
}

// differencesChapter is what differs between the sides besides what was measured.
func differencesChapter(c compare.Comparison, of string) book.Chapter {
	chapter := book.Chapter{Title: "What else differs" + of, Detail: true}
	if len(c.Differences) == 0 {
		chapter.Text = append(chapter.Text, "Nothing differs between A and B besides what was measured.")
	} else {
		chapter.Tables = append(chapter.Tables, differenceTable(c.Differences))
	}
	chapter.Text = append(chapter.Text, "Method: "+sentence(c.Method))
	return chapter
}

// differenceTable has a row for each difference. Texts of the terms are written by benchd, and are not names.
func differenceTable(all []compare.Difference) book.Table {
	sides := names("A", "B")
	if !slices.ContainsFunc(all, func(d compare.Difference) bool { return !d.IsTerm() }) {
		sides = words("A", "B")
	}
	t := book.Table{Columns: slices.Concat(words("what"), sides, names("cases"))}
	for _, d := range all {
		where := "all"
		if len(d.Cases) > 0 {
			where = printable(listed(d.Cases))
		}
		t.Rows = append(t.Rows, texts(d.What, orNone(d.A), orNone(d.B), where))
	}
	return t
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}

package report

import (
	"fmt"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// interferences writes what groups of workers cost each other.
func (p *page) interferences(s result.Suite) {
	for _, i := range s.Interference {
		p.line()
		p.line(p.bold(p.t(interferenceTitle(i))))
		p.wrap("", printable(i.Text), plain)
		t := interferenceTable(i)
		p.table(t)
		for _, note := range t.Notes {
			p.wrap("", printable(note), p.dim)
		}
	}
}

// addInterference adds the chapter of what groups of workers cost each other.
func (b *maker) addInterference(s result.Suite) {
	c := book.Chapter{Title: "Interference"}
	for _, i := range s.Interference {
		t := interferenceTable(i)
		t.Title = interferenceTitle(i)
		c.Text = append(c.Text, sentence(t.Title+": "+plainWords(i.Text)))
		c.Tables = append(c.Tables, t)
		c.Charts = append(c.Charts, draw.Interference(i, s.Cases)...)
	}
	if len(c.Tables) > 0 {
		b.Chapters = append(b.Chapters, c)
	}
}

func interferenceTitle(i result.Interference) string {
	title := "Interference in " + i.Case
	if i.Of != "" {
		title += " (" + i.Of + ")"
	}
	return printable(title)
}

// interferenceTable has a row for each compared figure of each group.
func interferenceTable(i result.Interference) book.Table {
	t := book.Table{Columns: append(append(names("group"), words("loop", "figure", "alone", "together")...), figures("", "factor", "from", "to")...)}
	for _, g := range i.Groups {
		if g.Because != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("Group %s is not compared with %s: %s.", g.Group, g.Alone, g.Because))
		}
		for _, f := range g.Figures {
			row := append(texts(g.Group, g.Loop, figure.Title(f.Name)), interfered(f, f.Alone), interfered(f, f.Together))
			if f.Shift != nil {
				row = append(row, factorCell(f.Shift.Ratio), factorCell(f.Shift.Low), factorCell(f.Shift.High))
			} else {
				row = append(row, factorCell(f.Together/f.Alone), book.Cell{}, book.Cell{})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if n := len(i.ClientBound); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Runs that were client-bound: %d. Their factors may be those of the load generator and not of the target.", n))
	}
	t.Notes = append(t.Notes, "Means of throughput, medians of percentiles over the runs of a case; "+i.Test+". A factor without an interval is of the two values alone.")
	return t
}

// interfered is a cell of a figure with its unit: the rows of a table have several.
func interfered(f result.Interfered, x float64) book.Cell {
	if f.Unit == "µs" {
		return book.Text(Micros(x))
	}
	return book.Text(rate(x) + " " + f.Unit)
}

// factorCell is a cell of a factor.
func factorCell(x float64) book.Cell { return book.Number(x, fmt.Sprintf("%.3g", x)) }

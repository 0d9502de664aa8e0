package draw

import (
	"slices"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

// Interference makes the charts of what the groups of workers of a case cost each other: the tested factors of all figures, the
// throughput of each group alone and together, and the response times of each group.
func Interference(i result.Interference, cases []result.Case) []book.Chart {
	var p comparedGroups
	for _, g := range i.Groups {
		if one, ok := compared(g, i.Case, cases); ok {
			p.list, p.cases = append(p.list, one), append(p.cases, one.alone, one.together)
		}
	}
	charts := []book.Chart{p.factors(i.Test), p.throughput()}
	for _, one := range p.list {
		charts = append(charts, p.responses(one))
	}
	for k := range charts {
		charts[k].Title += ": " + i.Case
	}
	return drawable(charts...)
}

// comparedGroups are the groups of a case, each with the case in which it works alone.
type comparedGroups struct {
	list  []comparedGroup
	cases []result.Case
}

type comparedGroup struct {
	result.GroupInterference
	alone, together result.Case
}

// compared finds the cases of a compared group; false if nothing of it is compared.
func compared(g result.GroupInterference, together string, cases []result.Case) (comparedGroup, bool) {
	find := func(name string) int {
		return slices.IndexFunc(cases, func(c result.Case) bool { return c.Name == name })
	}
	a, b := find(g.Alone), find(together)
	if a < 0 || b < 0 || len(g.Figures) == 0 {
		return comparedGroup{}, false
	}
	return comparedGroup{g, cases[a], cases[b]}, true
}

// column is the column of a figure of the group.
func (p comparedGroup) column(f result.Interfered) column { return newColumn(p.Group + "." + f.Name) }

// factors has the tested factors: of the throughput of each group, and of the response times of each of its operations.
func (p comparedGroups) factors(test string) book.Chart {
	var throughput, p50, p99 book.Series
	var categories []string
	add := func(to *book.Series, category string, f result.Interfered) {
		if f.Shift == nil {
			return
		}
		at := slices.Index(categories, category)
		if at < 0 {
			at = len(categories)
			categories = append(categories, category)
		}
		to.X, to.Y = append(to.X, float64(at)), append(to.Y, f.Shift.Ratio)
		to.Low, to.High = append(to.Low, f.Shift.Low), append(to.High, f.Shift.High)
	}
	for _, one := range p.list {
		for _, f := range one.Figures {
			if one.column(f).Class == figure.OfRun { // before its operations
				add(&throughput, one.Group, f)
			}
		}
		for _, f := range one.Figures {
			col := one.column(f)
			if col.Class != figure.OfOperation {
				continue
			}
			to := &p99
			if col.Stat == "p50" {
				to = &p50
			}
			add(to, workload.InGroup(one.Group, col.Op.String()), f)
		}
	}
	throughput.Name, p50.Name, p99.Name = "throughput", "p50", "p99"
	c := book.Chart{
		Title: "Groups together against alone", Kind: book.Bars, How: "Tested: " + test + ". An interval that leaves out 1 shows interference.",
		X: book.Axis{Title: "Group and operation", Categories: categories}, Y: []book.Axis{{Title: "Factor: together / alone", Scale: book.Log}},
		Limits: []book.Limit{{Value: 1, Label: "as alone"}},
	}
	for _, s := range []book.Series{throughput, p50, p99} {
		if s.Style = book.Points; len(s.X) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// throughput has a bar for each group alone, and one together.
func (p comparedGroups) throughput() book.Chart {
	c := book.Chart{
		Title: "Throughput of groups alone and together", Kind: book.Bars, How: how(p.cases, false),
		X: book.Axis{Title: "Group"}, Y: []book.Axis{rateAxis()},
	}
	bars := beside{intervals: bounded(p.cases)}
	for _, one := range p.list {
		for _, f := range one.Figures {
			if col := one.column(f); col.Class == figure.OfRun {
				bars.add(col, one, len(c.X.Categories))
				c.X.Categories = append(c.X.Categories, one.Group)
			}
		}
	}
	c.Series = bars.series()
	return c
}

// responses has the response times of a group alone and together.
func (p comparedGroups) responses(of comparedGroup) book.Chart {
	c := book.Chart{
		Title: "Response times of " + of.Group + " alone and together", Kind: book.Bars, How: how(p.cases, false),
		X: book.Axis{Title: "Figure"}, Y: []book.Axis{{Title: "Response time", Unit: "µs"}},
	}
	bars := beside{intervals: bounded(p.cases)}
	for _, f := range of.Figures {
		if col := of.column(f); col.Class == figure.OfOperation {
			bars.add(col, of, len(c.X.Categories))
			c.X.Categories = append(c.X.Categories, col.Op.String()+" "+col.Stat)
		}
	}
	c.Series = bars.series()
	return c
}

// beside are two series: values alone and together, with their repeats.
type beside struct {
	alone, together book.Series
	intervals       bool // of the median; see column.of
}

// add adds the values of a group's column in a category.
func (b *beside) add(col column, of comparedGroup, category int) {
	at := func(place) float64 { return float64(category) }
	join(&b.alone, col.series("alone", []place{{Case: of.alone}}, b.intervals, at))
	join(&b.together, col.series("together", []place{{Case: of.together}}, b.intervals, at))
}

// series returns both, if there is anything to see.
func (b *beside) series() []book.Series {
	if len(b.alone.X) == 0 {
		return nil
	}
	return []book.Series{b.alone, b.together}
}

package draw

import (
	"fmt"
	"math"
	"slices"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report/book"
)

// Comparison makes a chart for each figure of a comparison: by which factor B differs from A in each case, with its interval.
func Comparison(c compare.Comparison) []book.Chart {
	var names []string
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	var charts []book.Chart
	for _, name := range names {
		charts = append(charts, factors(c, name))
	}
	return drawable(charts...)
}

// factors is the chart of a figure.
func factors(c compare.Comparison, name string) book.Chart {
	s := book.Series{Name: "B against A", Style: book.Points}
	var cases []string
	for _, one := range c.Cases {
		for _, f := range one.Figures {
			if f.Name != name || f.Shift == nil {
				continue
			}
			s.X, s.Y = append(s.X, float64(len(cases))), append(s.Y, change(f.Shift.Ratio))
			s.Low, s.High = append(s.Low, change(f.Shift.Low)), append(s.High, change(f.Shift.High))
			cases = append(cases, one.Name)
		}
	}
	shown, note := firstOf(cases, mostBars, "cases")
	n := len(shown)
	if n > 0 {
		s.X, s.Y, s.Low, s.High = s.X[:n], s.Y[:n], s.Low[:n], s.High[:n]
	}
	return book.Chart{
		Title: "Change of " + compare.Title(name), Kind: book.Bars,
		How: fmt.Sprintf("B against A in each case with at least the repeats that an interval needs: %s. An interval that leaves out 0 %% shows a difference.%s", c.Method, note),
		X:   book.Axis{Title: "Case", Categories: shown}, Y: []book.Axis{{Title: "Change from A to B", Unit: "%"}},
		Series: []book.Series{s},
		Limits: []book.Limit{{Value: 0, Label: "no change"}},
	}
}

// change is a factor in percent.
func change(factor float64) float64 { return math.Round(1e4*(factor-1)) / 100 }

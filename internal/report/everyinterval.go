package report

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
)

// everyInterval makes the tables with the figures of every interval. Runs with charts have tables of their own, to which the
// charts of a workbook refer; the others share a table where their columns are the same.
func everyInterval(runs []result.Run, shown []string, o draw.Options) []book.Table {
	var own, shared []book.Table
	for _, r := range runs {
		for _, t := range draw.Intervals(r, o) {
			kind := t.Title
			if len(runs) == 1 {
				own = append(own, t)
				continue
			}
			if slices.Contains(shown, r.ID) {
				t.Title = kind + " of run " + r.ID[strings.LastIndexByte(r.ID, '.')+1:]
				t.How = sentence("Run "+r.ID+", case "+r.Case) + " " + t.How
				own = append(own, t)
				continue
			}
			t.Columns = slices.Concat(names("run", "case"), t.Columns)
			for i, row := range t.Rows {
				t.Rows[i] = slices.Concat(texts(r.ID, r.Case), row)
			}
			i := slices.IndexFunc(shared, func(other book.Table) bool { return other.Title == kind && slices.Equal(other.Columns, t.Columns) })
			if i < 0 {
				shared = append(shared, t)
				continue
			}
			shared[i].Rows = append(shared[i].Rows, t.Rows...)
		}
	}
	return slices.Concat(own, shared)
}

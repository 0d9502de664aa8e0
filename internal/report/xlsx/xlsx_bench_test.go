package xlsx_test

import (
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/xlsx"
)

// longRun is the book of a run of two hours with five operations and 40 series of telemetry.
func longRun() book.Book {
	const n = 7200
	table := func(title string, columns int) book.Table {
		t := book.Table{Title: "Every interval: " + title, How: "Of all agents together.", Columns: []book.Column{{Head: "phase"}, {Head: "start", Unit: "s", Figure: true, Names: true}}}
		for k := range columns {
			t.Columns = append(t.Columns, book.Column{Head: fmt.Sprintf("%s %d", title, k), Unit: "µs", Figure: true, Names: true})
		}
		for i := range n {
			row := make([]book.Cell, 0, len(t.Columns))
			row = append(row, book.Text("measure"), book.Number(float64(i), ""))
			for k := range columns {
				row = append(row, book.Number(math.Round(1e6*(2+math.Sin(float64(i*(k+1)))))/1000, ""))
			}
			t.Rows = append(t.Rows, row)
		}
		return t
	}
	operations, telemetry := table("operations", 5*9+4), table("telemetry", 40)
	column := func(t book.Table, k int) []float64 {
		out := make([]float64, n)
		for i, row := range t.Rows {
			out[i] = *row[k].Number
		}
		return out
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) + 0.5
	}
	var charts, small []book.Chart
	chart := func(title string, series ...book.Series) book.Chart {
		return book.Chart{Title: title, How: "Interval by interval.", Kind: book.Time, Group: "S.1", X: book.Axis{Title: "Time", Unit: "s"}, Y: []book.Axis{{Title: "Response time", Unit: "µs"}}, Series: series}
	}
	for k := range 6 {
		c := chart(fmt.Sprintf("operation %d", k))
		for i := range 5 {
			c.Series = append(c.Series, book.Series{Name: fmt.Sprint("p", i), X: x, Y: column(operations, 2+8*k+i)})
		}
		charts = append(charts, c)
	}
	for k := range 10 {
		c := chart(fmt.Sprintf("telemetry %d", k))
		for i := range 4 { // on a grid of its own
			full := column(telemetry, 2+4*k+i)
			thin, at := make([]float64, n/5), make([]float64, n/5)
			for j := range thin {
				thin[j], at[j] = full[5*j]+0.25, float64(5*j)+2.5
			}
			c.Series = append(c.Series, book.Series{Name: fmt.Sprint("rs", i), Verbatim: true, X: at, Y: thin})
		}
		small = append(small, c)
	}
	heat := &book.Heat{}
	for i := range 201 {
		heat.X = append(heat.X, float64(i*36))
	}
	for i := range 41 {
		heat.Y = append(heat.Y, math.Pow(10, 1+float64(i)/10))
	}
	for c := range 200 {
		column := make([]uint64, 40)
		for r := range column {
			column[r] = uint64(c * r)
		}
		heat.Counts = append(heat.Counts, column)
	}
	for k := range 6 {
		c := chart(fmt.Sprintf("density %d", k))
		c.Kind, c.Heat = book.Density, heat
		charts = append(charts, c)
	}
	return book.Book{
		ID: "S.1", Title: "two hours", Created: time.Unix(1_790_000_000, 0),
		Chapters: []book.Chapter{{Title: "Over time", Charts: charts}, {Title: "Telemetry", Detail: true, Charts: small}},
		Data:     []book.Table{operations, telemetry},
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// BenchmarkWriteLongRun writes the workbook of a run of two hours with 7200 intervals, five operations and 40 series of telemetry.
func BenchmarkWriteLongRun(b *testing.B) {
	long := longRun()
	b.ReportAllocs()
	var size counter
	for b.Loop() {
		size = 0
		require.NoError(b, xlsx.Write(io.MultiWriter(&size), long, xlsx.Options{}))
	}
	b.ReportMetric(float64(size)/1e6, "MB")
}

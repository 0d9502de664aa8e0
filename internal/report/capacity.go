package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/report/draw"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/stats"
)

// capacities writes the answers of searches, each with its probes, and the sweeps of threads and rates.
func (p *page) capacities(s result.Suite) {
	for _, c := range s.Cases {
		if c.Capacity == nil {
			continue
		}
		p.line()
		p.line(p.bold(p.t("Capacity of " + printable(c.Name))))
		p.wrap("", printable(c.Capacity.Text), plain)
		p.table(probeTable(*c.Capacity))
		for _, note := range c.Capacity.Notes {
			p.wrap("note     ", printable(note), p.dim)
		}
	}
	for _, sweep := range s.Sweeps {
		p.line()
		p.line(p.bold(p.t(sweepTitle(sweep))))
		p.wrap("", printable(sweep.Text), plain)
		p.table(sweepTable(sweep))
		for _, note := range sweep.Notes {
			p.wrap("", printable(note), p.dim)
		}
	}
}

// addCapacities adds the chapters of searches and sweeps.
func (b *maker) addCapacities(s result.Suite) {
	c := book.Chapter{Title: "Capacity"}
	for _, one := range s.Cases {
		if one.Capacity == nil {
			continue
		}
		t := probeTable(*one.Capacity)
		t.Title = one.Name
		t.Notes = one.Capacity.Notes
		c.Text = append(c.Text, sentence(one.Name+": "+plainWords(one.Capacity.Text)))
		c.Tables = append(c.Tables, t)
		c.Charts = append(c.Charts, draw.Search(one)...)
	}
	for _, sweep := range s.Sweeps {
		t := sweepTable(sweep)
		t.Title = sweepTitle(sweep)
		t.Notes = sweep.Notes
		c.Text = append(c.Text, sentence(t.Title+": "+plainWords(sweep.Text)))
		c.Tables = append(c.Tables, t)
	}
	if len(c.Tables) > 0 {
		b.Chapters = append(b.Chapters, c)
	}
}

// probeTable has a row for each probe of a search, in the order of the runs.
func probeTable(c result.Capacity) book.Table {
	value := "threads"
	if c.Search.Vary == search.Rate {
		value = "offered"
	}
	op := ""
	for _, p := range c.Probes {
		if op == "" {
			op = p.Op
		}
	}
	t := book.Table{Columns: slices.Concat(names("run"), words("purpose", "outcome"), figures("", value), figures("ops/s", "ops/s"),
		figures("µs", op+" avg", op+" p50", op+" p99"), figures("s", "time"))}
	for i, importance := range []int{6: 3, 7: 1} {
		t.Columns[i].Spare = importance
	}
	for _, p := range c.Probes {
		t.Rows = append(t.Rows, append(texts(p.Run, string(p.Purpose), strings.ReplaceAll(string(p.Outcome), "_", " ")),
			book.Number(p.Value, search.ValueText(p.Value)), rateCell(p.Throughput), timeCell(p.Mean), timeCell(p.P50), timeCell(p.P99), secondsCell(p.Seconds)))
	}
	return t
}

// sweepTitle names a sweep by its scenario and its axis.
func sweepTitle(s result.Sweep) string {
	title := "Throughput over " + s.Axis
	if s.Scenario != "" {
		title += " of " + s.Scenario
	}
	if s.Of != "" {
		title += " (" + s.Of + ")"
	}
	return printable(title)
}

// sweepTable has a row for each case of a sweep: its throughput beside that of the curve, and its latency.
func sweepTable(s result.Sweep) book.Table {
	op := ""
	for _, p := range s.Points {
		if op == "" && p.Op != "" {
			op = strings.ReplaceAll(p.Op, "_", " ")
		}
	}
	fitted := s.Fit != nil && s.Fit.Fits
	t := book.Table{Columns: slices.Concat(names(s.Axis), figures("ops/s", "ops/s"), figures("%", "of highest"), figures("ops/s", "runs from", "to"))}
	if fitted {
		t.Columns = append(t.Columns, slices.Concat(figures("ops/s", "law"), figures("%", "off by"))...)
	}
	t.Columns = append(t.Columns, figures("µs", op+" avg", op+" p99")...)
	t.Columns[len(t.Columns)-1].Spare = 1
	highest := 0.0
	for _, p := range s.Points {
		if len(p.Throughput) > 0 {
			highest = max(highest, *stats.Repeats(p.Throughput).Mean)
		}
	}
	for _, p := range s.Points {
		if len(p.Throughput) == 0 {
			continue
		}
		spread := stats.Repeats(p.Throughput)
		x := *spread.Mean
		share := 100 * x / highest
		row := []book.Cell{
			book.Number(p.Value, search.ValueText(p.Value)), rateCell(x), book.Number(share, percent(&share)), rateCell(spread.Min), rateCell(spread.Max),
		}
		if fitted {
			law := s.Fit.At(p.Value)
			row = append(row, rateCell(law), book.Number(100*(x/law-1), offText(x/law-1)))
		}
		t.Rows = append(t.Rows, append(row, timeCell(p.Mean), timeCell(p.P99)))
	}
	return t
}

// offText is a relative distance in percent, without a sign if it is 0.
func offText(share float64) string {
	text := fixed(100*share, 1)
	if text == "-0.0" {
		text = "0.0"
	}
	return text + " %"
}

// CapacityCSV writes a line for each probe of each search of a suite.
func CapacityCSV(w io.Writer, s result.Suite) error {
	t := newTable(w, "case", "keep", "vary", "probe", "run", "purpose", "value", "outcome", "because", "throughput", "op", "mean_us", "p50_us", "p99_us", "seconds")
	for _, c := range s.Cases {
		if c.Capacity == nil {
			continue
		}
		for i, p := range c.Capacity.Probes {
			t.row(c.Name, c.Capacity.Search.Keep.String(), string(c.Capacity.Search.Vary), strconv.Itoa(i+1), p.Run, string(p.Purpose), exact(p.Value),
				string(p.Outcome), p.Because, exact(p.Throughput), p.Op, known(p.Mean), known(p.P50), known(p.P99), exact(p.Seconds))
		}
	}
	return t.end("suite " + s.ID)
}

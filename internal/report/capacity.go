package report

import (
	"io"
	"strconv"
	"strings"

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
		p.line(p.bold("Capacity of " + printable(c.Name)))
		p.wrap("", printable(c.Capacity.Text), plain)
		p.table(probeTable(*c.Capacity))
		for _, note := range c.Capacity.Notes {
			p.wrap("note     ", printable(note), p.dim)
		}
	}
	for _, sweep := range s.Sweeps {
		p.line()
		p.line(p.bold(sweepTitle(sweep)))
		p.wrap("", printable(sweep.Text), plain)
		p.table(sweepTable(sweep))
		for _, note := range sweep.Notes {
			p.wrap("", printable(note), p.dim)
		}
	}
}

// addCapacities adds the chapters of searches and sweeps.
func (b *Book) addCapacities(s result.Suite) {
	c := Chapter{Title: "Capacity"}
	for _, one := range s.Cases {
		if one.Capacity == nil {
			continue
		}
		t := probeTable(*one.Capacity)
		t.Title = one.Name
		t.Notes = one.Capacity.Notes
		c.Text = append(c.Text, sentence(one.Name+": "+one.Capacity.Text))
		c.Tables = append(c.Tables, t)
	}
	for _, sweep := range s.Sweeps {
		t := sweepTable(sweep)
		t.Title = sweepTitle(sweep)
		t.Notes = sweep.Notes
		c.Text = append(c.Text, sentence(t.Title+": "+sweep.Text))
		c.Tables = append(c.Tables, t)
	}
	if len(c.Tables) > 0 {
		b.Chapters = append(b.Chapters, c)
	}
}

// probeTable has a row for each probe of a search, in the order of the runs.
func probeTable(c result.Capacity) result.Table {
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
	t := result.Table{Columns: columns("run", "purpose", "outcome", value, "ops/s", op+" avg", op+" p50", op+" p99", "time")}
	for i := range t.Columns {
		t.Columns[i].Figure = i >= 3
	}
	for _, p := range c.Probes {
		row := textRow(p.Run, string(p.Purpose), strings.ReplaceAll(string(p.Outcome), "_", " "), search.ValueText(p.Value), rate(p.Throughput),
			percentile(p.Mean), percentile(p.P50), percentile(p.P99), fixed(p.Seconds, 1)+" s")
		row.Run = p.Run
		t.Rows = append(t.Rows, row)
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
func sweepTable(s result.Sweep) result.Table {
	op := ""
	for _, p := range s.Points {
		if op == "" && p.Op != "" {
			op = strings.ReplaceAll(p.Op, "_", " ")
		}
	}
	fitted := s.Fit != nil && s.Fit.Fits
	names := []string{s.Axis, "ops/s", "of highest", "runs from", "to"}
	if fitted {
		names = append(names, "law", "off by")
	}
	t := result.Table{Columns: columns(append(names, op+" avg", op+" p99")...)}
	for i := range t.Columns {
		t.Columns[i].Figure = i > 0
	}
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
		cells := []string{search.ValueText(p.Value), rate(x), percent(&share), rate(spread.Min), rate(spread.Max)}
		if fitted {
			law := s.Fit.At(p.Value)
			cells = append(cells, rate(law), offText(x/law-1))
		}
		row := textRow(append(cells, percentile(p.Mean), percentile(p.P99))...)
		row.Case, row.Runs = p.Case, len(p.Throughput)
		t.Rows = append(t.Rows, row)
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

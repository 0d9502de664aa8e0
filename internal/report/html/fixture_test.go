package html_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/report/book"
)

// run is a book of a run as long as n intervals: charts of throughput, response times, a heat map and telemetry on one time axis.
func run(n, telemetry int) book.Book {
	r := rand.New(rand.NewPCG(1, 2))
	at := func(f func(t float64) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(float64(i))
		}
		return out
	}
	x := at(func(t float64) float64 { return t + 0.5 })
	dip := func(t float64) float64 {
		switch from := float64(n) / 2; {
		case t < from || t > from+60:
			return 1
		case t < from+12:
			return 0.15
		default:
			return 0.6 + 0.4*(t-from-12)/48
		}
	}
	ops := []string{"READ", "INSERT", "UPDATE", "SCAN", "READ-MODIFY-WRITE"}
	marks := []book.Mark{
		{From: 0, To: float64(n) / 10, Kind: book.Phase, Label: "warm-up"},
		{From: float64(n) / 2, Kind: book.Action, Label: "kill region server rs2", Text: "the process was killed"},
		{From: float64(n) / 2, To: float64(n)/2 + 60, Kind: book.Dip, Label: "−85 %, recovered after 60 s"},
		{From: float64(n)/2 + 14, Kind: book.Event, Label: "12 regions reassigned"},
		{From: float64(n) * 0.8, Kind: book.Event, Label: "major compaction begins on rs1"},
	}
	rate := book.Chart{
		Title: "Throughput", How: "Operations that ended in each interval of 1 s, divided by its length.", Kind: book.Time, Group: "run",
		X: book.Axis{Title: "time since the start", Unit: "s"}, Y: []book.Axis{{Title: "throughput", Unit: "ops/s"}, {Title: "errors", Unit: "errors/s"}}, Marks: marks,
		Limits: []book.Limit{{Value: 16000, Label: "offered rate"}},
	}
	slow := book.Chart{
		Title: "Response times", How: "Percentiles of the histograms of each interval, all agents merged.", Kind: book.Time, Group: "run",
		X: rate.X, Y: []book.Axis{{Title: "response time", Unit: "µs", Scale: book.Log}}, Marks: marks,
	}
	for i, op := range ops {
		y := at(func(t float64) float64 {
			return 12000 / float64(i+1) * dip(t) * (1 + 0.05*r.NormFloat64() + 0.06*math.Sin(t/97))
		})
		rate.Series = append(rate.Series, book.Series{Name: op, Verbatim: true, X: x, Y: y})
		p99 := at(func(t float64) float64 { return 2000 * float64(i+1) / dip(t) * math.Exp(0.25*r.NormFloat64()) })
		slow.Series = append(slow.Series, book.Series{Name: op + " p99", Verbatim: true, X: x, Y: p99})
		p50 := at(func(t float64) float64 { return 400 * float64(i+1) / dip(t) * math.Exp(0.05*r.NormFloat64()) })
		slow.Series = append(slow.Series, book.Series{Name: op + " p50", Verbatim: true, X: x, Y: p50, Style: book.Dashed, Hidden: i > 1})
	}
	rate.Series[1].Y[n/2+3] = math.NaN()
	low := at(func(t float64) float64 { return 9500 * dip(t) })
	high := at(func(t float64) float64 { return 14500 * dip(t) })
	rate.Series[0].Low, rate.Series[0].High = low, high
	rate.Series = append(rate.Series, book.Series{
		Name: "errors", Axis: 1, Style: book.Points, X: []float64{float64(n)/2 + 2.5, float64(n)/2 + 3.5, float64(n)/2 + 4.5}, Y: []float64{12, 31, 4},
	}, book.Series{Name: "throughput by the authors", Published: true, X: []float64{0, float64(n)}, Y: []float64{11000, 11000}})

	columns, rows := min(n, 720), 48
	heat := &book.Heat{}
	for i := range columns + 1 {
		heat.X = append(heat.X, float64(n)*float64(i)/float64(columns))
	}
	for i := range rows + 1 {
		heat.Y = append(heat.Y, 100*math.Pow(10, 4*float64(i)/float64(rows)))
	}
	for c := range columns {
		t := heat.X[c]
		column := make([]uint64, rows)
		middle := 10 + 12*(1-dip(t))
		for k := range column {
			d := (float64(k) - middle) / 4
			column[k] = uint64(12000 * dip(t) * math.Exp(-d*d) * (1 + 0.2*r.NormFloat64()))
			if math.Exp(-d*d) < 1e-3 && r.IntN(12) == 0 && k > 10 && k < 34 {
				column[k] = uint64(r.IntN(6))
			}
		}
		heat.Counts = append(heat.Counts, column)
	}
	density := book.Chart{
		Title: "All response times of READ", How: "Operations of each part of the time, by response time, from the merged histograms. The darker, the more.", Kind: book.Density,
		Group: "run", X: rate.X, Y: []book.Axis{{Title: "response time", Unit: "µs", Scale: book.Log}}, Marks: marks, Heat: heat,
	}
	var charts []book.Chart
	for i := range telemetry {
		if i%4 == 0 {
			charts = append(charts, book.Chart{
				Title: fmt.Sprintf("Telemetry %d", i/4+1), How: "As the servers report it, every 2 s; rates of counters between two readings.", Kind: book.Time, Group: "run",
				X: rate.X, Y: []book.Axis{{Title: "requests", Unit: []string{"ops/s", "%", "B", "B/s"}[i/4%4]}}, Marks: marks[1:],
			})
		}
		c := &charts[len(charts)-1]
		c.Series = append(c.Series, book.Series{Name: fmt.Sprintf("rs%d.example.com,16020", i%4+1), Verbatim: true, X: x, Y: at(func(t float64) float64 {
			return (30 + 10*float64(i%4)) * dip(t+float64(i)) * math.Pow(1000, float64(i/8%4)) * (1 + 0.1*r.NormFloat64())
		})})
	}
	agents := book.Chart{
		Title: "Throughput of each agent", How: "Operations that ended in each interval of 1 s at that agent, divided by its length.", Kind: book.Time, Group: "run",
		X: rate.X, Y: []book.Axis{{Title: "throughput", Unit: "ops/s"}}, Marks: marks[1:],
	}
	for i := range 6 {
		agents.Series = append(agents.Series, book.Series{Name: fmt.Sprintf("agent-%d", i+1), Verbatim: true, X: x, Y: at(func(t float64) float64 {
			return 4500 * dip(t) * (1 + 0.04*r.NormFloat64() + 0.02*float64(i))
		})})
	}
	b := suite()
	b.ID, b.Name, b.Title, b.State, b.Status = "20261124-k7mp.1", "kill", "kill: a region server dies under load", book.Caution, "complete; one verdict against it: offered rate not reached"
	b.Question = "How long are reads slow after a region server dies, and how many operations fail?"
	b.Answer = []string{
		"Throughput fell by 85 % (12,013 → 1,790 ops/s) when region server rs2 died, and recovered after 60 s.",
		"47 operations failed, all of them within 3 s of the kill; 412,000 operations fewer were done than without the fault.",
	}
	b.Chapters = append([]book.Chapter{
		{Title: "Throughput and response times", Text: []string{"The whole run, warm-up included. Hover over a chart to read its values."}, Charts: []book.Chart{rate, slow, density}, Tables: []book.Table{operations(ops)}},
		{Title: "Servers", Charts: charts},
		{Title: "Agents", Charts: []book.Chart{agents}},
	}, b.Chapters[2:]...)
	return b
}

func operations(names []string) book.Table {
	t := book.Table{Title: "Operations", How: "Of the measured phase; percentiles of the merged histograms."}
	for i, head := range []string{"operation", "outcome", "count", "ops/s", "min", "mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"} {
		t.Columns = append(t.Columns, book.Column{Head: head, Names: i < 2, Figure: i > 1, Unit: "µs", Spare: max(i-9, 0)})
	}
	for i, name := range names {
		row := []book.Cell{book.Text(name), book.Text("OK"), book.Number(8.6e6/float64(i+1), fmt.Sprintf("%d,412,003", 8-i)), book.Number(12000/float64(i+1), fmt.Sprintf("%d,%03d", 12/(i+1), 17*i))}
		for k := range 9 {
			us := 120 * math.Pow(2.1, float64(k)) * float64(i+1)
			text := fmt.Sprintf("%.0f µs", us)
			if us > 1000 {
				text = fmt.Sprintf("%.2f ms", us/1000)
			}
			row = append(row, book.Number(us, text))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// suite is a book of a suite: sweeps and bars with published points, tables, details and the suite file.
func suite() book.Book {
	threads := []float64{10, 50, 100, 200, 500, 1000}
	sweep := func(title string, scale float64) book.Chart {
		c := book.Chart{
			Title: title, How: "Mean over the repeats; points are single repeats, bars the 95 % interval of the median.", Kind: book.Lines,
			X:     book.Axis{Title: "threads", Scale: book.Log},
			Y:     []book.Axis{{Title: "throughput", Unit: "ops/s"}, {Title: "mean response time", Unit: "µs"}},
			Marks: []book.Mark{{From: 500, Kind: book.Chosen, Label: "use 500"}},
		}
		rate, mean := book.Series{Name: "throughput", X: threads}, book.Series{Name: "mean response time", Axis: 1, Style: book.Dashed}
		for _, n := range threads {
			v := scale * n / (n + 90)
			rate.Y, rate.Low, rate.High = append(rate.Y, v), append(rate.Low, v*0.95), append(rate.High, v*1.04)
			rate.Runs = append(rate.Runs, []float64{v * 0.97, v, v * 1.02})
			mean.Y = append(mean.Y, n/v*1e6)
		}
		c.Series = []book.Series{rate, mean, {Name: "throughput", Published: true, X: []float64{500}, Y: []float64{scale * 0.9}}}
		return c
	}
	bars := book.Chart{
		Title: "Throughput by product", How: "Mean over five repeats, with the standard deviation.", Kind: book.Bars,
		X: book.Axis{Title: "scenario", Categories: []string{"import", "bulk import", "read", "balanced"}}, Y: []book.Axis{{Title: "throughput", Unit: "ops/s"}},
		Series: []book.Series{
			{Name: "A", Verbatim: true, X: []float64{0, 1, 2, 3}, Y: []float64{52000, 188000, 9000, 8800}, Low: []float64{51000, 180000, 8700, 8000}, High: []float64{53000, 195000, 9100, 9200}},
			{Name: "B", Verbatim: true, Y: []float64{69000, 189000, 44000, 14200}},
			{Name: "B", Published: true, Y: []float64{70000, 190000, 45000, 14000}},
		},
	}
	sweepTable := book.Table{
		Title: "Reads by threads", How: "Means over three repeats; percentiles are the median of the repeats'.",
		Columns: []book.Column{
			{Head: "threads", Figure: true},
			{Head: "throughput (ops/s)", Figure: true, Unit: "ops/s"},
			{Head: "published: throughput (ops/s)", Figure: true, Published: true, Unit: "ops/s"},
			{Head: "read avg (ms)", Figure: true},
			{Head: "published: read avg (ms)", Figure: true, Published: true},
			{Head: "read p99 (µs)", Figure: true},
			{Head: "bottleneck"},
		},
		Notes: []string{"Measured in a closed loop.", "One repeat at 1,000 threads is partial and excluded from the means: an agent was lost."},
	}
	for i, n := range threads {
		v := 27000 * n / (n + 90)
		pub := book.Text("–")
		if i == 4 {
			pub = book.Number(26000, "26,000")
		}
		sweepTable.Rows = append(sweepTable.Rows, []book.Cell{
			book.Number(n, fmt.Sprintf("%.0f", n)), book.Number(v, thousands(v)), pub,
			book.Number(n/v*1e3, fmt.Sprintf("%.2f", n/v*1e3)), book.Text("–"), book.Number(n/v*4e6, thousands(n/v*4e6)),
			book.Text([]string{"the workers wait for replies", "the workers wait for replies", "not found", "not found", "disks of the servers: 97 % busy", "disks of the servers: 99 % busy"}[i]),
		})
	}
	runs := book.Table{Title: "Runs", Columns: []book.Column{{Head: "run", Names: true}, {Head: "case", Names: true}, {Head: "repeat", Figure: true}, {Head: "status"}, {Head: "began"}, {Head: "operations", Figure: true}}}
	for i := range 60 {
		runs.Rows = append(runs.Rows, []book.Cell{
			book.Text(fmt.Sprintf("20261124-k7mp.%d", i+1)), book.Text(fmt.Sprintf("read threadcount=%.0f", threads[i%6])), book.Number(float64(i/6+1), strconv.Itoa(i/6+1)),
			book.Text("complete"), book.Text("2026-11-24 03:18:26 UTC"), book.Number(9e4, "90,000"),
		})
	}
	return book.Book{
		ID: "20261124-k7mp", Name: "video", Created: time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC),
		Title:    "video: HBase at a video provider",
		Question: "How many threads give the most throughput with reads below 20 ms, and what limits it?",
		State:    book.Good, Status: "complete, no verdict raised",
		Answer: []string{
			"Reads rise to about 500 threads (22,881 ops/s) and are flat beyond, because the disks of the servers are busy for 97 % of the time.",
			"Inserts reach 61,000 ops/s at 500 threads, limited by the network of the clients.",
			"Use 500 threads: reads take 21.9 ms on average there, and 43.7 ms at 1,000.",
		},
		Lead: []string{
			"Measured on benchd's sandbox, which is not HBase: never publish its speed as HBase's.",
			"Runs excluded from the means:", "- 20261124-k7mp.31 (read threadcount=1000) is partial: agent b was lost", "- 20261124-k7mp.32 (read threadcount=1000) is failed",
		},
		Chapters: []book.Chapter{
			{Title: "Read", Sheet: "read", Text: []string{"Throughput rises to about 500 threads, then it is flat: the disks are busy.", "- Peak: 24,770 ops/s at 1,000 threads", "- Published: 26,000 ops/s at 500 threads"}, Charts: []book.Chart{sweep("Read: throughput and response time by threads", 27000), sweep("Insert: throughput and response time by threads", 72000)}, Tables: []book.Table{sweepTable}},
			{Title: "Products", Sheet: "products", Charts: []book.Chart{bars}},
			{Title: "Runs", Detail: true, Tables: []book.Table{runs}},
			{Title: "Settings and files", Detail: true, Text: []string{"As it was submitted."}, Files: []book.File{{Name: "video.yaml", Text: "name: video\nscenarios:\n  - name: read\n    threadcount: [10, 50, 100, 200, 500, 1000]\n    # " + strings.Repeat("a long comment ", 20) + "\n"}}},
			{Title: "Provenance", Text: []string{"- benchd 1.0.0 (3f2a9c1b7d40), submitted by alice at 2026-11-24 03:00:00 UTC", "- target: hbase 2.6.4, 3 region servers", "- agent a on host-a: 8 cores, 16.0 GB of memory, linux"}},
		},
	}
}

func thousands(v float64) string {
	n := int(math.Round(v))
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

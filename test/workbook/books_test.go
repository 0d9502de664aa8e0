//go:build workbook

package workbook

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/report/book"
)

var created = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func nan() float64 { return math.NaN() }

func figure(x float64) book.Cell { return book.Number(x, fmt.Sprintf("%.0f", x)) }

// suite is a suite with a sweep, groups of bars with published figures, and texts that are hostile.
func suite() book.Book {
	threads := []float64{10, 50, 100, 200, 500, 1000}
	measured := []float64{8_120, 31_450, 48_900, 61_300, 70_450, 70_900}
	sweep := book.Chart{
		Title: "Throughput and mean response time over threads", How: "Mean of 3 runs at each step; whiskers: the lowest and highest run.", Kind: book.Lines,
		X: book.Axis{Title: "Threads", Scale: book.Log}, Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}, {Title: "Mean response time", Unit: "µs", Scale: book.Log}},
		Series: []book.Series{
			{Name: "throughput", X: threads, Y: measured, Low: scaled(measured, 0.96), High: scaled(measured, 1.03), Runs: spread(measured)},
			{Name: "fitted", X: threads, Y: scaled(measured, 1.01), Style: book.Dashed},
			{Name: "throughput", X: []float64{500}, Y: []float64{nan()}, Low: []float64{70_000}, High: []float64{nan()}, Published: true},
			{Name: "mean response time", Axis: 1, X: threads, Y: []float64{1_230, 1_590, 2_045, 3_262, 7_097, 14_104}},
		},
		Marks:  []book.Mark{{From: 500, Kind: book.Chosen, Label: "500 threads", Text: "the smallest within 2 % of the best"}},
		Limits: []book.Limit{{Value: 75_000, Label: "network of the clients"}},
	}
	products := book.Chart{
		Title: "Throughput by product", How: "Median of 6 repeats; whiskers: 95 % interval.", Kind: book.Bars,
		X: book.Axis{Title: "Scenario", Categories: []string{"import", "bulk import", "read only", "=balanced"}}, Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}},
		Series: []book.Series{
			{Name: "hbase", Verbatim: true, Y: []float64{52_000, 54_500, 9_200, 8_700}, Low: []float64{50_900, 53_000, 9_000, 8_500}, High: []float64{53_300, 55_700, 9_500, 8_900}},
			{Name: "null", Verbatim: true, Y: []float64{68_000, 181_000, 46_000, nan()}},
			{Name: "hbase", Verbatim: true, Published: true, Y: []float64{nan(), nan(), nan(), 9_900}, Low: []float64{50_000, nan(), nan(), nan()}, High: []float64{60_000, nan(), 10_000, nan()}},
			{Name: "null", Verbatim: true, Published: true, Y: []float64{70_000, 190_000, 45_000, 14_500}},
		},
	}
	one := book.Chart{
		Title: "Throughput by case", How: "Mean of the runs; points: single runs.", Kind: book.Bars,
		X: book.Axis{Title: "Case", Categories: []string{"1 write only", "2 write only", "3 mixed"}}, Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}},
		Series: []book.Series{{Name: "throughput", Y: []float64{4_213, 6_929, 5_309}, Runs: [][]float64{{3_881, 4_265, 4_516, 4_192}, {6_950, 6_743, 7_055, 6_968}, {5_453, 5_047, 5_427}}}},
	}
	curve := percentiles()
	table := book.Table{
		Title: "Insert by threads", How: "Means over 3 runs; a percentile is the median of the runs.",
		Columns: []book.Column{
			{Head: "threads", Figure: true},
			{Head: "throughput (ops/s)", Unit: "ops/s", Figure: true},
			{Head: "published: throughput (ops/s)", Unit: "ops/s", Figure: true, Published: true},
			{Head: "median (95 %)", Unit: "ops/s", Figure: true},
			{Head: "insert avg (ms)", Unit: "µs", Figure: true},
			{Head: "status"},
		},
		Notes: []string{"Measured in a closed loop.", "=S.4 is partial and excluded from the means"},
	}
	for i, x := range threads {
		published := book.Text("–")
		if i >= 4 {
			published = book.Number(70_000, "70,000")
		}
		table.Rows = append(table.Rows, []book.Cell{
			figure(x), figure(measured[i]), published, book.Number(measured[i], fmt.Sprintf("%.0f (%.0f to %.0f)", measured[i], measured[i]*0.96, measured[i]*1.03)),
			book.Number(x/measured[i]*1e6, fmt.Sprintf("%.2f ms", x/measured[i]*1e3)), book.Text("complete"),
		})
	}
	return book.Book{
		ID: "20261121-k7mp", Name: "video cloud", Created: created, Title: "HBase of a video cloud: four region servers", Question: "How many threads should a client use?",
		State: book.Caution, Status: "complete, 1 verdict raised",
		Answer: []string{
			"Insert: throughput rises until 500 threads and is flat beyond, because the network of the clients is at its limit (94 % of 1 Gbit/s); use 500 threads.",
			"Read: throughput rises until 500 threads, 26,400 ops/s; the disks are busy 100 % of the time.",
		},
		Lead: []string{"Measured on benchd's sandbox, which is not HBase: never publish its speed as HBase's.", "- warning: agent b was client-bound from 12 s to 30 s"},
		Chapters: []book.Chapter{
			{Title: "All scenarios", Charts: []book.Chart{products, one}},
			{Title: "Scenario insert", Sheet: "insert", Text: []string{"Throughput rises until 500 threads."}, Charts: []book.Chart{sweep, curve}, Tables: []book.Table{table}},
			{Title: "Scenario read", Sheet: "r2: [read]/'only'*?", Text: []string{"No figures."}, Tables: []book.Table{table}},
			{Title: "Bottlenecks", Text: []string{"- network of the clients"}, Tables: []book.Table{{Columns: []book.Column{{Head: "verdict"}, {Head: "because"}}, Rows: [][]book.Cell{{book.Text("client_bound"), book.Text("=cmd|' /C calc'!A0 " + long())}}}}},
			{Title: "Provenance", Detail: true, Text: []string{"- benchd 1.0.0"}, Files: []book.File{{Name: "suite.yaml", Text: "suite: video cloud\n=1+1\n\tscenarios:\n- name: \x1b[31mred\n"}}},
		},
	}
}

func long() string { return strings.Repeat("agent b had 4 % of its processors idle, ", 40) }

func scaled(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = x * by
	}
	return out
}

func spread(values []float64) [][]float64 {
	out := make([][]float64, len(values))
	for i, x := range values {
		out[i] = []float64{x * 0.96, x, x * 1.03}
	}
	return out
}

// percentiles is a percentile curve.
func percentiles() book.Chart {
	var x, read, update []float64
	for _, p := range []float64{0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99} {
		x = append(x, p)
		read = append(read, 400*math.Pow(1/(1-p/100), 0.45))
		update = append(update, 900*math.Pow(1/(1-p/100), 0.3))
	}
	return book.Chart{
		Title: "Percentiles", How: "From the merged histograms of all agents.", Kind: book.Lines,
		X: book.Axis{Title: "Percentile", Unit: "%", Scale: book.Percentile}, Y: []book.Axis{{Title: "Response time", Unit: "µs", Scale: book.Log}},
		Series: []book.Series{{Name: "READ", Verbatim: true, X: x, Y: read}, {Name: "UPDATE", Verbatim: true, Y: update}},
	}
}

// run is a run with charts over time, a heat map and the figures of every interval.
func run() book.Book {
	const n = 600
	at, middle := make([]float64, n), make([]float64, n)
	operations := book.Table{
		Title: "Every interval: operations", How: "Response times of operations that succeeded, of all agents together.",
		Columns: []book.Column{{Head: "phase"}, {Head: "start", Unit: "s", Figure: true, Names: true}, {Head: "throughput", Unit: "ops/s", Figure: true, Names: true}, {Head: "READ p50", Unit: "µs", Figure: true, Names: true}, {Head: "READ p99", Unit: "µs", Figure: true, Names: true}},
	}
	speed, p50, p99, cpu := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		at[i], middle[i] = float64(i), float64(i)+0.5
		speed[i] = 41_000 + 1_500*math.Sin(float64(i)/9) + float64(i*7919%997)
		if i > 300 && i < 330 {
			speed[i] *= 0.3
		}
		p50[i] = 1e9 / speed[i] / 80
		p99[i] = p50[i] * (4 + float64(i*31%17)/10)
		cpu[i] = speed[i] / 600
		row := []book.Cell{book.Text("measure")}
		for _, x := range []float64{at[i], speed[i], p50[i], p99[i]} {
			row = append(row, book.Number(x, fmt.Sprint(x)))
		}
		operations.Rows = append(operations.Rows, row)
	}
	speed[17] = nan() // an interval without a value is a gap
	operations.Rows[17][2] = book.Cell{}
	marks := []book.Mark{
		{From: 0, To: 600, Kind: book.Phase, Label: "measure"},
		{From: 300, To: 312.5, Kind: book.Action, Label: "major_compact", Text: "took 12.5 s"},
		{From: 301, To: 331, Kind: book.Dip, Label: "−70 %", Text: "recovered after 30.0 s"},
		{From: 420, Kind: book.Event, Label: "split × 2", Text: "usertable,user5; usertable,user7"},
	}
	x := book.Axis{Title: "Time since the start of the measurement", Unit: "s"}
	over := func(title string, y book.Axis, series ...book.Series) book.Chart {
		return book.Chart{Title: title, How: "Interval by interval, of all agents together.", Kind: book.Time, Group: "S.1", X: x, Y: []book.Axis{y}, Series: series, Marks: marks}
	}
	heat := &book.Heat{}
	for i := range 121 {
		heat.X = append(heat.X, float64(i*5))
	}
	for i := range 31 {
		heat.Y = append(heat.Y, math.Round(100*math.Pow(10, float64(i)/10)))
	}
	for c := range 120 {
		column := make([]uint64, 30)
		for r := range column {
			d := float64(r) - 5 - 8*math.Exp(-math.Pow(float64(c-63)/3, 2))
			column[r] = uint64(40_000 * math.Exp(-d*d/4))
		}
		heat.Counts = append(heat.Counts, column)
	}
	density := over("Distribution of response times over time", book.Axis{Title: "Response time", Unit: "µs", Scale: book.Log})
	density.Kind, density.Heat = book.Density, heat
	phase := book.Table{
		Columns: []book.Column{{Head: "operation", Names: true}, {Head: "count", Figure: true}, {Head: "avg", Unit: "µs", Figure: true}, {Head: "p99", Unit: "µs", Figure: true}},
		Rows:    [][]book.Cell{{book.Text("READ"), book.Number(24_600_000, "24,600,000"), book.Number(305.4, "305 µs"), book.Number(1_420, "1.42 ms")}},
	}
	return book.Book{
		ID: "20261121-k7mp.1", Name: "read", Created: created, Title: "Read of ten million rows", State: book.Good, Status: "complete, no verdict raised",
		Answer: []string{"41,000 ops/s; a major compaction cost 70 % for 30 s."},
		Chapters: []book.Chapter{
			{Title: "measure", Text: []string{"600 s, closed loop."}, Tables: []book.Table{phase}},
			{Title: "Throughput and response times", Charts: []book.Chart{
				over("Throughput", book.Axis{Title: "Throughput", Unit: "ops/s"}, book.Series{Name: "all operations", X: middle, Y: speed}),
				over("Response time of READ", book.Axis{Title: "Response time", Unit: "µs", Scale: book.Log}, book.Series{Name: "p50", X: middle, Y: p50}, book.Series{Name: "p99", X: middle, Y: p99}),
				percentiles(), density,
			}},
			{Title: "Telemetry", Detail: true, Charts: []book.Chart{
				over("CPU", book.Axis{Title: "CPU", Unit: "%", Max: 100}, book.Series{Name: "rs1:16030", Verbatim: true, X: middle, Y: cpu}, book.Series{Name: "rs2:16030", Verbatim: true, X: middle, Y: scaled(cpu, 0.5), Hidden: true}),
			}},
		},
		Data: []book.Table{operations},
	}
}

// chinese is the run with Chinese texts.
func chinese() book.Book {
	texts := map[string]string{
		"Read of ten million rows": "读取一千万行", "complete, no verdict raised": "完成，无告警", "Throughput": "吞吐量", "Response time": "响应时间", "measure": "测量阶段",
		"41,000 ops/s; a major compaction cost 70 % for 30 s.":                 "吞吐量 41,000 ops/s；major compaction 期间下降 70 %，持续 30 s。",
		"Time since the start of the measurement":                              "测量开始后的时间",
		"Every interval: operations":                                           "每个时间窗口：操作",
		"Throughput and response times":                                        "吞吐量与响应时间",
		"Response times of operations that succeeded, of all agents together.": "所有 agent 成功操作的响应时间。",
	}
	return run().Map(func(s string) string {
		if t, ok := texts[s]; ok {
			return t
		}
		return s
	})
}

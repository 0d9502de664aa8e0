package svg_test

import (
	"math"
	"math/rand/v2"

	"github.com/benchd/benchd/internal/report/book"
)

// random is a source of the same numbers in every run.
func random(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1))
}

// sweep is a thread sweep with repeats, intervals, a fitted curve, published figures and a chosen number of threads.
func sweep() book.Chart {
	threads := []float64{10, 20, 25, 28, 30, 31, 32, 33, 35, 40}
	measured := []float64{42_800, 69_100, 77_000, 80_200, 81_400, 82_400, 83_500, 83_100, 81_300, 82_800}
	published := []float64{41_000, 66_000, 73_500, 77_000, 80_100, 80_900, 82_000, 80_500, 80_000, 79_900}
	r := random(1)
	s := book.Series{Name: "read only", Verbatim: true, X: threads, Y: measured}
	fitted := book.Series{Name: "fitted curve", Style: book.Dashed, X: threads}
	for i, y := range measured {
		s.Low, s.High = append(s.Low, y*0.97), append(s.High, y*1.03)
		s.Runs = append(s.Runs, []float64{y * (0.96 + 0.08*r.Float64()), y * (0.96 + 0.08*r.Float64()), y * (0.96 + 0.08*r.Float64())})
		fitted.Y = append(fitted.Y, 88_000*threads[i]/(threads[i]+7)*(1-threads[i]/900))
	}
	return book.Chart{
		Title: "Throughput over threads: read only, 10 M rows", How: "Mean of 3 repeats; bars: 95 % interval of the mean by Student's t; small points: repeats.",
		Kind: book.Lines, X: book.Axis{Title: "Threads"}, Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}},
		Series: []book.Series{s, fitted, {Name: "read only", Published: true, X: threads, Y: published}},
		Marks:  []book.Mark{{From: 28, To: 40, Kind: book.Chosen, Label: "plateau: use 28 threads"}},
		Limits: []book.Limit{{Value: 86_000, Label: "capacity of the network: 86 k ops/s"}},
	}
}

// percentiles is a chart of percentile curves.
func percentiles() book.Chart {
	x := []float64{0, 50, 75, 90, 95, 99, 99.9, 99.99, 100}
	return book.Chart{
		Title: "Response times by percentile", How: "Merged histograms of all repeats.", Kind: book.Lines,
		X: book.Axis{Title: "Percentile", Unit: "%", Scale: book.Percentile}, Y: []book.Axis{{Title: "Response time", Unit: "µs", Scale: book.Log}},
		Series: []book.Series{
			{Name: "READ", Verbatim: true, X: x, Y: []float64{160, 410, 520, 890, 1300, 4200, 31_000, 82_000, 140_000}},
			{Name: "UPDATE", Verbatim: true, X: x, Y: []float64{240, 690, 900, 1400, 2100, 5600, 22_000, 61_000, 95_000}},
			{Name: "READ, service time", Style: book.Dashed, X: x, Y: []float64{150, 380, 470, 610, 720, 1900, 9000, 30_000, 52_000}},
		},
		Limits: []book.Limit{{Value: 10_000, Label: "limit: p99 10 ms"}},
	}
}

// products is a chart of bars with measured and published figures.
func products() book.Chart {
	nan := math.NaN()
	return book.Chart{
		Title: "Throughput of the products", How: "Mean of 3 repeats; whiskers: lowest and highest repeat. Published figures are from another cluster.", Kind: book.Bars,
		X: book.Axis{Title: "Scenario", Categories: []string{"import", "bulk import", "read only", "balanced", "update mostly", "read latest"}},
		Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}},
		Series: []book.Series{
			{
				Name: "hbase", Verbatim: true, Y: []float64{55_000, 58_200, 9100, 8700, 21_000, 7400}, Low: []float64{52_000, 57_000, 8900, 8300, 20_000, 7100},
				High: []float64{57_000, 59_000, 9400, 9000, 22_500, 7700}, Runs: [][]float64{{52_000, 56_000, 57_000}, {57_000, 58_000, 59_000}, {8900, 9100, 9400}},
			},
			{Name: "hbase", Verbatim: true, Published: true, Y: []float64{55_000, 54_000, 9800, 9500, nan, 9900}},
			{Name: "null", Verbatim: true, Y: []float64{69_000, 187_000, 45_300, 14_200, 54_000, 39_000}},
			{Name: "null", Verbatim: true, Published: true, Y: []float64{70_000, 190_000, 45_000, 14_500, 55_000, 40_000}},
		},
	}
}

// cases is a chart of bars with long names.
func cases() book.Chart {
	c := book.Chart{
		Title: "p99 of the cases", How: "Median of the repeats' p99; points: repeats.", Kind: book.Bars,
		X: book.Axis{Title: "Case"}, Y: []book.Axis{{Title: "Response time", Unit: "µs"}},
		Series: []book.Series{{Name: "READ", Verbatim: true}, {Name: "INSERT", Verbatim: true}},
		Marks:  []book.Mark{{From: 2, Kind: book.Chosen, Label: "use this one"}},
		Limits: []book.Limit{{Value: 3000, Label: "limit 3 ms"}},
	}
	for i, name := range []string{"write-only-10-threads", "write-only-20-threads-pre-split-200", "mixed-read-17-insert-83-10-threads-with-a-very-long-name-indeed-that-has-no-end", "混合读写 80/20，预分区 200 个", "read-only-20"} {
		c.X.Categories = append(c.X.Categories, name)
		c.Series[0].Y = append(c.Series[0].Y, 900+400*float64(i))
		c.Series[1].Y = append(c.Series[1].Y, 1400+300*float64(i))
		c.Series[0].Runs = append(c.Series[0].Runs, []float64{850 + 400*float64(i), 900 + 410*float64(i), 960 + 430*float64(i)})
	}
	return c
}

// timeline is a chart over n seconds with k series, a gap, marks, and a right axis.
func timeline(n, k int) book.Chart {
	c := book.Chart{
		Title: "Throughput and p99 over time", How: "Each point is an interval of 1 s.", Kind: book.Time, Group: "run", X: book.Axis{Title: "Time", Unit: "s"},
		Y: []book.Axis{{Title: "Throughput", Unit: "ops/s"}, {Title: "p99", Unit: "µs"}},
	}
	for s := range k {
		r := random(uint64(s))
		series := book.Series{Name: "operation " + string(rune('A'+s)), Verbatim: true}
		level := 80_000 / (1 + 0.4*float64(s))
		if s > 0 && s == k-1 {
			series.Axis, series.Name, level = 1, "p99", 4000
		}
		for i := range n {
			if s == 0 {
				series.X = append(series.X, float64(i))
			}
			y := level * (0.95 + 0.1*r.Float64() + 0.03*math.Sin(float64(i)/60))
			if at := float64(i) / float64(n); at > 0.5 && at < 0.56 {
				y *= 0.3
			} else if at > 0.8 && at < 0.82 {
				y = math.NaN()
			}
			series.Y = append(series.Y, y)
		}
		c.Series = append(c.Series, series)
	}
	end := float64(n)
	c.Marks = []book.Mark{
		{From: 0, To: 0.1 * end, Kind: book.Phase, Label: "warm-up"},
		{From: 0.1 * end, To: end, Kind: book.Phase, Label: "measure"},
		{From: 0.5 * end, Kind: book.Action, Label: "kill regionserver rs-2", Text: "by the suite"},
		{From: 0.5 * end, To: 0.57 * end, Kind: book.Dip, Label: "dip to 31 %, recovered after 7 s"},
		{From: 0.505 * end, Kind: book.Event, Label: "rs-2 lost"},
		{From: 0.52 * end, Kind: book.Event, Label: "12 regions opened on rs-1"},
		{From: 0.97 * end, Kind: book.Event, Label: "split of region usertable,user5000"},
	}
	c.Limits = []book.Limit{{Value: 90_000, Label: "offered: 90 k ops/s"}}
	return c
}

// density is a heat map.
func density() book.Chart {
	c := book.Chart{
		Title: "Response times over time: READ", How: "Operations of each interval by response time.", Kind: book.Density,
		X: book.Axis{Title: "Time", Unit: "s"}, Y: []book.Axis{{Title: "Response time", Unit: "µs", Scale: book.Log}}, Heat: &book.Heat{},
		Marks: []book.Mark{{From: 300, Kind: book.Action, Label: "major compaction of usertable"}},
	}
	const columns, rows = 120, 48
	for i := range columns + 1 {
		c.Heat.X = append(c.Heat.X, float64(5*i))
	}
	for i := range rows + 1 {
		c.Heat.Y = append(c.Heat.Y, 100*math.Pow(10, float64(i)/12))
	}
	for i := range columns {
		counts := make([]uint64, rows)
		centre := 8.0
		if i > 60 && i < 80 {
			centre = 16
		}
		for k := range counts {
			d := float64(k) - centre
			counts[k] = uint64(40_000*math.Exp(-d*d/8) + 300*math.Exp(-math.Abs(float64(k)-24)/5))
		}
		c.Heat.Counts = append(c.Heat.Counts, counts)
	}
	return c
}

// chinese is a chart with Chinese texts.
func chinese() book.Chart {
	c := timeline(600, 3)
	c.Title, c.How = "吞吐量与 p99 随时间的变化", "每个点为 1 秒的间隔。"
	c.X.Title, c.Y[0].Title, c.Y[1].Title = "时间", "吞吐量", "响应时间 p99"
	for i, name := range []string{"读取", "更新", "p99（右轴）"} {
		c.Series[i].Name = name
	}
	for i, label := range []string{"预热", "测量", "终止 regionserver rs-2", "下降到 31 %，7 秒后恢复", "rs-2 丢失", "rs-1 上打开了 12 个 region", "region 分裂"} {
		c.Marks[i].Label = label
	}
	c.Limits[0].Label = "提供的负载：90 k ops/s"
	return c
}

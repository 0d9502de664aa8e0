package report_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// recordedRun is a run in a closed loop whose operations are all known: it is a Source of their histograms and of the operations.
type recordedRun struct{ run result.Run }

const (
	measuredWindows = 4
	measuredReads   = 3000 // of each agent in each window
)

// took is the time of a read: mostly about 800 µs, with a tail up to 25 ms.
func took(agent, window, i int) time.Duration {
	x := float64((i*7919+agent*31+window*17)%measuredReads) / measuredReads
	return time.Duration(800_000 * (1 + x/4 + 30*math.Pow(x, 40)))
}

func measuredSeries(agent, window int) []latency.Series {
	s := latency.Series{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: new(latency.Histogram), Service: new(latency.Histogram)}
	for i := range measuredReads {
		s.Response.Record(int64(took(agent, window, i)))
		s.Service.Record(int64(took(agent, window, i)))
	}
	return []latency.Series{s}
}

func recorded(t *testing.T) recordedRun {
	t.Helper()
	properties := map[string]string{"measurementtype": "hdrhistogram+raw"}
	run := build(t, result.Run{}, ycsb(t, properties), script{phase: "measure", loop: "closed", windows: measuredWindows, series: measuredSeries})
	run.Resolved["measurementtype"] = properties["measurementtype"]
	return recordedRun{run}
}

func (recordedRun) Histograms(_ context.Context, _ string, _ int, take func(report.Interval) error) error {
	for window := range measuredWindows {
		var merged latency.Merged
		for agent := range 3 {
			if err := merged.Add(measuredSeries(agent, window)); err != nil {
				return err
			}
		}
		if err := take(report.Interval{
			Phase: "measure", PhaseStart: planned, Start: time.Duration(window) * time.Second, End: time.Duration(window+1) * time.Second, Series: merged.Series(),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (r recordedRun) Logged(ctx context.Context, run string, take func(latency.LoggedInterval) error) error {
	return logged(ctx, r, run, take)
}

func (recordedRun) Points(_ context.Context, _ string, take func(report.Point) error) (report.Fetched, error) {
	for window := range measuredWindows {
		for agent := range 3 {
			for i := range measuredReads {
				d := took(agent, window, i)
				if err := take(report.Point{
					Agent: string(rune('a' + agent)), Phase: "measure", Key: latency.Key{Op: "READ", Outcome: "OK"},
					Done: planned.Add(time.Duration(window)*time.Second + time.Duration(i)*300*time.Microsecond), Response: d, Service: d,
				}); err != nil {
					return report.Fetched{}, err
				}
			}
		}
	}
	return report.Fetched{}, nil
}

// answer is what a reader finds in a format. NaN is a figure that it does not have.
type answer struct{ p99, count, throughput float64 }

// written are the files of a format, by their names.
func written(t *testing.T, d report.Document, source report.Source, format string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := report.NewFiles(false)
	defer files.Discard()
	w := report.Writer{Files: files, Dir: dir, Source: source, Targets: targets(), Warn: func(string) {}}
	require.NoError(t, w.Write(t.Context(), d, []string{format}), format)
	require.NoError(t, files.Commit())
	files.Discard()
	return contents(t, dir)
}

// One run has the same p99, count and throughput in every format, within the digits that the format prints. A new format needs a reader.
func TestAllFormatsHaveTheSameFigures(t *testing.T) {
	m := recorded(t)
	text, err := json.Marshal(m.run)
	require.NoError(t, err)
	var exact []float64
	for window := range measuredWindows {
		for agent := range 3 {
			for i := range measuredReads {
				exact = append(exact, float64(took(agent, window, i))/1000)
			}
		}
	}
	slices.Sort(exact)
	want := answer{p99: exact[len(exact)*99/100-1], count: float64(len(exact)), throughput: float64(len(exact)) / measuredWindows}
	readers := map[string]struct {
		read func(*testing.T, map[string]string) answer
		p99  float64 // relative difference that is allowed: of the printed digits, and 0.1 % of the histograms
	}{
		"md":       {readMarkdown, 0.006},
		"html":     {readHTML, 0.006},
		"xlsx":     {readWorkbook, 0.001},
		"json":     {readJSON, 0.001},
		"csv":      {readCSV, 0.001},
		"ycsb":     {readYCSB, 0.002},
		"hlog":     {readLogs, 0.002},
		"benchfmt": {readBenchmarks, 0.001},
		"raw":      {readPoints, 0.001},
		"junit":    {readJUnit, 0.001},
		"github":   {readGitHub, 0.006},
	}
	check := func(t *testing.T, got answer, p99 float64) {
		t.Helper()
		require.InEpsilon(t, want.p99, got.p99, p99, "p99 in µs")
		require.InDelta(t, want.count, got.count, 0, "count")
		if !math.IsNaN(got.throughput) {
			require.InEpsilon(t, want.throughput, got.throughput, 0.0001, "throughput")
		}
	}
	for _, format := range report.FormatNames() {
		t.Run(format, func(t *testing.T) {
			r, ok := readers[format]
			require.True(t, ok, "write a reader for this format")
			check(t, r.read(t, written(t, report.Document{ID: m.run.ID, Text: text, Run: m.run}, m, format)), r.p99)
		})
	}
	t.Run("terminal", func(t *testing.T) {
		page := printed(t, m.run, report.Options{})
		p99 := regexp.MustCompile(`READ +[\d,]+ .*`).FindString(page)
		head := strings.Fields(regexp.MustCompile(`operation +count.*`).FindString(page))
		cells := regexp.MustCompile(` {2,}`).Split(p99, -1)
		check(t, answer{p99: micros(t, cells[slices.Index(head, "p99")]), count: number(t, cells[1]), throughput: rateIn(t, page)}, 0.006)
	})
}

// number reads a number with thousands separators.
func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), ",", ""), 64)
	require.NoError(t, err, "%q", s)
	return x
}

// micros reads a time with its unit.
func micros(t *testing.T, s string) float64 {
	t.Helper()
	d, err := time.ParseDuration(strings.ReplaceAll(strings.TrimSpace(s), " ", ""))
	require.NoError(t, err, "%q", s)
	return float64(d) / 1000
}

// rateIn finds the throughput in the sentence of a phase.
func rateIn(t *testing.T, text string) float64 {
	t.Helper()
	m := regexp.MustCompile(`closed loop, [\d.]+ s, [\d,]+ ops, ([\d,]+) ops/s`).FindStringSubmatch(text)
	require.NotNil(t, m)
	return number(t, m[1])
}

// only is the file of a format that writes one.
func only(t *testing.T, files map[string]string, suffix string) string {
	t.Helper()
	var found []string
	for name := range files {
		if strings.HasSuffix(name, suffix) {
			found = append(found, name)
		}
	}
	require.Len(t, found, 1)
	return files[found[0]]
}

// inTable finds an operation in the table of latencies: the rows are those of all tables.
func inTable(t *testing.T, rows [][]string) (p99, count string) {
	t.Helper()
	var head []string
	for _, row := range rows {
		if slices.Contains(row, "operation") && slices.ContainsFunc(row, func(s string) bool { return strings.HasPrefix(s, "p99") }) {
			head = row
		}
		if head != nil && len(row) == len(head) && row[slices.Index(head, "operation")] == "READ" {
			at := func(name string) string {
				i := slices.IndexFunc(head, func(s string) bool { return s == name || strings.HasPrefix(s, name+" (") })
				require.GreaterOrEqual(t, i, 0, "%s in %q", name, head)
				return row[i]
			}
			return at("p99"), at("count")
		}
	}
	require.Fail(t, "no table of latencies has READ")
	return "", ""
}

func readMarkdown(t *testing.T, files map[string]string) answer {
	t.Helper()
	text := only(t, files, ".md")
	var rows [][]string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	p99, count := inTable(t, rows)
	return answer{micros(t, p99), number(t, count), rateIn(t, text)}
}

var (
	scriptElement = regexp.MustCompile(`(?s)<(script|style|svg)\b.*?</(script|style|svg)>`)
	rowElement    = regexp.MustCompile(`(?s)<tr\b[^>]*>(.*?)</tr>`)
	cellElement   = regexp.MustCompile(`(?s)<t[hd]\b[^>]*>(.*?)</t[hd]>`)
	element       = regexp.MustCompile(`<[^>]*>`)
)

// visible is the text of a piece of HTML.
func visible(s string) string {
	return strings.TrimSpace(html.UnescapeString(element.ReplaceAllString(s, "")))
}

func readHTML(t *testing.T, files map[string]string) answer {
	t.Helper()
	page := scriptElement.ReplaceAllString(only(t, files, ".html"), "")
	var rows [][]string
	for _, row := range rowElement.FindAllStringSubmatch(page, -1) {
		var cells []string
		for _, cell := range cellElement.FindAllStringSubmatch(row[1], -1) {
			cells = append(cells, visible(cell[1]))
		}
		rows = append(rows, cells)
	}
	p99, count := inTable(t, rows)
	return answer{micros(t, p99), number(t, count), rateIn(t, visible(page))}
}

// workbook are the cells of the sheets of an .xlsx file, and whether one has a formula.
func workbook(t *testing.T, text string) (rows [][]string, formulas []string) {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	type rich struct {
		T string `xml:"t"`
		R []struct {
			T string `xml:"t"`
		} `xml:"r"`
	}
	flat := func(r rich) string {
		parts := []string{r.T}
		for _, part := range r.R {
			parts = append(parts, part.T)
		}
		return strings.Join(parts, "")
	}
	read := func(name string, into any) {
		f, err := z.Open(name)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		require.NoError(t, xml.NewDecoder(f).Decode(into), name)
	}
	var shared struct {
		SI []rich `xml:"si"`
	}
	var sheets []string
	for _, f := range z.File {
		if f.Name == "xl/sharedStrings.xml" {
			read(f.Name, &shared)
		}
		if ok, _ := path.Match("xl/worksheets/*.xml", f.Name); ok {
			sheets = append(sheets, f.Name)
		}
	}
	for _, name := range sheets {
		var sheet struct {
			Rows []struct {
				C []struct {
					T  string `xml:"t,attr"`
					V  string `xml:"v"`
					F  string `xml:"f"`
					IS rich   `xml:"is"`
				} `xml:"c"`
			} `xml:"sheetData>row"`
		}
		read(name, &sheet)
		for _, r := range sheet.Rows {
			var row []string
			for _, c := range r.C {
				if c.F != "" {
					formulas = append(formulas, c.F)
				}
				switch c.T {
				case "s":
					i, err := strconv.Atoi(c.V)
					require.NoError(t, err)
					row = append(row, flat(shared.SI[i]))
				case "inlineStr":
					row = append(row, flat(c.IS))
				default:
					row = append(row, c.V)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, formulas
}

func readWorkbook(t *testing.T, files map[string]string) answer {
	t.Helper()
	rows, formulas := workbook(t, only(t, files, ".xlsx"))
	require.Empty(t, formulas)
	p99, count := inTable(t, rows)
	var all strings.Builder
	for _, row := range rows {
		all.WriteString(strings.Join(row, " ") + "\n")
	}
	return answer{number(t, p99), number(t, count), rateIn(t, all.String())}
}

func readJSON(t *testing.T, files map[string]string) answer {
	t.Helper()
	var run result.Run
	require.NoError(t, json.Unmarshal([]byte(only(t, files, ".json")), &run))
	o := run.Phases[0].Operations[0]
	return answer{*o.P99, float64(o.Count), run.Phases[0].Throughput}
}

func readCSV(t *testing.T, files map[string]string) answer {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(only(t, files, "-operations.csv"))).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		at := func(column string) string { return row[slices.Index(rows[0], column)] }
		if at("op") == "READ" && at("clock") == "response" {
			return answer{number(t, at("p99_us")), number(t, at("count")), number(t, at("phase_throughput"))}
		}
	}
	require.Fail(t, "no line of READ")
	return answer{}
}

func readYCSB(t *testing.T, files map[string]string) answer {
	t.Helper()
	text := only(t, files, ".ycsb.txt")
	at := func(metric, measurement string) float64 {
		m := regexp.MustCompile(`(?m)^\[` + metric + `\], ` + regexp.QuoteMeta(measurement) + `, (.*)$`).FindStringSubmatch(text)
		require.NotNil(t, m, "%s in %s", measurement, text)
		return number(t, m[1])
	}
	require.InDelta(t, at("HdrREAD", "99thPercentileLatency(us)"), at("RawREAD", "p99"), 0)
	return answer{at("HdrREAD", "99thPercentileLatency(us)"), at("HdrREAD", "Operations"), at("OVERALL", "Throughput(ops/sec)")}
}

// readLogs computes the percentile of the merged histograms again.
func readLogs(t *testing.T, files map[string]string) answer {
	t.Helper()
	var response strings.Builder
	for line := range strings.Lines(only(t, files, "-READ.hlog")) {
		if !strings.HasPrefix(line, "Tag=") {
			response.WriteString(line)
		}
	}
	r := hdrhistogram.NewHistogramLogReader(strings.NewReader(response.String()))
	all := hdrhistogram.New(1, latency.Highest, 3)
	seconds := 0.0
	for {
		h, err := r.NextIntervalHistogram()
		if h == nil || errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Zero(t, all.Merge(h))
		seconds += float64(h.EndTimeMs()-h.StartTimeMs()) / 1000
	}
	return answer{float64(all.ValueAtQuantile(99)) / 1000, float64(all.TotalCount()), float64(all.TotalCount()) / seconds}
}

func readBenchmarks(t *testing.T, files map[string]string) answer {
	t.Helper()
	all, _ := benchmarks(t, only(t, files, ".bench.txt"))
	phase, read := all[0], all[1]
	require.Equal(t, "workloada/phase=measure/op=READ", read.name)
	return answer{read.values["p99-sec"] * 1e6, float64(read.n), phase.values["ops/s"]}
}

// readPoints computes the percentile of all operations. Both files have all of them.
func readPoints(t *testing.T, files map[string]string) answer {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(only(t, files, "-raw.csv"))).ReadAll()
	require.NoError(t, err)
	var all []float64
	for _, row := range rows[1:] {
		all = append(all, number(t, row[slices.Index(rows[0], "response_ns")])/1000)
	}
	slices.Sort(all)
	require.Equal(t, len(all), strings.Count(only(t, files, ".raw.txt"), "\nREAD,"), "lines of the other file")
	return answer{all[len(all)*99/100-1], float64(len(all)), math.NaN()}
}

// The readers of this test find nothing in a report of another run.
func TestReadersOfFormatsSeeDifferences(t *testing.T) {
	m := recorded(t)
	m.run.Phases[0].Operations[0].Count++
	slower := *m.run.Phases[0].Operations[0].P99 * 1.01
	m.run.Phases[0].Operations[0].P99 = &slower
	text, err := json.Marshal(m.run)
	require.NoError(t, err)
	d := report.Document{ID: m.run.ID, Text: text, Run: m.run}
	for format, read := range map[string]func(*testing.T, map[string]string) answer{"md": readMarkdown, "csv": readCSV, "json": readJSON, "benchfmt": readBenchmarks} {
		got := read(t, written(t, d, m, format))
		require.InDelta(t, 36_001, got.count, 0, format)
		require.InEpsilon(t, slower, got.p99, 0.006, format)
	}
	var page bytes.Buffer
	require.NoError(t, report.Table(&page, m.run, report.Options{}))
	require.Contains(t, page.String(), "36,001")
}

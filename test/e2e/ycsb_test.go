//go:build integration

package e2e

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

var (
	ycsbLine   = regexp.MustCompile(`^\[([A-Z][A-Za-z0-9_%-]*)\], ([^,]+), (\S+)$`)
	statusLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} \d+ sec: \d+ operations; ` +
		`([0-9.E∞]+ current ops/sec; )?(est completion in [0-9a-z ]+ )?(\[[A-Z-]+: Count=\d+, Max=\d+, Min=\d+, Avg=[0-9.]+(, [0-9.]+=\d+)*\] )*$`)
)

// printed reads YCSB's output as scripts do: the last value of each metric's measurement.
func printed(t *testing.T, text string) map[string]float64 {
	t.Helper()
	values := make(map[string]float64)
	for line := range strings.Lines(text) {
		m := ycsbLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		require.NotNil(t, m, "%q", line)
		x, err := strconv.ParseFloat(m[3], 64)
		require.NoError(t, err)
		values[m[1]+" "+m[2]] = x
	}
	require.NotEmpty(t, values)
	return values
}

func TestYCSBsWorkloadsRunUnchanged(t *testing.T) {
	t.Parallel() // it waits most of the time
	for name, want := range map[string][]string{
		"a": {"READ", "UPDATE"}, "b": {"READ", "UPDATE"}, "c": {"READ"}, "d": {"READ", "INSERT"}, "e": {"SCAN", "INSERT"},
		"f": {"READ", "UPDATE", "READ-MODIFY-WRITE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"run", "--db", "null", "-o", "ycsb", "-P", ycsb + "workload" + name}
			stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", append(args, "--phase", "load")...)
			require.Zero(t, code, stderr)
			load := printed(t, stdout)
			require.InDelta(t, 1000, load["INSERT Return=OK"], 0)
			require.InDelta(t, 1, load["CLEANUP Operations"], 0)
			stdout, stderr, code = testcluster.Run(t, time.Minute, "benchctl", args...)
			require.Zero(t, code, stderr)
			values := printed(t, stdout)
			for _, op := range want {
				require.Positive(t, values[op+" Operations"], op)
			}
			require.Positive(t, values["OVERALL RunTime(ms)"])
		})
	}
}

// The command lines of a published report: its threads, its types of measurement, its status lines.
func TestAPublishedReportsCommandLinesWork(t *testing.T) {
	t.Parallel() // it waits most of the time
	args := []string{
		"run", "--db", "null", "-o", "ycsb", "-s", "-P", ycsb + "workloada", "-p", "threads=10", "-p", "recordcount=10000",
		"-p", "operationcount=20000", "-p", "table=usertable", "-p", "columnfamily=cf", "-p", "null.service=constant 1ms",
	}
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", append(args, "-p", "measurementtype=timeseries", "-p", "timeseries.granularity=2000")...)
	require.Zero(t, code, stderr)
	var output, statuses []string
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "[") {
			output = append(output, line)
		} else {
			statuses = append(statuses, line)
		}
	}
	require.NotEmpty(t, statuses, "a time series' status lines go to standard output too")
	values := printed(t, strings.Join(output, ""))
	require.InDelta(t, 20000, values["READ Operations"]+values["UPDATE Operations"], 0)
	require.InDelta(t, 10, values["CLEANUP Operations"], 0)
	require.Contains(t, values, "READ 0")
	require.Contains(t, values, "READ 2000")
	require.NotContains(t, values, "READ 95thPercentileLatency(us)")

	dir := t.TempDir()
	stdout, stderr, code = testcluster.Run(t, time.Minute, "benchctl", append(args, "-p", "measurementtype=raw", "-p", "measurement.raw.output_file="+dir+"/raw.txt")...)
	require.Zero(t, code, stderr)
	points, err := os.ReadFile(filepath.Join(dir, "raw.txt"))
	require.NoError(t, err)
	require.Equal(t, 20000+10+3, strings.Count(string(points), "\n"), "operations, sessions' ends, and the heads of READ, UPDATE and CLEANUP")
	require.Regexp(t, `(?m)^READ latency raw data: op, timestamp\(ms\), latency\(us\)\nREAD,\d{13},\d+$`, string(points))
	require.Contains(t, stdout, "[READ], Below is a summary of latency in microseconds:, -1\n")
	require.Contains(t, stdout, "[UPDATE], p99, ")

	stdout, stderr, code = testcluster.Run(t, time.Minute, "benchctl", append(args, "-p", "hdrhistogram.percentiles=50,99.5", "-p", "exportfile="+dir+"/out.txt",
		"-p", "status.interval=1", "-p", "label=", "-p", "hdrhistogram.fileoutput=true", "-p", "hdrhistogram.output.path="+dir+"/log-")...)
	require.Zero(t, code, stderr)
	require.Empty(t, stdout, "it is in the file")
	text, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	require.NoError(t, err)
	values = printed(t, string(text))
	require.Contains(t, values, "READ 99.5PercentileLatency(us)")
	var lines []string
	for line := range strings.Lines(stderr) {
		if statusLine.MatchString(strings.TrimSuffix(line, "\n")) {
			lines = append(lines, line)
		}
	}
	require.GreaterOrEqual(t, len(lines), 3, "one at once, one for each interval, one at the end: %s", stderr)
	require.Contains(t, lines[0], " 0 sec: 0 operations; est completion in ")
	require.Regexp(t, ` [1-9]\d* sec: `, lines[1])
	require.Contains(t, lines[len(lines)-1], "20000 operations; ")
	require.Contains(t, lines[len(lines)-1], "[CLEANUP: Count=10, ")
	require.EqualValues(t, values["READ Operations"], readLog(t, filepath.Join(dir, "log-READ.hdr"))[""].TotalCount())
}

// readLog reads a HdrHistogram log with HdrHistogram's own reader: the sums by tag.
func readLog(t *testing.T, path string) map[string]*hdrhistogram.Histogram {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	r := hdrhistogram.NewHistogramLogReader(f)
	sums := make(map[string]*hdrhistogram.Histogram)
	for {
		h, err := r.NextIntervalHistogram()
		require.NoError(t, err)
		if h == nil {
			return sums
		}
		if sums[h.Tag()] == nil {
			sums[h.Tag()] = hdrhistogram.New(1, latency.Highest, 3)
		}
		require.Zero(t, sums[h.Tag()].Merge(h))
	}
}

func TestReportsAgreeWithTheResult(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agents("a", "b")
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.service=lognormal 200us 0.5", "-p", "null.error.share=2%",
		"--target", "4000", "--threads", "8", "--duration", "3s", "--interval", "500ms", "--wait", "-o", "json")
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	dir := filepath.Join(t.TempDir(), "made")
	report := []string{"report", r.ID, "--format", "json,csv,ycsb,hlog", "--out", dir}
	stdout, stderr, code = h.Ctl(report...)
	require.Zero(t, code, stderr)
	for path := range strings.FieldsSeq(stdout) {
		require.FileExists(t, path)
	}
	text, err := os.ReadFile(filepath.Join(dir, r.ID+".json"))
	require.NoError(t, err)
	require.Equal(t, r, testcluster.Parse(t, string(text)))
	for _, o := range r.Phases[0].Operations {
		name := r.ID + "-measure-" + o.Op
		if o.Outcome != "OK" {
			name += "-" + o.Outcome
		}
		sums := readLog(t, filepath.Join(dir, name+".hlog"))
		same(t, o.Figures, sums[""])
		same(t, o.Service, sums["service"])
	}
	text, err = os.ReadFile(filepath.Join(dir, r.ID+".ycsb.txt"))
	require.NoError(t, err)
	require.InDelta(t, r.Phases[0].Operations[1].Count, printed(t, string(text))["READ Operations"], 0)

	_, stderr, code = h.Ctl(report...)
	require.NotZero(t, code)
	require.Contains(t, stderr, "--force")
	_, stderr, code = h.Ctl(append(report, "--force")...)
	require.Zero(t, code, stderr)
	_, stderr, code = h.Ctl("report", r.ID, "--format", "pdf", "--out", dir)
	require.Equal(t, 2, code)
	require.Contains(t, stderr, `unknown format "pdf": want md, html, xlsx, json, csv, ycsb, hlog, benchfmt, junit, github, raw`)
}

// same compares figures with a histogram in nanoseconds.
func same(t *testing.T, f result.Figures, h *hdrhistogram.Histogram) {
	t.Helper()
	require.NotNil(t, h)
	require.EqualValues(t, f.Count, h.TotalCount())
	for q, us := range map[float64]*float64{50: f.P50, 90: f.P90, 99: f.P99, 99.9: f.P999} {
		if us != nil {
			left := int64(math.Ceil(q / 100 * float64(f.Count))) // HdrHistogram's tools round ranks differently
			for _, bar := range h.Distribution() {
				if left -= bar.Count; left <= 0 {
					require.InEpsilon(t, *us*1000, bar.To, 0.002, "p%v", q)
					break
				}
			}
		}
	}
}

func TestAViolatedLimitEndsWithThree(t *testing.T) {
	t.Parallel() // it waits most of the time
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"rows that are not there": {[]string{"-p", "null.notfound.share=1%"}, "found no row"},
		"errors":                  {[]string{"-p", "null.error.share=5%", "-p", "limit.errors=2%"}, "failed; the limit is 2 %"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "--db", "null", "-p", "recordcount=1000", "--duration", "20s", "-p", "null.service=constant 100us"}, test.args...)
			stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", append(args, "-o", "json")...)
			require.Equal(t, 3, code, stderr)
			require.Contains(t, stderr, test.says)
			r := testcluster.Parse(t, stdout)
			require.Equal(t, result.Failed, r.Status)
			require.Less(t, r.Phases[0].Seconds, 10.0, "the run ends early")
		})
	}
}

func TestTheFirstMessageOfAnErrorIsShown(t *testing.T) {
	t.Parallel() // it waits most of the time
	args := []string{"run", "--db", "null", "-p", "recordcount=1000", "--threads", "2", "-p", "operationcount=5000", "-p", "null.error.share=5%", "-q"}
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "READ ERROR on agent local-1: simulated error")
	stdout, stderr, code = testcluster.Run(t, time.Minute, "benchctl", append(args, "-o", "ycsb")...)
	require.Zero(t, code, stderr)
	values := printed(t, stdout)
	require.InDelta(t, values["READ-FAILED Operations"], values["READ Return=ERROR"], 0)
	require.Positive(t, values["READ Return=ERROR"])
}

func TestRawPointsAddUpToTheResult(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	for _, name := range []string{"a", "b"} {
		h.Agent(name, "--spool", filepath.Join(t.TempDir(), "spool"))
	}
	h.Connected(2)
	stdout, stderr, code := h.Ctl("submit", "--db", "null", "-P", ycsb+"workloadf", "-p", "recordcount=1000", "-p", "null.service=lognormal 200us 0.5",
		"--phase", "load,run", "--target", "10000", "--threads", "8", "-p", "operationcount=30000", "-p", "null.error.share=1%",
		"-p", "core_workload_insertion_keep_going_on_error=true", "-p", "measurementtype=raw", "--wait", "-o", "json")
	require.Zero(t, code, stderr)
	r := testcluster.Parse(t, stdout)
	dir := t.TempDir()
	_, stderr, code = h.Ctl("report", r.ID, "--format", "raw", "--out", dir)
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "missing")
	file, err := os.Open(filepath.Join(dir, r.ID+"-raw.csv"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	response, service := make(map[string][]float64), make(map[string][]float64)
	for _, row := range rows[1:] {
		key := strings.Join(row[1:5], " ")
		for i, into := range map[int]map[string][]float64{6: response, 7: service} {
			ns, err := strconv.ParseFloat(row[i], 64)
			require.NoError(t, err)
			into[key] = append(into[key], ns/1000)
		}
	}
	seen := 0
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			partOf := ""
			if o.PartOf != nil {
				partOf = *o.PartOf
			}
			key := strings.Join([]string{p.Name, o.Op, o.Outcome, partOf}, " ")
			ranked(t, key, o.Figures, response[key])
			ranked(t, key, o.Service, service[key])
			seen++
		}
	}
	require.Len(t, response, seen)
	text, err := os.ReadFile(filepath.Join(dir, r.ID+".raw.txt"))
	require.NoError(t, err)
	require.Greater(t, strings.Count(string(text), "\n"), len(rows), "the lines, and heads")
}

// ranked checks figures against all that they were made of: counts exactly, ranks to the width of a bucket.
func ranked(t *testing.T, key string, f result.Figures, us []float64) {
	t.Helper()
	require.Len(t, us, int(f.Count), key)
	slices.Sort(us)
	require.InDelta(t, us[0], f.Min, 0.001, key)
	require.InDelta(t, us[len(us)-1], f.Max, 0.001, key)
	for q, got := range map[float64]*float64{0.5: f.P50, 0.9: f.P90, 0.95: f.P95, 0.99: f.P99, 0.999: f.P999} {
		if got != nil {
			require.InEpsilon(t, us[int(math.Ceil(q*float64(len(us))))-1], *got, 0.001, "%s p%v", key, 100*q)
		}
	}
}

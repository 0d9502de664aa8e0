package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// parsed is YCSB's output as a script reads it: the values by metric and measurement, and the order of the
// measurements of each metric.
type parsed struct {
	values map[string]map[string]float64
	order  map[string][]string
	blocks [][]string // the metrics of each invocation, in their order
}

var (
	ycsbLine = regexp.MustCompile(`^\[([A-Z][A-Za-z0-9_%-]*)\], ([^,]+), (\S+)$`)
	// An operation's lines, in their order: every percentile may be missing, and so may all returns.
	operationLines = regexp.MustCompile(`^Operations AverageLatency\(us\)( LatencyVariance\(us\))? MinLatency\(us\) MaxLatency\(us\)` +
		`( (\d*(1st|2nd|3rd|\dth)|\d+\.\d+)PercentileLatency\(us\))*( Return=[A-Z_]+)*$`)
	fractional = regexp.MustCompile(`^-?\d+\.\d+(E-?\d+)?$`)
)

// parseYCSB reads YCSB's text output. It follows the samples of YCSB's own output in testdata.
func parseYCSB(text string) (parsed, error) {
	p := parsed{values: make(map[string]map[string]float64), order: make(map[string][]string)}
	for line := range strings.Lines(text) {
		m := ycsbLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			return p, fmt.Errorf("line %q", line)
		}
		metric, measurement, value := m[1], m[2], m[3]
		if metric == "OVERALL" && measurement == "RunTime(ms)" {
			p.blocks = append(p.blocks, nil)
		}
		if len(p.blocks) == 0 {
			return p, fmt.Errorf("%s comes before OVERALL", metric)
		}
		block := &p.blocks[len(p.blocks)-1]
		key := metric
		if len(p.blocks) > 1 {
			key += "#" + strconv.Itoa(len(p.blocks))
		}
		if n := len(*block); n == 0 || (*block)[n-1] != key {
			if p.values[key] != nil {
				return p, fmt.Errorf("the lines of %s are not together", metric)
			}
			*block = append(*block, key)
			p.values[key] = make(map[string]float64)
		}
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return p, fmt.Errorf("line %q: %w", line, err)
		}
		whole := !strings.HasPrefix(measurement, "Average") && measurement != "LatencyVariance(us)" && measurement != "Throughput(ops/sec)" && measurement != "Time(%)"
		if whole == fractional.MatchString(value) {
			return p, fmt.Errorf("line %q: value in the wrong form", line)
		}
		p.values[key][measurement] = x
		p.order[key] = append(p.order[key], measurement)
	}
	for metric, measurements := range p.order {
		name, _, _ := strings.Cut(metric, "#")
		if name == "OVERALL" {
			if strings.Join(measurements, " ") != "RunTime(ms) Throughput(ops/sec)" {
				return p, errors.New("OVERALL has other lines")
			}
			continue
		}
		if !strings.HasPrefix(name, "TOTAL_GC") && !operationLines.MatchString(strings.Join(measurements, " ")) {
			return p, fmt.Errorf("%s has lines %q", metric, measurements)
		}
	}
	return p, nil
}

func writeYCSB(t *testing.T, properties map[string]string, scripts ...script) string {
	t.Helper()
	y := ycsb(t, properties)
	var out bytes.Buffer
	require.NoError(t, y.Write(&out, build(t, result.Run{}, y, scripts...)))
	return out.String()
}

// The parser reads YCSB's own output.
func TestParserReadsYCSB(t *testing.T) {
	for _, name := range []string{"load", "run"} {
		text, err := os.ReadFile(filepath.Join("testdata", "reference-"+name+".txt"))
		require.NoError(t, err)
		p, err := parseYCSB(string(text))
		require.NoError(t, err)
		require.Positive(t, p.values["OVERALL"]["RunTime(ms)"])
		require.InDelta(t, 1.0, p.values["CLEANUP"]["Operations"], 0)
	}
}

// Scripts that read YCSB's output read ours.
func TestYCSBText(t *testing.T) {
	warmup := mixed()
	warmup.phase = "warmup"
	text := writeYCSB(t, nil, load(), warmup, mixed())
	golden(t, "ycsb.txt", text)
	p, err := parseYCSB(text)
	require.NoError(t, err)
	require.Len(t, p.blocks, 2, "load and run, and no warm-up")
	require.Equal(t, []string{"measure CLEANUP from p95 on: 48 samples", "measure READ-FAILED from p50 on: 9 samples"},
		ycsb(t, nil).Omitted(build(t, result.Run{}, ycsb(t, nil), load(), warmup, mixed())))
	require.Contains(t, p.blocks[0], "INSERT")
	require.InDelta(t, 6000.0, p.values["INSERT"]["Operations"], 0)
	require.InDelta(t, 6000.0, p.values["INSERT"]["Return=OK"], 0)
	require.InDelta(t, 3000.0, p.values["OVERALL"]["Throughput(ops/sec)"], 0)

	run := p.values
	require.InDelta(t, 30000.0, run["READ#2"]["Operations"], 0, "reads count whatever they were part of")
	require.InDelta(t, 30000.0, run["READ#2"]["Return=OK"], 0)
	require.InDelta(t, 3.0, run["READ#2"]["Return=NOT_FOUND"], 0)
	require.InDelta(t, 6.0, run["READ#2"]["Return=TIMEOUT"], 0)
	require.InDelta(t, 9.0, run["READ-FAILED#2"]["Operations"], 0)
	require.Equal(t, []string{"Operations", "AverageLatency(us)", "MinLatency(us)", "MaxLatency(us)"}, p.order["READ-FAILED#2"],
		"of nine samples there is no percentile")
	require.InDelta(t, 6000.0, run["READ-MODIFY-WRITE#2"]["Operations"], 0)
	require.NotContains(t, run["READ-MODIFY-WRITE#2"], "Return=OK")
	require.InDelta(t, 6000.0, run["UPDATE#2"]["Operations"], 0)
	require.InDelta(t, 48.0, run["CLEANUP#2"]["Operations"], 0)
	require.NotContains(t, run["CLEANUP#2"], "Return=OK")
	overall := run["OVERALL#2"]
	require.InDelta(t, 30009*1000/overall["RunTime(ms)"], overall["Throughput(ops/sec)"], 1e-9)
}

// The clocks: service times under the plain names, response times under Intended- or instead of them.
func TestYCSBClocks(t *testing.T) {
	withVerify := mixed()
	inner := withVerify.series
	withVerify.series = func(shard, window int) []latency.Series {
		return append(inner(shard, window), samples("VERIFY", "OK", "READ", 100, 10))
	}
	read := func(clock string) parsed {
		p, err := parseYCSB(writeYCSB(t, map[string]string{"measurement.interval": clock}, withVerify))
		require.NoError(t, err)
		return p
	}
	op, intended, both := read("op").values, read("intended").values, read("both").values
	require.InDelta(t, 400.0, op["READ"]["MinLatency(us)"], 0)
	require.NotContains(t, op, "Intended-READ")
	require.Contains(t, op, "VERIFY")

	require.InDelta(t, 800.0, intended["READ"]["MinLatency(us)"], 0)
	require.Contains(t, intended["READ"], "Return=OK")
	require.NotContains(t, intended, "Intended-READ")
	require.NotContains(t, intended, "VERIFY")

	require.InDelta(t, 400.0, both["READ"]["MinLatency(us)"], 0)
	require.InDelta(t, 800.0, both["Intended-READ"]["MinLatency(us)"], 0)
	require.Contains(t, both["READ"], "Return=OK")
	require.NotContains(t, both["Intended-READ"], "Return=OK")
	require.Contains(t, both, "Intended-READ-FAILED")
	require.Contains(t, both, "VERIFY")
	require.NotContains(t, both, "Intended-VERIFY")
}

// hdrhistogram.percentiles decides which percentiles are printed, from merged histograms (law 1); those with too few
// samples are left out (law 6).
func TestYCSBPercentiles(t *testing.T) {
	p, err := parseYCSB(writeYCSB(t, map[string]string{"hdrhistogram.percentiles": "1, 75,99.9,99.999,100"}, load()))
	require.NoError(t, err)
	require.Equal(t, []string{
		"Operations", "AverageLatency(us)", "MinLatency(us)", "MaxLatency(us)",
		"1stPercentileLatency(us)", "75thPercentileLatency(us)", "100thPercentileLatency(us)", "Return=OK",
	}, p.order["INSERT"])
	require.InEpsilon(t, 350, p.values["INSERT"]["75thPercentileLatency(us)"], 0.005)

	// A result that was built for other percentiles has not kept what it takes.
	err = ycsb(t, map[string]string{"hdrhistogram.percentiles": "50,98"}).Write(io.Discard, build(t, result.Run{}, ycsb(t, nil), load()))
	require.EqualError(t, err, "write load of run S.1 as YCSB does: the result has no percentile 98: submit with -p hdrhistogram.percentiles=98")
	require.NoError(t, ycsb(t, map[string]string{"hdrhistogram.percentiles": "50,90,99.9,99.99"}).
		Write(io.Discard, build(t, result.Run{}, report.YCSB{}, load())), "those that every result has")
}

// Errors one by one, if requested.
func TestYCSBErrorsOneByOne(t *testing.T) {
	each, err := parseYCSB(writeYCSB(t, map[string]string{"reportlatencyforeacherror": "true"}, mixed()))
	require.NoError(t, err)
	require.InDelta(t, 3.0, each.values["READ-NOT_FOUND"]["Operations"], 0)
	require.InDelta(t, 6.0, each.values["READ-TIMEOUT"]["Operations"], 0)
	require.NotContains(t, each.values, "READ-FAILED")
	some, err := parseYCSB(writeYCSB(t, map[string]string{"latencytrackederrors": "ERROR, TIMEOUT"}, mixed()))
	require.NoError(t, err)
	require.InDelta(t, 6.0, some.values["READ-TIMEOUT"]["Operations"], 0)
	require.InDelta(t, 3.0, some.values["READ-FAILED"]["Operations"], 0)
}

// The two other exporters print the same figures as JSON.
func TestYCSBJSON(t *testing.T) {
	type object struct {
		Metric, Measurement string
		Value               float64
	}
	text := writeYCSB(t, nil, load())
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	same := func(objects []object) {
		t.Helper()
		require.Len(t, objects, len(lines))
		for i, o := range objects {
			require.True(t, strings.HasPrefix(lines[i], "["+o.Metric+"], "+o.Measurement+", "), lines[i])
		}
	}

	array := writeYCSB(t, map[string]string{"exporter": "site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter"}, load())
	golden(t, "ycsb-array.json", array)
	var objects []object
	require.NoError(t, json.Unmarshal([]byte(array), &objects))
	same(objects)

	stream := writeYCSB(t, map[string]string{"exporter": "site.ycsb.measurements.exporter.JSONMeasurementsExporter"}, load())
	golden(t, "ycsb-stream.json", stream)
	objects = nil
	for d := json.NewDecoder(strings.NewReader(stream)); ; {
		var o object
		err := d.Decode(&o)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		objects = append(objects, o)
	}
	same(objects)
}

// Means over time instead of percentiles.
func TestYCSBTimeSeries(t *testing.T) {
	text := writeYCSB(t, map[string]string{"measurementtype": "timeseries", "timeseries.granularity": "2000", "measurement.interval": "both"}, mixed())
	require.NotContains(t, text, "Percentile")
	lines := strings.Split(text, "\n")
	require.Contains(t, lines, "[READ], 0, 614.83")
	require.Contains(t, lines, "[READ], 2000, 614.83")
	require.Contains(t, lines, "[Intended-READ], 0, 1229.66")
	require.Contains(t, lines, "[READ-FAILED], 0, 2083383.3333333333")
	require.Contains(t, lines, "[READ], Return=OK, 30000")

	y := ycsb(t, map[string]string{"measurementtype": "sketch"})
	require.ErrorContains(t, y.Write(io.Discard, result.Run{ID: "S.1"}), "unknown measurementtype=sketch: want one of")
}

// The lines that YCSB prints after raw points, alone and with the percentiles.
func TestYCSBRaw(t *testing.T) {
	text := writeYCSB(t, map[string]string{"measurementtype": "raw"}, load())
	for _, line := range []string{
		"[INSERT], Total Operations, 6000", "[INSERT], Below is a summary of latency in microseconds:, -1", "[INSERT], Average, ",
		"[INSERT], Min, 200", "[INSERT], p1, 20", "[INSERT], p50, 30", "[INSERT], p99, 39", "[INSERT], Return=OK, 6000",
	} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, text, "p99.99", "of 6000 samples")
	text = writeYCSB(t, map[string]string{"measurementtype": "hdrhistogram+raw", "measurement.raw.no_summary": "true"}, load())
	require.Contains(t, text, "[HdrINSERT], 95thPercentileLatency(us), ")
	require.Contains(t, text, "[HdrINSERT], Return=OK, 6000")
	require.Contains(t, text, "[RawINSERT], Total Operations, 6000")
	require.NotContains(t, text, "summary")
}

// Buckets of milliseconds, alone and with the percentiles.
func TestYCSBHistogram(t *testing.T) {
	slow := load()
	slow.series = func(int, int) []latency.Series { return []latency.Series{samples("INSERT", "OK", "", 1000, 6000)} }
	text := writeYCSB(t, map[string]string{"measurementtype": "histogram"}, slow)
	p, err := parseYCSB(text)
	require.NoError(t, err)
	require.Equal(t, []string{
		"Operations", "AverageLatency(us)", "LatencyVariance(us)", "MinLatency(us)", "MaxLatency(us)",
		"95thPercentileLatency(us)", "99thPercentileLatency(us)", "Return=OK",
	}, p.order["INSERT"])
	require.InDelta(t, 5000, p.values["INSERT"]["95thPercentileLatency(us)"], 0)
	require.InEpsilon(t, 3000.0*3000/12, p.values["INSERT"]["LatencyVariance(us)"], 0.01, "service times are even over 3 ms")

	p, err = parseYCSB(writeYCSB(t, map[string]string{"measurementtype": "hdrhistogram+histogram", "histogram.buckets": "5"}, slow))
	require.NoError(t, err)
	require.NotContains(t, p.values, "INSERT")
	require.Contains(t, p.values["HdrINSERT"], "Return=OK")
	require.Contains(t, p.values["HdrINSERT"], "95thPercentileLatency(us)")
	require.NotContains(t, p.values["BucketINSERT"], "95thPercentileLatency(us)", "it is beyond the last bucket")
	require.NotContains(t, p.values["BucketINSERT"], "Return=OK")
}

// Throughput does not include operations after the end.
func TestYCSBOpenLoop(t *testing.T) {
	p, err := parseYCSB(writeYCSB(t, nil, offered(6000, 1000)))
	require.NoError(t, err)
	require.InDelta(t, 6000.0, p.values["OVERALL"]["Throughput(ops/sec)"], 1e-9)
	require.InDelta(t, 15006.0, p.values["READ"]["Operations"], 0)
	require.InDelta(t, 5000.0, p.values["OVERALL"]["RunTime(ms)"], 0)
}

// With client buffering RunTime lasts until the buffers have been sent, as in YCSB, and their operations count.
func TestYCSBBufferedWrites(t *testing.T) {
	run := result.Run{Resolved: map[string]string{"clientbuffering": "true"}, Phases: []result.Phase{{
		Name: "measure", Seconds: 10, Ops: 50_000, OpsAfter: 12_000, Series: []result.Point{
			{T: 0, Seconds: 10, Ops: 38_000},
			{T: 10, Seconds: 2.5, Ops: 12_000, Tail: true},
		},
	}}}
	y, err := report.ParseYCSB(nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, y.Write(&out, run))
	require.Contains(t, out.String(), "[OVERALL], RunTime(ms), 12500\n[OVERALL], Throughput(ops/sec), 4000.0\n")
	run.Resolved = nil
	out.Reset()
	require.NoError(t, y.Write(&out, run))
	require.Contains(t, out.String(), "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), 3800.0\n")
}

// YCSB's binding returns OK for a write that it has only buffered.
func TestYCSBPrintsBufferedWritesAsItsBindingDoes(t *testing.T) {
	run := result.Run{Resolved: map[string]string{"clientbuffering": "true"}, Phases: []result.Phase{{
		Name: "load", Seconds: 1, Combined: []result.Combined{{Name: "INSERT", Returns: map[string]uint64{"BATCHED_OK": 90, "OK": 3, "ERROR": 1}}},
	}}}
	y, err := report.ParseYCSB(nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, y.Write(&out, run))
	require.Contains(t, out.String(), "[INSERT], Return=ERROR, 1\n[INSERT], Return=OK, 93\n")
	require.NotContains(t, out.String(), "BATCHED_OK")
}

// A run without operations prints nothing, and one without a successful READ prints none.
func TestYCSBOfLittle(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, ycsb(t, nil).Write(&out, result.Run{}))
	require.Empty(t, out.String())
	failing := mixed()
	failing.series = func(int, int) []latency.Series { return []latency.Series{samples("READ", "ERROR", "", 1, 10)} }
	p, err := parseYCSB(writeYCSB(t, map[string]string{"measurement.interval": "both"}, failing))
	require.NoError(t, err)
	require.InDelta(t, 0.0, p.values["READ"]["Operations"], 0)
	require.InDelta(t, 12.0, p.values["READ"]["Return=ERROR"], 0)
	require.InDelta(t, 12.0, p.values["READ-FAILED"]["Operations"], 0)
	require.NotContains(t, p.values, "Intended-READ")
}

func TestParseYCSB(t *testing.T) {
	y := ycsb(t, map[string]string{
		"status": "true", "status.interval": "3", "label": "x ", "measurement.interval": "both", "hdrhistogram.percentiles": "50, 99.99",
		"exporter": "JSONArrayMeasurementsExporter",
	})
	require.Equal(t, report.YCSB{
		Clock: report.BothClocks, Percentiles: []float64{50, 99.99}, Exporter: report.JSONArray,
		Type: report.HdrHistogram, Granularity: time.Second, Buckets: 1000,
		Status: true, StatusInterval: 3 * time.Second, Label: "x ",
	}, y)
	for key, values := range map[string][]string{
		"measurement.interval":     {"never"},
		"hdrhistogram.percentiles": {"p99", "50,,99", "101", "-1", "NaN"},
		"status.interval":          {"0", "-1", "10s"},
		"exporter":                 {"org.example.Mine"},
		"timeseries.granularity":   {"0", "1s"},
		"histogram.buckets":        {"0", "many"},
	} {
		for _, value := range values {
			_, err := report.ParseYCSB(map[string]string{key: value})
			require.ErrorContains(t, err, key, value)
		}
	}
}

func FuzzParseYCSB(f *testing.F) {
	f.Add("op", "50,95,99", "10", "Text", "")
	f.Add("both", "99.9, 1e-300,100", "1", "site.ycsb.measurements.exporter.JSONMeasurementsExporter", "ERROR,TIMEOUT")
	f.Fuzz(func(t *testing.T, interval, percentiles, seconds, exporter, errs string) {
		y, err := report.ParseYCSB(map[string]string{
			"measurement.interval": interval, "hdrhistogram.percentiles": percentiles, "status.interval": seconds,
			"exporter": exporter, "latencytrackederrors": errs,
		})
		if err != nil {
			return
		}
		require.NotEmpty(t, y.Percentiles)
		require.Positive(t, y.StatusInterval)
		for _, p := range y.Percentiles {
			require.True(t, p >= 0 && p <= 100)
		}
		x := 1.0
		figures := result.Figures{Count: 1, Percentiles: make(map[string]*float64)}
		for _, p := range y.Percentiles {
			figures.Percentiles[result.PercentileName(p)] = &x
		}
		run := result.Run{Phases: []result.Phase{{Combined: []result.Combined{{Name: "READ", Figures: figures, Service: figures}}}}}
		require.NoError(t, y.Write(io.Discard, run))
	})
}

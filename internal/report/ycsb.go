package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Clock says which latencies YCSB's output tells (measurement.interval).
type Clock string

// The clocks.
const (
	OpClock       Clock = "op"       // service times
	IntendedClock Clock = "intended" // response times, from the intended instant
	BothClocks    Clock = "both"
)

// Exporter is the form of YCSB's output.
type Exporter string

// The exporters, by the classes' names without their common parts.
const (
	Text      Exporter = "Text"
	JSONs     Exporter = "JSON"      // one object after another
	JSONArray Exporter = "JSONArray" // one array of objects
)

// The types of measurement that can be written (measurementtype).
const (
	HdrHistogram = "hdrhistogram" // percentiles
	TimeSeries   = "timeseries"   // means over time
)

// YCSB is how YCSB's output is written.
type YCSB struct {
	Clock       Clock
	Type        string
	Percentiles []float64     // 0 to 100, in the order of output
	Granularity time.Duration // of a time series
	Exporter    Exporter
	Combine     result.Combine // as the result must have been built

	Status         bool // whether status lines are wanted
	StatusInterval time.Duration
	Label          string // what they begin with
}

// ParseYCSB reads the properties that shape YCSB's output; those that are not there have YCSB's defaults.
func ParseYCSB(properties map[string]string) (YCSB, error) {
	get := func(key, otherwise string) string {
		if v := strings.TrimSpace(properties[key]); v != "" {
			return v
		}
		return otherwise
	}
	y := YCSB{
		Clock:    Clock(get("measurement.interval", string(OpClock))),
		Combine:  result.Combine{EachError: get("reportlatencyforeacherror", "false") == "true"},
		Status:   get("status", "false") == "true",
		Type:     get("measurementtype", HdrHistogram),
		Exporter: exporterOf(get("exporter", string(Text))),
		Label:    properties["label"],
	}
	if !slices.Contains([]Clock{OpClock, IntendedClock, BothClocks}, y.Clock) {
		return YCSB{}, fmt.Errorf("measurement.interval=%s: op, intended or both is meant", y.Clock)
	}
	if !slices.Contains([]Exporter{Text, JSONs, JSONArray}, y.Exporter) {
		return YCSB{}, fmt.Errorf("exporter=%s: one of YCSB's TextMeasurementsExporter, JSONMeasurementsExporter and JSONArrayMeasurementsExporter is meant", get("exporter", ""))
	}
	for outcome := range strings.SplitSeq(get("latencytrackederrors", ""), ",") {
		if outcome = strings.TrimSpace(outcome); outcome != "" {
			y.Combine.Errors = append(y.Combine.Errors, outcome)
		}
	}
	for text := range strings.SplitSeq(get("hdrhistogram.percentiles", "50,95,99"), ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return YCSB{}, fmt.Errorf("hdrhistogram.percentiles: %q: a number from 0 to 100 is meant", text)
		}
		y.Percentiles = append(y.Percentiles, p)
	}
	var err error
	if y.StatusInterval, err = lengthOf("status.interval", get("status.interval", "10"), time.Second); err != nil {
		return YCSB{}, err
	}
	if y.Granularity, err = lengthOf("timeseries.granularity", get("timeseries.granularity", "1000"), time.Millisecond); err != nil {
		return YCSB{}, err
	}
	return y, nil
}

// lengthOf reads a whole number of units.
func lengthOf(key, text string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s=%s: a whole number above 0 is meant, in units of %s", key, text, unit)
	}
	return time.Duration(n) * unit, nil
}

// exporterOf knows an exporter by YCSB's class, with or without the package.
func exporterOf(class string) Exporter {
	return Exporter(strings.TrimSuffix(strings.TrimPrefix(class, "site.ycsb.measurements.exporter."), "MeasurementsExporter"))
}

// figure is one line of YCSB's output.
type figure struct {
	metric, measurement string
	value               string // as Java writes it
}

func integer[N int | int64 | uint64](metric, measurement string, n N) figure {
	return figure{metric, measurement, strconv.FormatInt(int64(n), 10)}
}

func double(metric, measurement string, x float64) figure {
	return figure{metric, measurement, javaDouble(x)}
}

// Write writes a run as YCSB would: load and measure phase one after the other, as the outputs of its two
// invocations. The warm-up, which YCSB does not know, is left out (law 5), and so are percentiles that there
// were too few samples for (law 6).
func (y YCSB) Write(w io.Writer, run result.Run) error {
	if y.Type != HdrHistogram && y.Type != TimeSeries {
		return fmt.Errorf("write run %s as YCSB does: measurementtype=%s: of YCSB's types %s and %s can be written",
			run.ID, y.Type, HdrHistogram, TimeSeries)
	}
	var figures []figure
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		figures = append(figures, overall(phase)...)
		series, err := y.series(phase)
		if err != nil {
			return fmt.Errorf("write %s of run %s as YCSB does: %w", phase.Name, run.ID, err)
		}
		figures = append(figures, series...)
	}
	if err := y.export(w, figures); err != nil {
		return fmt.Errorf("write run %s as YCSB does: %w", run.ID, err)
	}
	return nil
}

// Omitted names the series of which percentiles were left out because there were too few samples (law 6), so
// that who misses a line can be told why.
func (y YCSB) Omitted(run result.Run) []string {
	var out []string
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		for _, c := range phase.Combined {
			for _, p := range y.Percentiles {
				if us, known := figureOf(c.Service, p); known && us == nil && c.Count > 0 {
					out = append(out, fmt.Sprintf("%s %s from p%s on: %s samples", phase.Name, c.Name,
						result.PercentileName(p), result.Thousands(c.Count)))
					break
				}
			}
		}
	}
	return out
}

// overall are the lines before the operations. YCSB divides by whole milliseconds, and so do scripts that
// check it.
func overall(phase result.Phase) []figure {
	ms := max(int64(math.Round(phase.Seconds*1000)), 1)
	pauses, paused := 0, 0.0
	for _, g := range phase.Generators {
		pauses += g.GCPauses
		paused += g.GCPauseTotal
	}
	// Of several agents' time; YCSB knows only one process.
	share := 100 * paused / float64(ms) / float64(max(len(phase.Generators), 1))
	return []figure{
		integer("OVERALL", "RunTime(ms)", ms),
		double("OVERALL", "Throughput(ops/sec)", 1000*float64(phase.Ops-phase.OpsAfter)/float64(ms)),
		integer("TOTAL_GCS_Go", "Count", pauses),
		integer("TOTAL_GC_TIME_Go", "Time(ms)", int64(math.Round(paused))),
		double("TOTAL_GC_TIME_%_Go", "Time(%)", share),
		integer("TOTAL_GCs", "Count", pauses),
		integer("TOTAL_GC_TIME", "Time(ms)", int64(math.Round(paused))),
		double("TOTAL_GC_TIME_%", "Time(%)", share),
	}
}

func (y YCSB) series(phase result.Phase) ([]figure, error) {
	var out []figure
	if y.Clock == OpClock || y.Clock == BothClocks {
		for _, c := range phase.Combined {
			lines, err := y.latencies(c.Name, c.Service)
			if err != nil {
				return nil, err
			}
			out = append(append(out, lines...), returns(c)...)
			out = append(out, y.course(phase, c.Name, c.Name, OpClock)...)
		}
	}
	if y.Clock == OpClock {
		return out, nil
	}
	for _, c := range phase.Combined {
		if strings.HasPrefix(c.Name, "VERIFY") {
			continue // has no intended instant
		}
		name := c.Name
		if y.Clock == BothClocks {
			name = "Intended-" + name
			if c.Count == 0 {
				continue // there only to say how it failed
			}
		}
		lines, err := y.latencies(name, c.Figures)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
		if y.Clock == IntendedClock {
			out = append(out, returns(c)...)
		}
		out = append(out, y.course(phase, c.Name, name, IntendedClock)...)
	}
	return out, nil
}

// latencies are the lines of one series, in whole microseconds as YCSB measures.
func (y YCSB) latencies(name string, f result.Figures) ([]figure, error) {
	out := []figure{
		integer(name, "Operations", f.Count),
		double(name, "AverageLatency(us)", f.Mean),
		integer(name, "MinLatency(us)", int64(f.Min)),
		integer(name, "MaxLatency(us)", int64(f.Max)),
	}
	if y.Type == TimeSeries {
		return out, nil
	}
	for _, p := range y.Percentiles {
		us, known := figureOf(f, p)
		if !known {
			return nil, fmt.Errorf("the result has no percentile %s: submit with -p hdrhistogram.percentiles=%s",
				result.PercentileName(p), result.PercentileName(p))
		}
		if us != nil {
			out = append(out, integer(name, ordinal(p)+"PercentileLatency(us)", int64(*us)))
		}
	}
	return out, nil
}

// course are the means over time of the operations that are combined under a name, by milliseconds from the
// phase's start. Means of several points add up exactly, which percentiles would not.
func (y YCSB) course(phase result.Phase, combined, name string, clock Clock) []figure {
	if y.Type != TimeSeries {
		return nil
	}
	type mean struct {
		sum   float64
		count uint64
	}
	at := make(map[int64]mean)
	for _, point := range phase.Series {
		start := time.Duration(point.T * float64(time.Second)).Round(time.Microsecond).Truncate(y.Granularity)
		for _, o := range point.Operations {
			if y.Combine.Name(o.Op, o.Outcome) != combined {
				continue
			}
			us := o.Mean
			if clock == OpClock {
				us = o.ServiceMean
			}
			m := at[start.Milliseconds()]
			m.sum += us * float64(o.Count)
			m.count += o.Count
			at[start.Milliseconds()] = m
		}
	}
	out := make([]figure, 0, len(at))
	for _, ms := range slices.Sorted(maps.Keys(at)) {
		if m := at[ms]; m.count > 0 {
			out = append(out, double(name, strconv.FormatInt(ms, 10), m.sum/float64(m.count)))
		}
	}
	return out
}

// figureOf finds a percentile; known says whether the result has it at all.
func figureOf(f result.Figures, p float64) (us *float64, known bool) {
	if us, known = f.Percentiles[result.PercentileName(p)]; known {
		return us, true
	}
	for _, standard := range []struct {
		p  float64
		us *float64
	}{{50, f.P50}, {90, f.P90}, {95, f.P95}, {99, f.P99}, {99.9, f.P999}, {99.99, f.P9999}} {
		if p == standard.p {
			return standard.us, true
		}
	}
	return nil, false
}

// returns are the counts of outcomes. YCSB reports none of a READ-MODIFY-WRITE and of the CLEANUP.
func returns(c result.Combined) []figure {
	if c.Name == "READ-MODIFY-WRITE" || c.Name == "CLEANUP" {
		return nil
	}
	out := make([]figure, 0, len(c.Returns))
	for _, outcome := range slices.Sorted(maps.Keys(c.Returns)) {
		out = append(out, integer(c.Name, "Return="+outcome, c.Returns[outcome]))
	}
	return out
}

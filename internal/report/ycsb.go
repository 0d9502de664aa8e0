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

// YCSB is how YCSB's output is written.
type YCSB struct {
	Clock       Clock
	Percentiles []float64 // 0 to 100, in the order of output
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
	seconds := get("status.interval", "10")
	n, err := strconv.ParseUint(seconds, 10, 31)
	if err != nil || n == 0 {
		return YCSB{}, fmt.Errorf("status.interval=%s: a number of seconds is meant", seconds)
	}
	y.StatusInterval = time.Duration(n) * time.Second
	return y, nil
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

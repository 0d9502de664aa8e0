package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Clock selects the latencies of YCSB's output (measurement.interval).
type Clock string

// The clocks.
const (
	OpClock       Clock = "op"       // service times
	IntendedClock Clock = "intended" // response times, from the intended instant
	BothClocks    Clock = "both"
)

// Exporter is the format of YCSB's output.
type Exporter string

// The exporters, named as YCSB's classes without their common parts.
const (
	Text      Exporter = "Text"
	JSONs     Exporter = "JSON"      // one object after another
	JSONArray Exporter = "JSONArray" // one array of objects
)

// Type selects the figures of a series in YCSB's output (measurementtype).
type Type string

// The types. Combined types are written under names that begin with Hdr, Bucket and Raw.
const (
	HdrHistogram    Type = "hdrhistogram" // percentiles
	Buckets         Type = "histogram"    // percentiles to the millisecond, and the variance
	TimeSeries      Type = "timeseries"   // means over time
	RawPoints       Type = "raw"          // a summary of the points, which are written elsewhere
	HdrAndHistogram Type = "hdrhistogram+histogram"
	HdrAndRaw       Type = "hdrhistogram+raw"
)

// YCSB configures YCSB's output.
type YCSB struct {
	Clock       Clock
	Type        Type
	Percentiles []float64     // 0 to 100, in the order of output
	Granularity time.Duration // of a time series
	Buckets     int           // of Buckets, each of a millisecond; longer times are in none
	Exporter    Exporter
	Combine     result.Combine // as the result must have been built

	Status         bool // write status lines
	StatusInterval time.Duration
	Label          string // what they begin with

	NoSummary bool   // of raw points
	RawFile   string // the file that they are appended to; empty is standard output

	// ExportFile replaces standard output.
	ExportFile string
	// Logs requests log files of the histograms, whose names begin with LogPath.
	Logs    bool
	LogPath string
}

// ParseYCSB reads the properties of YCSB's output; absent ones have YCSB's defaults.
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
		Type:     Type(get("measurementtype", string(HdrHistogram))),
		Exporter: exporterOf(get("exporter", string(Text))),
		Label:    properties["label"],

		NoSummary: get("measurement.raw.no_summary", "false") == "true",
		RawFile:   get("measurement.raw.output_file", ""),

		ExportFile: get("exportfile", ""),
		Logs:       get("hdrhistogram.fileoutput", "false") == "true",
		LogPath:    properties["hdrhistogram.output.path"],
	}
	if !slices.Contains([]Clock{OpClock, IntendedClock, BothClocks}, y.Clock) {
		return YCSB{}, fmt.Errorf("measurement.interval=%s: want op, intended or both", y.Clock)
	}
	if !slices.Contains([]Exporter{Text, JSONs, JSONArray}, y.Exporter) {
		return YCSB{}, fmt.Errorf("exporter=%s: want YCSB's TextMeasurementsExporter, JSONMeasurementsExporter or JSONArrayMeasurementsExporter", get("exporter", ""))
	}
	for outcome := range strings.SplitSeq(get("latencytrackederrors", ""), ",") {
		if outcome = strings.TrimSpace(outcome); outcome != "" {
			y.Combine.Errors = append(y.Combine.Errors, outcome)
		}
	}
	for text := range strings.SplitSeq(get("hdrhistogram.percentiles", "50,95,99"), ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return YCSB{}, fmt.Errorf("hdrhistogram.percentiles: %q: want a number from 0 to 100", text)
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
	if y.Buckets, err = strconv.Atoi(get("histogram.buckets", "1000")); err != nil || y.Buckets < 1 {
		return YCSB{}, fmt.Errorf("histogram.buckets=%s: want a whole number above 0", get("histogram.buckets", ""))
	}
	return y, nil
}

// YCSBOf returns the configuration of a run's output from the run's settings.
func YCSBOf(run result.Run) (YCSB, error) {
	y, err := ParseYCSB(run.Resolved)
	if f := run.Provenance.Foreign; f != nil {
		return foreignYCSB(run, f), nil
	}
	if err != nil {
		return YCSB{}, fmt.Errorf("read settings of run %s: %w", run.ID, err)
	}
	return y, nil
}

// Kept are the percentiles that this output needs in a result.
func (y YCSB) Kept() []float64 {
	kept := slices.Clone(y.Percentiles)
	if y.Raw() {
		for _, p := range rawPercentiles() {
			if !slices.Contains(kept, p) {
				kept = append(kept, p)
			}
		}
	}
	return kept
}

// Raw reports whether single operations are requested.
func (y YCSB) Raw() bool { return y.Type == RawPoints || y.Type == HdrAndRaw }

// rawPercentiles are the percentiles in the summary of raw points.
func rawPercentiles() []float64 { return []float64{1, 5, 50, 90, 95, 99, 99.9, 99.99} }

// lengthOf parses a whole number of units.
func lengthOf(key, text string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%s=%s: want a whole number above 0, in units of %s", key, text, unit)
	}
	return time.Duration(n) * unit, nil
}

// exporterOf returns the exporter of a YCSB class name, with or without the package.
func exporterOf(class string) Exporter {
	return Exporter(strings.TrimSuffix(strings.TrimPrefix(class, "site.ycsb.measurements.exporter."), "MeasurementsExporter"))
}

// ycsbFigure is one line of YCSB's output.
type ycsbFigure struct {
	metric, measurement string
	value               string // as Java formats it
}

func integer[N int | int64 | uint64](metric, measurement string, n N) ycsbFigure {
	return ycsbFigure{metric, measurement, strconv.FormatInt(int64(n), 10)}
}

func double(metric, measurement string, x float64) ycsbFigure {
	return ycsbFigure{metric, measurement, javaDouble(x)}
}

// Write writes a run as YCSB would: load and measure phase one after the other, as the outputs of its two invocations.
// It leaves out the warm-up, which YCSB does not have (law 5), and percentiles with too few samples (law 6).
func (y YCSB) Write(w io.Writer, run result.Run) error {
	if types := []Type{HdrHistogram, Buckets, HdrAndHistogram, HdrAndRaw, RawPoints, TimeSeries}; !slices.Contains(types, y.Type) {
		return fmt.Errorf("write run %s as YCSB does: unknown measurementtype=%s: want one of %v", run.ID, y.Type, types)
	}
	var figures []ycsbFigure
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		all := overall(phase, run.Resolved["clientbuffering"] == "true")
		if run.Provenance.Foreign != nil {
			if len(phase.Combined) == 0 && len(phase.Operations) > 0 {
				return &NotHeldError{Run: run.ID, Format: "ycsb", What: "the operations as YCSB counts them"}
			}
			all = slices.DeleteFunc(all, func(f ycsbFigure) bool { return f.metric != "OVERALL" })
		}
		figures = append(figures, all...)
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

// Omitted names the series that lack percentiles for want of samples (law 6), so that a user learns why a line is
// missing.
func (y YCSB) Omitted(run result.Run) []string {
	var out []string
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		for _, c := range phase.Combined {
			for _, p := range y.Percentiles {
				if us, known := c.Service.Percentile(p); known && us == nil && c.Count > 0 {
					out = append(out, fmt.Sprintf("%s %s from p%s on: %s samples", phase.Name, c.Name,
						result.PercentileName(p), result.Thousands(c.Count)))
					break
				}
			}
		}
	}
	return out
}

// untilSent is the time in seconds until a phase sent its last buffer, which may be after the planned end.
func untilSent(phase result.Phase) float64 {
	end := phase.Seconds
	for _, p := range phase.Series {
		if p.Tail {
			end = max(end, p.T+p.Seconds)
		}
	}
	return end
}

// overall are the lines before the operations. YCSB divides by whole milliseconds, and so do scripts that
// check it. Where writes are buffered, its RunTime includes the time in which CLEANUP sends them.
func overall(phase result.Phase, buffered bool) []ycsbFigure {
	seconds, ops := phase.Seconds, phase.Ops-phase.OpsAfter
	if buffered {
		seconds, ops = untilSent(phase), phase.Ops
	}
	ms := max(int64(math.Round(seconds*1000)), 1)
	pauses, paused := 0, 0.0
	for _, g := range phase.Generators {
		pauses += g.GCPauses
		paused += g.GCPauseTotal
	}
	// Relative to the time of all agents; YCSB has only one process.
	share := 100 * paused / float64(ms) / float64(max(len(phase.Generators), 1))
	return []ycsbFigure{
		integer("OVERALL", "RunTime(ms)", ms),
		double("OVERALL", "Throughput(ops/sec)", 1000*float64(ops)/float64(ms)),
		integer("TOTAL_GCS_Go", "Count", pauses),
		integer("TOTAL_GC_TIME_Go", "Time(ms)", int64(math.Round(paused))),
		double("TOTAL_GC_TIME_%_Go", "Time(%)", share),
		integer("TOTAL_GCs", "Count", pauses),
		integer("TOTAL_GC_TIME", "Time(ms)", int64(math.Round(paused))),
		double("TOTAL_GC_TIME_%", "Time(%)", share),
	}
}

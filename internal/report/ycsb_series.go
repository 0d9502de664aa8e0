package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

func (y YCSB) series(phase result.Phase) ([]ycsbFigure, error) {
	var out []ycsbFigure
	if y.Clock == OpClock || y.Clock == BothClocks {
		for _, c := range phase.Combined {
			lines, err := y.written(phase, c, c.Name, OpClock, true)
			if err != nil {
				return nil, err
			}
			out = append(out, lines...)
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
				continue // it only has the outcomes of failures
			}
		}
		lines, err := y.written(phase, c, name, IntendedClock, y.Clock == IntendedClock)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	return out, nil
}

// written are the lines of one series by the type of measurement. Of two types together, the first has the counts of
// outcomes.
func (y YCSB) written(phase result.Phase, c result.Combined, name string, clock Clock, counts bool) ([]ycsbFigure, error) {
	f, outcomes := c.Figures, []ycsbFigure(nil)
	if clock == OpClock {
		f = c.Service
	}
	if counts {
		outcomes = returns(c)
	}
	switch y.Type {
	case TimeSeries:
		return slices.Concat(summaryOf(name, f), outcomes, y.course(phase, c.Name, name, clock)), nil
	case Buckets:
		return append(y.buckets(name, f), outcomes...), nil
	case RawPoints:
		return append(y.points(name, f), outcomes...), nil
	case HdrAndHistogram, HdrAndRaw:
		for i := range outcomes {
			outcomes[i].metric = "Hdr" + name
		}
		second := y.points("Raw"+name, f)
		if y.Type == HdrAndHistogram {
			second = y.buckets("Bucket"+name, f)
		}
		lines, err := y.latencies("Hdr"+name, f)
		return slices.Concat(lines, outcomes, second), err
	default:
		lines, err := y.latencies(name, f)
		return append(lines, outcomes...), err
	}
}

// summaryOf are the lines that all types but raw points have, in whole microseconds as YCSB measures.
func summaryOf(name string, f result.Figures) []ycsbFigure {
	return []ycsbFigure{
		integer(name, "Operations", f.Count),
		double(name, "AverageLatency(us)", f.Mean),
		integer(name, "MinLatency(us)", int64(f.Min)),
		integer(name, "MaxLatency(us)", int64(f.Max)),
	}
}

// points are the lines that YCSB prints after raw points.
func (y YCSB) points(name string, f result.Figures) []ycsbFigure {
	out := []ycsbFigure{integer(name, "Total Operations", f.Count)}
	if y.NoSummary || f.Count == 0 {
		return out
	}
	out = append(out,
		integer(name, "Below is a summary of latency in microseconds:", -1),
		double(name, "Average", f.Mean), integer(name, "Min", int64(f.Min)), integer(name, "Max", int64(f.Max)))
	for _, p := range rawPercentiles() {
		if us, known := f.Percentile(p); known && us != nil {
			out = append(out, integer(name, "p"+result.PercentileName(p), int64(*us)))
		}
	}
	return out
}

// buckets are the lines of a histogram of milliseconds. A percentile beyond its last bucket is unknown.
func (y YCSB) buckets(name string, f result.Figures) []ycsbFigure {
	out := slices.Insert(summaryOf(name, f), 2, double(name, "LatencyVariance(us)", f.Variance))
	for _, p := range []struct {
		ordinal string
		us      *float64
	}{{"95th", f.P95}, {"99th", f.P99}} {
		if p.us == nil {
			continue
		}
		if ms := int64(*p.us) / 1000; ms < int64(y.Buckets) {
			out = append(out, integer(name, p.ordinal+"PercentileLatency(us)", ms*1000))
		}
	}
	return out
}

// latencies are the lines of one series with its percentiles.
func (y YCSB) latencies(name string, f result.Figures) ([]ycsbFigure, error) {
	out := summaryOf(name, f)
	for _, p := range y.Percentiles {
		us, known := f.Percentile(p)
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

// course are the means over time of the operations combined under a name, by milliseconds from the phase's start. Unlike
// percentiles, means of several points combine exactly.
func (y YCSB) course(phase result.Phase, combined, name string, clock Clock) []ycsbFigure {
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
	out := make([]ycsbFigure, 0, len(at))
	for _, ms := range slices.Sorted(maps.Keys(at)) {
		if m := at[ms]; m.count > 0 {
			out = append(out, double(name, strconv.FormatInt(ms, 10), m.sum/float64(m.count)))
		}
	}
	return out
}

// returns are the counts of outcomes. YCSB prints none for READ-MODIFY-WRITE and CLEANUP.
func returns(c result.Combined) []ycsbFigure {
	if _, op := workload.SplitGroup(c.Name); op == "READ-MODIFY-WRITE" || op == "CLEANUP" {
		return nil
	}
	counts := make(map[string]uint64, len(c.Returns))
	for outcome, n := range c.Returns {
		if outcome == "BATCHED_OK" { // YCSB's bindings for HBase return OK for a write that is only buffered, and BasicDB always does
			outcome = "OK"
		}
		counts[outcome] += n
	}
	out := make([]ycsbFigure, 0, len(counts))
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, integer(c.Name, "Return="+outcome, counts[outcome]))
	}
	return out
}

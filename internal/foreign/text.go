package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/latency"
)

// clientLine begins the line of standard error that has YCSB's version.
const clientLine = "YCSB Client "

// isText reports whether some line is one of YCSB's output.
func isText(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			return false
		}
		if _, _, _, ok := figureLine(string(line)); ok || statusForm().Match(line) || rawHead(string(line)) != "" || bytes.HasPrefix(line, []byte(clientLine)) {
			return true
		}
	}
	return false
}

// figureLine splits a line such as "[READ], MaxLatency(us), 1214".
func figureLine(line string) (metric, measurement, value string, ok bool) {
	if !strings.HasPrefix(line, "[") {
		return "", "", "", false
	}
	metric, rest, ok := strings.Cut(line[1:], "], ")
	at := strings.LastIndex(rest, ", ")
	if !ok || at <= 0 || strings.ContainsAny(metric, " []") {
		return "", "", "", false
	}
	return metric, rest[:at], strings.TrimSpace(rest[at+2:]), true
}

// rawHead returns the operation of the line above raw points.
func rawHead(line string) string {
	name, found := strings.CutSuffix(line, " latency raw data: op, timestamp(ms), latency(us)")
	if !found || strings.ContainsAny(name, " ,[]") {
		return ""
	}
	return name
}

// text reads YCSB's output: standard output, standard error, or both in one file.
func (r *reader) text(f File) error {
	t := &textReader{reader: r, points: make(map[string]map[int64]uint64), heads: make(map[string]bool)}
	number := 0
	for line := range bytes.Lines(f.Content) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			return &lineError{f.Name, number, fmt.Errorf("%d characters: at most %d are read", len(line), maxLine)}
		}
		if err := t.line(string(line)); err != nil {
			return &lineError{f.Name, number, err}
		}
	}
	if err := t.endPoints(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

type textReader struct {
	*reader
	sheet  *sheet                      // of the lines that follow
	heads  map[string]bool             // operations with raw points
	points map[string]map[int64]uint64 // in microseconds, by operation
	read   int
	first  int64 // when the first and the last of them were, in milliseconds
	last   int64
}

func (t *textReader) line(line string) error {
	if metric, measurement, value, ok := figureLine(line); ok {
		if t.sheet == nil || metric == "OVERALL" && strings.HasPrefix(measurement, "RunTime") {
			if err := t.nextSheet(); err != nil {
				return err
			}
		}
		return t.figure(t.sheet, metric, measurement, value)
	}
	switch {
	case strings.HasPrefix(line, "Command line: "):
		t.commandLine(strings.TrimPrefix(line, "Command line: "))
		return nil
	case strings.HasPrefix(line, clientLine):
		t.ycsb, t.version = true, short(strings.TrimPrefix(line, clientLine))
		return nil
	case rawHead(line) != "":
		if len(t.heads) < maxMeasures {
			t.heads[rawHead(line)] = true
		}
		return nil
	}
	if s, ok, err := parseStatus(line); ok || err != nil {
		if err == nil && len(t.status) == maxPoints {
			err = fmt.Errorf("more than %d status lines", maxPoints)
		}
		t.status = append(t.status, s)
		return err
	}
	return t.point(line)
}

// nextSheet begins the result of a phase. Raw points are above the first one, and may be below it.
func (t *textReader) nextSheet() error {
	if t.sheet != nil {
		if err := t.endPoints(); err != nil {
			return err
		}
	}
	t.sheet = newSheet()
	if t.written = append(t.written, t.sheet); len(t.written) > maxSheets {
		return fmt.Errorf("more than %d results: give the files of one run", maxSheets)
	}
	return nil
}

// point reads a line such as "READ,1795251462211,17". Anything else is of another program.
func (t *textReader) point(line string) error {
	parts := strings.Split(line, ",")
	if len(parts) != 3 || !t.heads[parts[0]] {
		return nil
	}
	at, err := strconv.ParseUint(parts[1], 10, 50)
	if err != nil {
		return fmt.Errorf("invalid instant %q of a raw point: want milliseconds", clean(parts[1][:min(len(parts[1]), 40)]))
	}
	us, err := strconv.ParseUint(parts[2], 10, 40)
	if err != nil {
		return fmt.Errorf("invalid latency %q of a raw point: want microseconds", clean(parts[2][:min(len(parts[2]), 40)]))
	}
	if t.first, t.last = min(t.first, int64(at)), max(t.last, int64(at)); t.read == 0 {
		t.first, t.last = int64(at), int64(at)
	}
	name := plainName(parts[0])
	if t.points[name] == nil {
		if len(t.points) == maxMeasures {
			return fmt.Errorf("more than %d operations", maxMeasures)
		}
		t.points[name] = make(map[int64]uint64)
	}
	t.points[name][int64(us)]++
	t.read++
	return nil
}

// endPoints gives the raw points before a result, or behind the last one, to that result.
func (t *textReader) endPoints() error {
	if t.read == 0 {
		return nil
	}
	if t.sheet == nil {
		t.sheet = newSheet()
		t.written = append(t.written, t.sheet)
	}
	t.sheet.pointsTook = max(float64(t.last-t.first), t.sheet.pointsTook)
	for name, times := range t.points {
		m, err := t.sheet.measure(name)
		if err != nil {
			return err
		}
		list := make([]latency.Bucket, 0, len(times))
		for us, n := range times {
			list = append(list, latency.Bucket{Low: us * 1000, High: us * 1000, Count: n})
		}
		if m.exactly, err = merge(m.exactly, list); err != nil {
			return err
		}
	}
	clear(t.points)
	t.read = 0
	return nil
}

// plainName is a name without the prefix that combined measurement types give it.
func plainName(name string) string {
	for _, prefix := range []string{"Hdr", "Raw", "Bucket"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && (rest[0] >= 'A' && rest[0] <= 'Z') {
			return rest
		}
	}
	return name
}

// figure reads a figure of any exporter into a sheet.
func (r *reader) figure(s *sheet, metric, measurement, value string) error {
	switch {
	case metric == "OVERALL":
		return overall(s, measurement, value)
	case strings.HasPrefix(metric, "TOTAL_GC"):
		if metric == "TOTAL_GCS_Go" {
			r.own = true // benchd writes YCSB's output, too
		} else if strings.HasPrefix(metric, "TOTAL_GCS_") {
			r.ycsb = true
		}
		return nil
	case strings.HasPrefix(metric, "MAX_"), strings.HasPrefix(metric, "MIN_"):
		return nil // of the JVM
	}
	m, err := s.measure(plainName(metric))
	if err != nil {
		return err
	}
	if plainName(metric) != metric && !strings.HasPrefix(metric, "Hdr") && measurement != "LatencyVariance(us)" {
		return nil // a second measurement beside the histogram's, which counts at other instants and is less exact or the same
	}
	return m.figure(measurement, value)
}

func overall(s *sheet, measurement, value string) error {
	to, most := &s.milliseconds, maxSeconds*1000.0
	switch measurement {
	case "RunTime(ms)":
	case "Throughput(ops/sec)":
		to, most = &s.throughput, 1e12
	default:
		return nil
	}
	if value == "Infinity" || value == "NaN" {
		return errors.New("the throughput is " + value + ": nothing was measured")
	}
	x, err := number(value, most)
	if err != nil {
		return err
	}
	return set(to, x)
}

// percentileForm matches 99thPercentileLatency(us), 99.9PercentileLatency(us) and p99.9.
func percentileForm() *regexp.Regexp { return percentile }

var percentile = regexp.MustCompile(`^(?:p(\d{1,3}(?:\.\d{1,6})?)|(\d{1,3}(?:\.\d{1,6})?)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\))$`)

// figure reads a figure of an operation.
func (m *measure) figure(measurement, value string) error {
	if m.count != nil && *m.count == 0 && !strings.HasPrefix(measurement, "Return=") {
		return nil // of no operations YCSB prints the mean NaN and the largest number as minimum
	}
	var to **float64
	switch measurement {
	case "Operations", "Total Operations":
		n, err := whole(value)
		if err != nil {
			return err
		}
		return set(&m.count, n)
	case "AverageLatency(us)", "Average":
		to = &m.mean
	case "MinLatency(us)", "Min":
		to = &m.min
	case "MaxLatency(us)", "Max":
		to = &m.max
	case "LatencyVariance(us)":
		x, err := number(value, maxMicros*maxMicros)
		if err != nil {
			return err
		}
		if len(m.percentiles) == 0 {
			m.coarse = true // the percentiles that follow are of buckets of a millisecond
		}
		return set(&m.variance, x)
	}
	switch {
	case to != nil:
		x, err := number(value, maxMicros)
		if err != nil {
			return err
		}
		return set(to, x)
	case strings.HasPrefix(measurement, "Return="):
		outcome := strings.TrimPrefix(measurement, "Return=")
		n, err := whole(value)
		if err == nil {
			err = checkName(outcome)
		}
		if err == nil && len(m.returns) == maxMeasures {
			err = fmt.Errorf("more than %d outcomes", maxMeasures)
		}
		m.returns[outcome] = n
		return err
	case strings.HasPrefix(measurement, ">"):
		m.coarse = true
		return nil
	}
	if form := percentileForm().FindStringSubmatch(measurement); form != nil {
		return m.percentile(form[1]+form[2], form[3] == "ms", value)
	}
	if us, err := strconv.ParseInt(measurement, 10, 62); err == nil && us >= 0 && us <= maxMicros {
		return m.list(us, value)
	}
	return nil
}

func (m *measure) percentile(name string, milliseconds bool, value string) error {
	p, err := strconv.ParseFloat(name, 64)
	if err != nil || p > 100 {
		return fmt.Errorf("invalid percentile %q: want a number from 0 to 100", name)
	}
	x, err := number(value, maxMicros/1000)
	if err != nil {
		return err
	}
	if milliseconds {
		m.coarse = true
		x *= 1000
	}
	if before, twice := m.percentiles[p]; twice && before != x {
		return fmt.Errorf("percentile %s is there twice, as %g and %g µs", name, before, x)
	}
	if len(m.percentiles) == maxMeasures {
		return fmt.Errorf("more than %d percentiles", maxMeasures)
	}
	m.percentiles[p] = x
	return nil
}

// list reads a line with a number in place of a figure's name: how many operations took so many microseconds, or a mean over time.
func (m *measure) list(at int64, value string) error {
	x, err := number(value, maxMicros)
	if err != nil {
		return err
	}
	if len(m.listed) == maxBuckets {
		return fmt.Errorf("more than %d different times", maxBuckets)
	}
	if x == float64(uint64(x)) {
		m.listed[at] += uint64(x)
	} else {
		m.overTime = true
	}
	return nil
}

func short(s string) string {
	s = strings.TrimSpace(clean(s))
	return s[:min(len(s), 64)]
}

package latency

import (
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// significantDigits is the precision of our layout in HdrHistogram's terms.
const significantDigits = 3

// LogWriter writes histograms as a HdrHistogram interval log, version 1.3.
type LogWriter struct {
	out    io.Writer
	log    *hdrhistogram.HistogramLogWriter // for its comments
	start  time.Time
	unit   time.Duration
	encode LogEncoder
	line   []byte
}

// NewLogWriter writes the log's head to w; start is the instant that intervals are counted from.
func NewLogWriter(w io.Writer, start time.Time) (*LogWriter, error) {
	return newLogWriter(w, start, time.Nanosecond, "nanoseconds")
}

// NewMicrosWriter is NewLogWriter for values in microseconds, which are YCSB's.
func NewMicrosWriter(w io.Writer, start time.Time) (*LogWriter, error) {
	return newLogWriter(w, start, time.Microsecond, "microseconds")
}

func newLogWriter(w io.Writer, start time.Time, unit time.Duration, units string) (*LogWriter, error) {
	l := &LogWriter{out: w, log: hdrhistogram.NewHistogramLogWriter(w), start: start, unit: unit}
	// The head has only whole seconds. Intervals are written in milliseconds relative to the same whole second, so
	// nothing is lost.
	base := start.Truncate(time.Second).UnixMilli()
	l.log.SetBaseTime(base)
	for _, write := range []func() error{
		func() error { return l.log.OutputComment("[Logged by benchd; values in " + units + "]") },
		l.log.OutputLogFormatVersion,
		func() error { return l.log.OutputStartTime(base) },
		func() error { return l.log.OutputBaseTime(base) },
		l.log.OutputLegend,
	} {
		if err := write(); err != nil {
			return nil, fmt.Errorf("write head of histogram log: %w", err)
		}
	}
	return l, nil
}

// Write adds the interval from start to end, counted from the log's start. A tag, which may be empty, distinguishes the
// series; it must not contain commas or spaces. Overflow is counted at [Highest] and noted in a comment.
func (l *LogWriter) Write(tag string, start, end time.Duration, h *Histogram) error {
	logged, err := l.encode.encode(h, l.unit)
	if err != nil {
		return err
	}
	return l.WriteLogged(tag, start, end, &logged)
}

// WriteLogged is Write for a histogram that a LogEncoder encoded in the log's unit.
func (l *LogWriter) WriteLogged(tag string, start, end time.Duration, h *Logged) error {
	if strings.ContainsAny(tag, ", \t\r\n") {
		return fmt.Errorf("write interval of histogram log: invalid tag %q: it contains a comma or a space", tag)
	}
	if h.Overflow > 0 {
		comment := fmt.Sprintf("[Overflow: %d samples above %v are counted as %v in the next line; the longest took %v]",
			h.Overflow, time.Duration(Highest), time.Duration(Highest), time.Duration(h.Max))
		if err := l.log.OutputComment(comment); err != nil {
			return fmt.Errorf("write overflow to histogram log: %w", err)
		}
	}
	// The times are relative to the base of the log's head.
	base := l.start.Truncate(time.Second).UnixMilli()
	from, to := l.start.Add(start).UnixMilli()-base, l.start.Add(end).UnixMilli()-base
	line := l.line[:0]
	if tag != "" {
		line = append(append(append(line, "Tag="...), tag...), ',')
	}
	for _, number := range [...]float64{float64(from) / 1000, float64(to)/1000 - float64(from)/1000, float64(h.Highest) / hdrhistogram.MsToNsRatio} {
		line = append(strconv.AppendFloat(line, number, 'f', 6, 64), ',')
	}
	line = append(base64.StdEncoding.AppendEncode(line, h.Encoded), '\n')
	l.line = line
	if _, err := l.out.Write(line); err != nil {
		return fmt.Errorf("write interval of histogram log: %w", err)
	}
	return nil
}

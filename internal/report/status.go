package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// Status is one of YCSB's status lines: the progress of a phase, and the measurements since the last line.
type Status struct {
	At      time.Time // by the reader's clock
	Elapsed time.Duration
	Ops     uint64  // since the phase's start
	Rate    float64 // operations per second since the last line
	// Todo is how many operations are left; negative where time alone ends the phase.
	Todo int64
	// Remaining is how long they take at the phase's speed so far.
	Remaining time.Duration
	Combined  []result.Combined // since the last line
}

// StampStatus prefixes a status line with a label and an instant.
func StampStatus(label string, at time.Time, text string) string {
	return label + at.Format("2006-01-02 15:04:05") + fmt.Sprintf(":%03d ", at.Nanosecond()/int(time.Millisecond)) + text
}

// StatusText formats s without its label and instant.
func (y YCSB) StatusText(s Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sec: %d operations; ", int64(s.Elapsed/time.Second), s.Ops)
	if s.Ops != 0 {
		b.WriteString(javaDecimal(s.Rate) + " current ops/sec; ")
	}
	if s.Todo > 0 {
		b.WriteString("est completion in " + remaining(s.Remaining))
	}
	for _, c := range s.Combined {
		if c.Count == 0 {
			continue // YCSB has no series before its first sample
		}
		if y.Clock == OpClock || y.Clock == BothClocks {
			b.WriteString(summary(c.Name, c.Service))
		}
	}
	if y.Clock == OpClock {
		return b.String()
	}
	for _, c := range s.Combined {
		if c.Count == 0 || strings.HasPrefix(c.Name, "VERIFY") {
			continue
		}
		name := c.Name
		if y.Clock == BothClocks {
			name = "Intended-" + name
		}
		b.WriteString(summary(name, c.Figures))
	}
	return b.String()
}

// summary is one series in brackets. Percentiles with too few samples are left out (law 6).
func summary(name string, f result.Figures) string {
	parts := []string{
		"Count=" + strconv.FormatUint(f.Count, 10),
		"Max=" + strconv.FormatInt(int64(f.Max), 10),
		"Min=" + strconv.FormatInt(int64(f.Min), 10),
		"Avg=" + javaDecimal(f.Mean),
	}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99} {
		if us, known := f.Percentile(p); known && us != nil {
			parts = append(parts, result.PercentileName(p)+"="+strconv.FormatInt(int64(*us), 10))
		}
	}
	return "[" + name + ": " + strings.Join(parts, ", ") + "] "
}

// remaining formats a duration in the units that YCSB uses: days and hours, or hours and minutes, or seconds below a
// minute.
func remaining(d time.Duration) string {
	seconds := int64(max(d, 0) / time.Second)
	days, hours, minutes := seconds/86400, seconds/3600%24, seconds/60%60
	var b strings.Builder
	unit := func(n int64, name string) {
		if n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + " " + name)
			if n != 1 {
				b.WriteByte('s')
			}
			b.WriteByte(' ')
		}
	}
	unit(days, "day")
	unit(hours, "hour")
	if days == 0 {
		unit(minutes, "minute")
	}
	switch {
	case b.Len() > 0:
		return b.String()
	case seconds < 10: // YCSB chooses the plural by the number of digits
		return strconv.FormatInt(seconds, 10) + " second "
	}
	return strconv.FormatInt(seconds, 10) + " seconds "
}

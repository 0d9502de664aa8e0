package foreign

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// statusLine is a status line: the progress at an instant, and what was measured since the line before.
type statusLine struct {
	at       time.Time // by the clock of the machine, in an unknown zone
	ops      uint64
	measures []statusMeasure
}

type statusMeasure struct {
	name string // of YCSB
	result.PointOperation
}

func statusForm() *regexp.Regexp { return statusPattern }

var (
	statusPattern = regexp.MustCompile(`(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3}) \d{1,12} sec: (\d{1,18}) operations; `)
	bracket       = regexp.MustCompile(`\[([A-Za-z0-9_.-]{1,64}): (Count=[^\]]{1,400})\]`)
)

// parseStatus reads a line such as "2026-11-21 08:48:54:899 10 sec: 6 operations; … [READ: Count=1, Max=28, …]".
func parseStatus(line string) (s statusLine, ok bool, err error) {
	form := statusForm().FindStringSubmatch(line)
	if form == nil {
		return s, false, nil
	}
	stamp := form[1][:19] + "." + form[1][20:]
	if s.at, err = time.Parse("2006-01-02 15:04:05.000", stamp); err != nil {
		return s, false, fmt.Errorf("invalid instant %q of a status line", form[1])
	}
	if s.ops, err = whole(form[2]); err != nil {
		return s, false, err
	}
	for _, b := range bracket.FindAllStringSubmatch(line, maxMeasures) {
		m := statusMeasure{name: plainName(b[1])}
		if err := m.read(b[2]); err != nil {
			return s, false, fmt.Errorf("%s of a status line: %w", b[1], err)
		}
		if m.Count > 0 {
			s.measures = append(s.measures, m)
		}
	}
	return s, true, nil
}

// read reads "Count=1, Max=28, Min=28, Avg=28, 90=28". Of no operations, Avg is NaN and Min the largest number.
func (m *statusMeasure) read(text string) error {
	for i, part := range strings.Split(text, ", ") {
		name, value, _ := strings.Cut(part, "=")
		if i == 0 {
			n, err := whole(value)
			if err != nil {
				return err
			}
			m.Count = n
		}
		if m.Count == 0 {
			return nil
		}
		to := map[string]*float64{"Max": &m.Max, "Avg": &m.Mean}[name]
		q := map[string]float64{"50": 0.5, "99": 0.99}[name]
		if to == nil && q == 0 {
			continue
		}
		x, err := number(strings.ReplaceAll(value, ",", ""), maxMicros)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", clean(name), err)
		case to != nil:
			*to = x
		case m.Count < latency.MinSamples(q):
		case q == 0.5:
			m.P50 = &x
		default:
			m.P99 = &x
		}
	}
	return nil
}

// statusSeries is the series of a phase of so many seconds. The first line is printed soon after the start: how long its interval is
// follows from the last line, which is printed at the end, and the run time.
func statusSeries(lines []statusLine, seconds float64, operations func([]statusMeasure) []result.PointOperation) []result.Point {
	if len(lines) < 2 || lines[len(lines)-1].at.Sub(lines[0].at) <= 0 {
		return nil
	}
	out := []result.Point{}
	end := lines[len(lines)-1].at
	before, done := end.Add(-time.Duration(seconds*float64(time.Second))), uint64(0)
	for _, line := range lines {
		took := line.at.Sub(before).Seconds()
		if took <= 0 || line.ops < done {
			continue // it joins the next interval
		}
		begin := max(seconds-end.Sub(before).Seconds(), 0)
		out = append(out, result.Point{
			T: math.Round(begin*1000) / 1000, Seconds: took, Ops: line.ops - done, Operations: operations(line.measures),
		})
		before, done = line.at, line.ops
	}
	return out
}

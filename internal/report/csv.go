package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
)

// OperationsCSV writes a line for each operation with each outcome in each phase. A percentile with too few samples is
// empty.
func OperationsCSV(w io.Writer, run result.Run) error {
	percentiles := figure.Percentiles()
	head := []string{"run", "phase", "loop", "op", "outcome", "part_of", "clock", "count", "mean_us", "min_us", "max_us"}
	for _, p := range percentiles {
		head = append(head, p.Name+"_us")
	}
	t := newTable(w, append(head, "phase_seconds", "phase_throughput", "phase_offered")...)
	for _, phase := range run.Phases {
		for _, o := range phase.Operations {
			for _, clock := range []struct {
				name string
				result.Figures
			}{{"response", o.Figures}, {"service", o.Service}} {
				f := clock.Figures
				row := []string{run.ID, phase.Name, phase.Loop, o.Op, o.Outcome, deref(o.PartOf), clock.name, whole10(f.Count), exact(f.Mean), exact(f.Min), exact(f.Max)}
				for _, p := range percentiles {
					us, _ := f.Percentile(p.Percentile)
					row = append(row, known(us))
				}
				t.row(append(row, exact(phase.Seconds), exact(phase.Throughput), known(phase.Offered))...)
			}
		}
	}
	return t.end("run " + run.ID)
}

// SeriesCSV writes a line for each operation with each outcome in each interval.
func SeriesCSV(w io.Writer, run result.Run) error {
	t := newTable(w, "run", "phase", "t", "seconds", "tail", "op", "outcome", "part_of", "count", "mean_us", "p50_us", "p99_us", "max_us", "service_mean_us")
	for _, phase := range run.Phases {
		for _, point := range phase.Series {
			for _, o := range point.Operations {
				t.row(run.ID, phase.Name, exact(point.T), exact(point.Seconds), strconv.FormatBool(point.Tail), o.Op, o.Outcome, deref(o.PartOf),
					whole10(o.Count), exact(o.Mean), known(o.P50), known(o.P99), exact(o.Max), exact(o.ServiceMean))
			}
		}
	}
	return t.end("run " + run.ID)
}

// IncidentsCSV writes a line for each incident of each phase. Figures that were not determined are empty.
func IncidentsCSV(w io.Writer, run result.Run) error {
	t := newTable(w, "run", "phase", "loop", "t", "seconds", "kind", "cause", "outcome", "events", "before_ops", "before_low", "before_high", "before_intervals", "dip",
		"depth_percent", "worst_ops", "worst_at", "dip_at", "recovery_seconds", "measured_seconds", "lost_ops", "caught_up_ops", "errors", "because")
	for _, phase := range run.Phases {
		for _, i := range phase.Incidents {
			dip, worstAt := "", ""
			if i.Dip != nil {
				dip = strconv.FormatBool(*i.Dip)
			}
			if i.Worst != nil {
				worstAt = exact(i.WorstAt)
			}
			before := []string{"", "", "", ""}
			if b := i.Before; b != nil {
				before = []string{exact(b.Mean), known(b.Low), known(b.High), strconv.Itoa(b.Intervals)}
			}
			row := []string{run.ID, phase.Name, phase.Loop, exact(i.T), exact(i.Seconds), i.Kind, i.Cause, i.Outcome, strconv.Itoa(len(i.Events))}
			row = append(row, before...)
			t.row(append(row, dip, known(i.Depth), known(i.Worst), worstAt, known(i.DipAt), known(i.Recovery), exact(i.Measured),
				known(i.Lost), known(i.CaughtUp), whole10(errorsOf(i)), i.Because)...)
		}
	}
	return t.end("run " + run.ID)
}

// csvTable keeps the first error for the end.
type csvTable struct {
	w   *csv.Writer
	err error
}

func newTable(w io.Writer, head ...string) *csvTable {
	t := &csvTable{w: csv.NewWriter(w)}
	t.row(head...)
	return t
}

func (t *csvTable) row(cells ...string) {
	if t.err == nil {
		t.err = t.w.Write(csvRow(cells))
	}
}

// csvRow are cells that no spreadsheet calculates: programs that open CSV take a text that begins with = + - or @ for a formula, which can
// start a program. Such a text gets an apostrophe in front of it, as OWASP advises. Numbers stay as they are, and control characters become
// blanks, so that a row is a line.
func csvRow(cells []string) []string {
	for i, cell := range cells {
		cell = printable(cell)
		if formula(cell) {
			cell = "'" + cell
		}
		cells[i] = cell
	}
	return cells
}

// formula reports whether a spreadsheet would take a text for a formula, with characters of full width, too.
func formula(s string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, unicode.IsSpace))
	if !strings.ContainsRune("=+-@＝＋－＠", first) {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil
}

func (t *csvTable) end(of string) error {
	t.w.Flush()
	if t.err == nil {
		t.err = t.w.Error()
	}
	if t.err != nil {
		return fmt.Errorf("write %s as CSV: %w", of, t.err)
	}
	return nil
}

func whole10(n uint64) string { return strconv.FormatUint(n, 10) }

func exact(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func known(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

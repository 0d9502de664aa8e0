package conductor

import (
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/report"
)

// statusPatience is how long a status line waits for the windows of its interval.
const statusPatience = 3 * time.Second

// status makes YCSB's status lines of a run that was submitted with status=true: one at the start of each phase, one for
// each status.interval, and one at the end. It belongs to the conductor's loop.
type status struct {
	ycsb   report.YCSB
	phases []plan.Phase

	phase   plan.PhaseName // the current phase; empty before the first
	printed int            // intervals of the phase that have their line
	ops     uint64         // operations of the phase so far
	last    uint64         // ops at the last line
	lastAt  time.Duration  // end of the last line's interval
	until   time.Duration  // end of the newest window
	since   latency.Merged // windows since the last line
}

// statusLine is a line without its instant.
type statusLine struct {
	at   time.Time
	text string
}

func newStatus(r *record.Run) *status {
	if !r.YCSB.Status {
		return nil
	}
	return &status{ycsb: r.YCSB, phases: r.Phases}
}

// add adds a fresh window. The first window of a phase may come before the next tick.
func (s *status) add(w *latency.Window, at time.Time) ([]statusLine, error) {
	phase := plan.PhaseName(w.ID.Phase)
	lines := s.enter(phase, 0, at)
	if phase != s.phase {
		return lines, nil // its phase has its last line
	}
	s.ops += latency.Ops(w.Series)
	s.until = max(s.until, w.End)
	return lines, s.since.Add(w.Series)
}

// enter begins a phase and ends the one before it. ops is the number of operations of the phase before a restart of the
// coordinator.
func (s *status) enter(phase plan.PhaseName, ops uint64, at time.Time) []statusLine {
	index := func(name plan.PhaseName) int {
		return slices.IndexFunc(s.phases, func(p plan.Phase) bool { return p.Name == name })
	}
	if index(phase) <= index(s.phase) {
		return nil
	}
	lines := s.end(at)
	*s = status{ycsb: s.ycsb, phases: s.phases, phase: phase, ops: ops}
	return append(lines, s.line(0, at))
}

// advance returns the lines that are due after the time elapsed in the phase; complete is the end of the last interval
// for which all agents have sent windows.
func (s *status) advance(elapsed, complete time.Duration, at time.Time) []statusLine {
	var lines []statusLine
	every := s.ycsb.StatusInterval
	due := int(max(complete, elapsed-statusPatience) / every)
	// An agent whose windows are far ahead does not cause a line for each interval in between.
	s.printed = max(s.printed, due-maxStatuses)
	for s.printed < due {
		s.printed++
		lines = append(lines, s.line(time.Duration(s.printed)*every, at))
	}
	return lines
}

// end returns the last line of the phase.
func (s *status) end(at time.Time) []statusLine {
	if s.phase == "" {
		return nil
	}
	return []statusLine{s.line(max(s.until, s.lastAt), at)}
}

// line returns the line of the interval that ends now, and begins the next one.
func (s *status) line(elapsed time.Duration, at time.Time) statusLine {
	st := report.Status{At: at, Elapsed: elapsed, Ops: s.ops, Todo: -1}
	if passed := elapsed - s.lastAt; passed > 0 {
		st.Rate = float64(s.ops-s.last) / passed.Seconds()
	}
	if i := slices.IndexFunc(s.phases, func(p plan.Phase) bool { return p.Name == s.phase }); i >= 0 && s.phases[i].Ops > 0 {
		st.Todo = max(0, s.phases[i].Ops-int64(s.ops))
		if s.ops > 0 {
			st.Remaining = time.Duration(float64(elapsed) * float64(st.Todo) / float64(s.ops))
		}
	}
	combined, err := s.ycsb.Combine.Combined(s.since.Series())
	if err == nil { // these histograms were merged before
		st.Combined = combined
	}
	s.last, s.lastAt, s.since = s.ops, elapsed, latency.Merged{}
	return statusLine{at, s.ycsb.StatusText(st)}
}

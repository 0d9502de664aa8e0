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

// status makes YCSB's status lines of a run that was submitted with status=true: one at the start of each phase, one
// for each status.interval, one at the end. It belongs to the conductor's loop.
type status struct {
	ycsb   report.YCSB
	phases []plan.Phase

	phase   plan.PhaseName // whose lines are being made; empty before the first
	printed int            // intervals of it that have their line
	ops     uint64         // in it, up to now
	last    uint64         // ops at the last line
	lastAt  time.Duration  // up to where the last line goes
	until   time.Duration  // up to where windows go
	since   latency.Merged // since the last line
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

// add takes a window that is fresh. The first one of a phase may come before the clock has been looked at.
func (s *status) add(w *latency.Window, at time.Time) ([]statusLine, error) {
	phase := plan.PhaseName(w.ID.Phase)
	lines := s.enter(phase, 0, at)
	if phase != s.phase {
		return lines, nil // of a phase that has its last line
	}
	s.ops += latency.Ops(w.Series)
	s.until = max(s.until, w.End)
	return lines, s.since.Add(w.Series)
}

// enter begins a phase, in which there were ops before a restart of the coordinator, and ends the one before it.
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

// advance returns the lines that are due in the phase after so long; complete is how far the windows of all agents go.
func (s *status) advance(elapsed, complete time.Duration, at time.Time) []statusLine {
	var lines []statusLine
	every := s.ycsb.StatusInterval
	due := int(max(complete, elapsed-statusPatience) / every)
	// What is far behind, because an agent says that its windows are far ahead, is not made up for line by line.
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

// line describes the phase up to now, and begins the next interval.
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
	if err == nil { // of histograms that were merged before
		st.Combined = combined
	}
	s.last, s.lastAt, s.since = s.ops, elapsed, latency.Merged{}
	return statusLine{at, s.ycsb.StatusText(st)}
}

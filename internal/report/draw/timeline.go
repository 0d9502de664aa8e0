package draw

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// timeline lays the phases of a run on one axis of seconds. The main phase begins at 0, as in the texts of reports; what comes
// before it is negative. The time between two phases is left out.
type timeline struct {
	run   result.Run
	spans []span
	marks []book.Mark
}

// span is a phase on the axis.
type span struct {
	phase    *result.Phase
	from, to float64
}

func newTimeline(r result.Run) *timeline {
	l := &timeline{run: r}
	at, zero := 0.0, 0.0
	main := mainPhase(r)
	for i := range r.Phases {
		p := &r.Phases[i]
		length := lengthOf(p)
		if length <= 0 {
			continue
		}
		if p == main {
			zero = at
		}
		l.spans = append(l.spans, span{p, at, at + length})
		at += length
	}
	for i := range l.spans {
		l.spans[i].from -= zero
		l.spans[i].to -= zero
	}
	l.marks = l.allMarks()
	return l
}

// lengthOf is how long a phase lasted, without what was done after its planned end.
func lengthOf(p *result.Phase) float64 {
	length := p.Seconds
	for _, point := range p.Series {
		if !point.Tail {
			length = max(length, point.T+point.Seconds)
		}
	}
	return length
}

// main is the phase that the figures of the run are about, on the axis.
func (l *timeline) main() span {
	main := mainPhase(l.run)
	for _, s := range l.spans {
		if s.phase == main {
			return s
		}
	}
	return l.spans[len(l.spans)-1]
}

// chart is an empty chart over the time of the run.
func (l *timeline) chart(title, how string, y ...book.Axis) book.Chart {
	return book.Chart{Title: title, How: how, Kind: book.Time, Group: l.run.ID, X: l.axis(), Y: y, Marks: l.marks}
}

func (l *timeline) axis() book.Axis {
	a := secondsAxis()
	a.Title = "Time since the start of " + phaseTitle(l.main().phase.Name)
	return a
}

// framed makes a chart as long as the run, so that all charts over its time have the same axis, and gives series with the
// same times those of the first one.
func (l *timeline) framed(c book.Chart) book.Chart {
	if len(c.Series) == 0 {
		return c
	}
	from, to := rounded(l.spans[0].from), rounded(l.spans[len(l.spans)-1].to)
	x := c.Series[0].X
	before, after := x[0] > from, x[len(x)-1] < to
	pad := func(values []float64, first, last float64) []float64 {
		if before {
			values = append([]float64{first}, values...)
		}
		if after {
			values = append(slices.Clip(values), last)
		}
		return values
	}
	framed := pad(x, from, to)
	for i := range c.Series {
		s := &c.Series[i]
		if i > 0 && len(s.X) > 0 && !slices.Equal(s.X, x) {
			continue
		}
		s.X, s.Y = nil, pad(s.Y, math.NaN(), math.NaN())
	}
	c.Series[0].X = framed
	return c
}

// point is an interval of the series of a run, on the axis.
type point struct {
	*result.Point
	at float64
}

// points are the intervals of all phases, without what was done after a planned end, and without those that are much shorter
// than usual: so few operations say nothing about a rate.
func (l *timeline) points() []point {
	var out []point
	for _, s := range l.spans {
		usual := 0.0
		for i := range s.phase.Series {
			usual = max(usual, s.phase.Series[i].Seconds)
		}
		for i := range s.phase.Series {
			if p := &s.phase.Series[i]; !p.Tail && p.Seconds > 0 && p.Seconds >= usual/2 {
				out = append(out, point{p, rounded(s.from + p.T)})
			}
		}
	}
	return out
}

// rounded is a time in seconds with the precision of milliseconds.
func rounded(seconds float64) float64 { return math.Round(seconds*1e3) / 1e3 }

// phaseTitle is the name of a phase in the titles of axes.
func phaseTitle(name string) string {
	switch name {
	case "measure":
		return "the measurement"
	case "load":
		return "the load"
	case "warmup":
		return "the warm-up"
	}
	return name
}

package draw

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// mostCoursePoints bounds the points of a series over the time of a suite; more are averaged over equal times.
const mostCoursePoints = 2000

// coursed are the figures of telemetry that charts over the time of a suite show: those of whole machines and servers.
func coursed() []string {
	return []string{
		"cpu_busy_percent", "cpu_percent", "load1", "memory_used_percent", "net_received", "net_sent", "received", "sent", "disk_read", "disk_written",
		"disk_busy_percent", "block_cache_hit_percent", "requests",
	}
}

// turn is a run on the time axis of its suite.
type turn struct {
	*result.Run
	target, scenario string
	from, to         float64
}

// turns are the runs that began, in that order, from the start of the first one.
func turns(s result.Suite) []turn {
	of := make(map[string]result.Case)
	for _, c := range s.Cases {
		of[c.Name] = c
	}
	var out []turn
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Start != nil && len(r.Phases) > 0 {
			c := of[r.Case]
			out = append(out, turn{Run: r, target: c.Target, scenario: cmp.Or(c.Scenario, r.Case)})
		}
	}
	slices.SortStableFunc(out, func(a, b turn) int { return a.Start.Planned.Compare(b.Start.Planned) })
	var first time.Time
	for i := range out {
		if i == 0 {
			first = out[i].Start.Planned
		}
		out[i].from = out[i].Start.Planned.Sub(first).Seconds()
		out[i].to = out[i].from
		for _, p := range out[i].Phases {
			out[i].to += p.Seconds
		}
	}
	return out
}

// suiteCourse is what servers and their machines reported over the whole suite: a chart for each figure, a series for each target.
func suiteCourse(s result.Suite) []book.Chart {
	all := turns(s)
	if len(all) < 2 {
		return nil
	}
	names, units := courseFigures(all)
	var targets []string
	for _, t := range all {
		if !slices.Contains(targets, t.target) {
			targets = append(targets, t.target)
		}
	}
	var charts []book.Chart
	marks := scenarioMarks(all)
	for _, name := range names {
		how, title := "The sum over all sources that reported "+name, figureTitle(name)
		if averaged(units[name]) {
			how = "The mean over all sources that reported " + name
		}
		c := book.Chart{
			Title: title + " over the whole suite", Kind: book.Time, Group: s.ID, Marks: marks,
			How: how + ", while a target was loaded or measured. Marked are the scenarios.",
			X:   book.Axis{Title: "Time since the first run", Unit: "s"},
		}
		most, points := 0.0, 0
		for _, target := range targets {
			series := courseOf(all, name, target, averaged(units[name]))
			series.Name, series.Verbatim = cmp.Or(target, "all runs"), target != ""
			known := 0
			for _, y := range series.Y {
				if !math.IsNaN(y) {
					most, known = max(most, y), known+1
				}
			}
			points = max(points, known)
			if known > 0 {
				c.Series = append(c.Series, series)
			}
		}
		if points < leastCourse {
			continue
		}
		axis, _, _ := strings.Cut(title, " (")
		c.Y = []book.Axis{{Title: axis, Unit: unitOf(units[name])}}
		if per, ok := strings.CutPrefix(c.Y[0].Unit, "bytes"); ok {
			var scale float64
			c.Y[0].Unit, scale = bytesUnit(most, per)
			for _, one := range c.Series {
				for i := range one.Y {
					one.Y[i] /= scale
				}
			}
		}
		if c.Y[0].Unit == "%" && most <= 100 {
			c.Y[0].Max = 100
		}
		charts = append(charts, c)
	}
	return charts
}

// leastCourse is how many points a series needs to be a course.
const leastCourse = 3

// averaged reports whether a figure with this unit is averaged over servers, and not added up.
func averaged(unit string) bool { return unit == "percent" || unit == "1" || unit == "ms" }

// courseFigures are the figures of telemetry for charts, with their units: of those with one meaning, the one with the fewest sources.
// Those of the machines of agents are left out where those of servers were reported.
func courseFigures(all []turn) (names []string, units map[string]string) {
	units = make(map[string]string)
	sources := make(map[string]map[string]bool)
	ofServers := false
	for _, t := range all {
		for _, p := range t.Phases {
			for _, o := range p.Observations {
				if _, name := splitFigure(o.Name); len(o.Points) == 0 || !slices.Contains(coursed(), name) {
					continue
				}
				if sources[o.Name] == nil {
					sources[o.Name] = make(map[string]bool)
				}
				units[o.Name], sources[o.Name][o.Source] = o.Unit, true
				ofServers = ofServers || !strings.HasPrefix(o.Name, result.HostFigures)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		whose, figure := splitFigure(name)
		if ofServers && whose == result.HostFigures {
			continue
		}
		same := slices.IndexFunc(names, func(other string) bool {
			otherWhose, otherFigure := splitFigure(other)
			return otherFigure == figure && otherWhose != result.NodeFigures && whose != result.NodeFigures
		})
		switch {
		case same < 0:
			names = append(names, name)
		case len(sources[name]) < len(sources[names[same]]):
			names[same] = name
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		_, x := splitFigure(a)
		_, y := splitFigure(b)
		return cmp.Or(cmp.Compare(slices.Index(coursed(), x), slices.Index(coursed(), y)), cmp.Compare(a, b))
	})
	return names, units
}

// courseOf is a figure over the runs on a target, with a gap after each run.
func courseOf(all []turn, name, target string, mean bool) book.Series {
	var s book.Series
	for _, t := range all {
		if t.target != target {
			continue
		}
		at, some := t.from, false
		for i := range t.Phases {
			x, y := together(t.Phases[i].Observations, name, mean)
			for k := range x {
				s.X, s.Y = append(s.X, rounded(at+x[k])), append(s.Y, y[k])
				some = true
			}
			at += t.Phases[i].Seconds
		}
		if some {
			s.X, s.Y = append(s.X, rounded(at)), append(s.Y, math.NaN())
		}
	}
	return thinned(s)
}

// together is a figure of all sources in a phase, at the instants of the source with the most points: their sum or their mean.
func together(observations []result.Observation, name string, mean bool) (x, y []float64) {
	var sources [][][2]float64
	longest := 0
	for _, o := range observations {
		if o.Name == name && len(o.Points) > 0 {
			sources = append(sources, o.Points)
			if len(o.Points) > len(sources[longest]) {
				longest = len(sources) - 1
			}
		}
	}
	if len(sources) == 0 {
		return nil, nil
	}
	next := make([]int, len(sources))
	for _, p := range sources[longest] {
		sum := 0.0
		for i, points := range sources {
			for next[i]+1 < len(points) && math.Abs(points[next[i]+1][0]-p[0]) <= math.Abs(points[next[i]][0]-p[0]) {
				next[i]++
			}
			sum += points[next[i]][1]
		}
		if mean {
			sum /= float64(len(sources))
		}
		x, y = append(x, p[0]), append(y, sum)
	}
	return x, y
}

// thinned averages a series over equal times if it has too many points. Gaps stay.
func thinned(s book.Series) book.Series {
	if len(s.X) <= mostCoursePoints {
		return s
	}
	first, width := s.X[0], (s.X[len(s.X)-1]-s.X[0])/mostCoursePoints
	if width <= 0 {
		return s
	}
	out := book.Series{Name: s.Name, Verbatim: s.Verbatim}
	sum, n, cell := 0.0, 0.0, 0.0
	flush := func() {
		if n > 0 {
			out.X, out.Y = append(out.X, rounded(first+(cell+0.5)*width)), append(out.Y, sum/n)
		}
		sum, n = 0, 0
	}
	for i, x := range s.X {
		if at := math.Floor((x - first) / width); at != cell || math.IsNaN(s.Y[i]) {
			flush()
			cell = at
		}
		if math.IsNaN(s.Y[i]) {
			out.X, out.Y = append(out.X, x), append(out.Y, math.NaN())
			continue
		}
		sum, n = sum+s.Y[i], n+1
	}
	flush()
	return out
}

// scenarioMarks are spans of the scenarios; consecutive runs of one share a span.
func scenarioMarks(all []turn) []book.Mark {
	var marks []book.Mark
	for _, t := range all {
		if last := len(marks) - 1; last >= 0 && marks[last].Label == t.scenario {
			marks[last].To = rounded(t.to)
			continue
		}
		marks = append(marks, book.Mark{From: rounded(t.from), To: rounded(t.to), Kind: book.Phase, Label: t.scenario})
	}
	return marks
}

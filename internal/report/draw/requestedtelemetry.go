package draw

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// telemetry are the series of the requested telemetry: means over the measured phase of the runs of a case.
func (r *request) telemetry(groups []group, lines bool) []onAxis {
	at := position(lines)
	var out []onAxis
	for _, sum := range r.Telemetry {
		for _, g := range groups {
			for _, server := range r.servers(g.cases, sum) {
				s := book.Series{Name: strings.Trim(g.name+", "+server, ", "), Verbatim: true}
				unit := ""
				for _, p := range g.cases {
					m := unknown()
					for _, id := range p.Runs {
						if v, of, ok := meanTelemetry(r.runs[id], sum, server); ok {
							unit = of
							m.runs = append(m.runs, v)
						}
					}
					if len(m.runs) == 0 {
						continue
					}
					m.value, m.low, m.high = 0, slices.Min(m.runs), slices.Max(m.runs)
					for _, v := range m.runs {
						m.value += v / float64(len(m.runs))
					}
					s.X, s.Y = append(s.X, at(p)), append(s.Y, m.value)
					s.Low, s.High, s.Runs = append(s.Low, m.low), append(s.High, m.high), append(s.Runs, m.runs)
				}
				if len(s.Y) == 0 {
					continue
				}
				if len(r.Telemetry) > 1 || s.Name == "" {
					s.Name, s.Verbatim = strings.TrimPrefix(s.Name+", "+sumTitle(sum), ", "), false
				}
				if !slices.ContainsFunc(s.Runs, func(one []float64) bool { return len(one) > 1 }) {
					s.Low, s.High, s.Runs = nil, nil, nil
				}
				out = append(out, onAxis{s, r.telemetryAxis(sum, unit)})
			}
		}
	}
	return out
}

// sumTitle is the title of figures that are joined by +.
func sumTitle(sum string) string {
	var parts []string
	for name := range strings.SplitSeq(sum, " + ") {
		title, _, _ := strings.Cut(figureTitle(name), " (")
		parts = append(parts, title)
	}
	return strings.Join(parts, " + ")
}

// telemetryAxis is the axis of figures of telemetry; several have the name of the chart.
func (r *request) telemetryAxis(sum, unit string) book.Axis {
	title := sumTitle(sum)
	if len(r.Telemetry) > 1 || strings.Contains(sum, " + ") {
		title = r.Title
	}
	return book.Axis{Title: title, Unit: unitOf(unit)}
}

// servers are the sources of telemetry in the runs of cases, if there is a series for each, and otherwise one empty name.
func (r *request) servers(cases []place, sum string) []string {
	if r.By != plan.EachServer {
		return []string{""}
	}
	var out []string
	for _, p := range cases {
		for _, id := range p.Runs {
			if phase := measuredPhase(r.runs[id]); phase != nil {
				out = serversOf(out, *phase, sum)
			}
		}
	}
	slices.Sort(out)
	return out
}

// serversOf adds the servers that reported a figure in a phase.
func serversOf(out []string, phase result.Phase, sum string) []string {
	names := strings.Split(sum, " + ")
	for _, o := range phase.Observations {
		if server := serverOf(o.Source); slices.Contains(names, o.Name) && len(o.Points) > 0 && !slices.Contains(out, server) {
			out = append(out, server)
		}
	}
	return out
}

// serverOf is the server or machine of a source, which may be one of its devices: s1/sda, or s1{device="sda"}.
func serverOf(source string) string {
	if at := strings.IndexAny(source, "/{"); at > 0 {
		return source[:at]
	}
	return source
}

func measuredPhase(r *result.Run) *result.Phase {
	if r == nil {
		return nil
	}
	return mainPhase(*r)
}

// meanTelemetry is the mean of figures over the measured phase of a run: of one server, or of all if its name is empty. What is averaged
// and what is added up over sources follows from the unit.
func meanTelemetry(r *result.Run, sum, server string) (v float64, unit string, ok bool) {
	phase := measuredPhase(r)
	if phase == nil {
		return 0, "", false
	}
	for name := range strings.SplitSeq(sum, " + ") {
		total, sources := 0.0, 0
		for _, o := range phase.Observations {
			if o.Name != name || len(o.Points) == 0 || server != "" && serverOf(o.Source) != server {
				continue
			}
			for _, p := range o.Points {
				total += p[1] / float64(len(o.Points))
			}
			unit = o.Unit
			sources++
		}
		if sources == 0 {
			return 0, "", false
		}
		if averaged(unit) {
			total /= float64(sources)
		}
		v += total
	}
	return v, unit, true
}

// overTime are charts of telemetry over the time of a run of each case, the first one: a series for each server.
func (r *request) overTime() []book.Chart {
	var out []book.Chart
	for _, one := range r.cases {
		run := r.runs[one.Runs[0]]
		if run == nil {
			continue
		}
		l := newTimeline(*run)
		if len(l.spans) == 0 {
			continue
		}
		c := l.chart(r.Title, "As each server reported it: "+strings.Join(r.Telemetry, ", ")+". Run "+run.ID+".")
		if len(r.cases) > 1 {
			c.Title += ": " + one.Name
		}
		for _, chart := range r.finished(split(c, r.courses(l))) {
			out = append(out, l.framed(chart))
		}
	}
	return out
}

// courses are the series of the requested telemetry over the time of a run.
func (r *request) courses(l *timeline) []onAxis {
	var out []onAxis
	for _, sum := range r.Telemetry {
		var servers []string
		for _, s := range l.spans {
			servers = serversOf(servers, *s.phase, sum)
		}
		slices.Sort(servers)
		for _, server := range servers {
			s := book.Series{Name: server, Verbatim: true}
			if len(r.Telemetry) > 1 {
				s.Name, s.Verbatim = server+", "+sumTitle(sum), false
			}
			unit := ""
			for _, span := range l.spans {
				x, y, of := ofServer(span.phase.Observations, sum, server)
				unit = cmp.Or(of, unit)
				for i := range x {
					s.X, s.Y = append(s.X, rounded(span.from+x[i])), append(s.Y, y[i])
				}
			}
			if anyKnown(s.Y) {
				out = append(out, onAxis{thinned(s), r.telemetryAxis(sum, unit)})
			}
		}
	}
	return out
}

// ofServer is the sum of figures of one server in a phase, at the instants of the first of them.
func ofServer(observations []result.Observation, sum, server string) (x, y []float64, unit string) {
	for n, name := range strings.Split(sum, " + ") {
		var own []result.Observation
		for _, o := range observations {
			if o.Name == name && serverOf(o.Source) == server {
				own = append(own, o)
				unit = o.Unit
			}
		}
		oneX, oneY := together(own, name, averaged(unit))
		if n == 0 {
			x, y = oneX, oneY
			continue
		}
		for i := range x {
			if near := nearest(oneX, x[i]); near >= 0 {
				y[i] += oneY[near]
			}
		}
	}
	return x, y, unit
}

// nearest is the index of the value that is closest to v in ascending values; -1 if there are none.
func nearest(values []float64, v float64) int {
	if len(values) == 0 {
		return -1
	}
	i, _ := slices.BinarySearch(values, v)
	if i == len(values) || i > 0 && v-values[i-1] <= values[i]-v {
		i--
	}
	return i
}

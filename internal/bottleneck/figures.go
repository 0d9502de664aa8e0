package bottleneck

import (
	"cmp"
	"maps"
	"math"
	"net"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// figures are the points of a phase by figure and source.
type figures map[string]map[string][][2]float64

// newFigures collects the observations of a phase. The figures of an agent's machine become those of a server's machine if a
// server runs there, too.
func newFigures(p *result.Phase, shared []string) figures {
	f := make(figures)
	add := func(name, source string, points [][2]float64) {
		if f[name] == nil {
			f[name] = make(map[string][][2]float64)
		}
		f[name][source] = points
	}
	for _, o := range p.Observations {
		add(o.Name, o.Source, o.Points)
		agent, _, _ := strings.Cut(o.Source, "/")
		if base, ok := strings.CutPrefix(o.Name, result.HostFigures); ok && slices.Contains(shared, agent) {
			add(result.NodeFigures+base, o.Source, o.Points)
		}
	}
	return f
}

// sharedMachines lists the agents of a run on whose machines a server runs, by the addresses of the servers that reported
// figures.
func sharedMachines(run result.Run, p *result.Phase) []string {
	hosts := make(map[string]bool)
	for _, o := range p.Observations {
		if strings.HasPrefix(o.Name, result.HostFigures) || strings.HasPrefix(o.Name, result.NodeFigures) {
			continue
		}
		if host, _, err := net.SplitHostPort(o.Source); err == nil {
			hosts[host] = true
		}
	}
	var shared []string
	for _, a := range run.Provenance.Agents {
		short, _, _ := strings.Cut(a.Hostname, ".")
		for host := range hosts {
			ip := net.ParseIP(host)
			name, _, _ := strings.Cut(host, ".")
			if host == "localhost" || ip != nil && ip.IsLoopback() || ip == nil && short != "" && name == short {
				shared = append(shared, a.Name)
				break
			}
		}
	}
	return shared
}

// course is the values of a measure at the points of one source.
type course struct {
	source     string
	at, values []float64
}

// courses computes a measure for each source that reported all of its figures, in the order of their names.
func (f figures) courses(m descriptor.Measure) []course {
	var all []course
	for _, source := range slices.Sorted(maps.Keys(f[m.Figure])) {
		if c, ok := f.course(m, source); ok {
			all = append(all, c)
		}
	}
	return all
}

// course computes a measure for a source; false if it has not reported all of its figures.
func (f figures) course(m descriptor.Measure, source string) (course, bool) {
	c := course{source: source}
	for _, figure := range m.Figures() {
		if len(f[figure][source]) == 0 {
			return c, false
		}
	}
	for _, p := range f[m.Figure][source] {
		value := p[1]
		if m.Times != "" {
			value *= nearest(f[m.Times][source], p[0])
		}
		if m.Per != "" {
			value /= nearest(f[m.Per][source], p[0])
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		c.at, c.values = append(c.at, p[0]), append(c.values, value)
	}
	return c, true
}

// nearest is the value of the point that is nearest in time. The points are not empty.
func nearest(points [][2]float64, at float64) float64 {
	i, _ := slices.BinarySearchFunc(points, at, func(p [2]float64, at float64) int { return cmp.Compare(p[0], at) })
	if i == len(points) || i > 0 && at-points[i-1][0] <= points[i][0]-at {
		i--
	}
	return points[i][1]
}

// sum adds up the values of a figure of all sources that are nearest in time.
func (f figures) sum(figure string, at float64) float64 {
	total := 0.0
	for _, points := range f[figure] {
		if len(points) > 0 {
			total += nearest(points, at)
		}
	}
	return total
}

// near is the value of the course that is nearest in time; false if it has none.
func (c course) near(at float64) (float64, bool) {
	if len(c.at) == 0 {
		return 0, false
	}
	i, _ := slices.BinarySearch(c.at, at)
	if i == len(c.at) || i > 0 && at-c.at[i-1] <= c.at[i]-at {
		i--
	}
	return c.values[i], true
}

func (c course) mean() float64 {
	if len(c.values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range c.values {
		sum += v
	}
	return sum / float64(len(c.values))
}

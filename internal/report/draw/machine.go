package draw

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Machine has the curves of one server over the run: the one with the busiest processors among the watched machines, or else
// among the servers that report on themselves. It is empty if none reports its processors.
func Machine(r result.Run, o Options) (server string, charts []book.Chart) {
	l := newTimeline(r)
	if len(l.spans) == 0 {
		return "", nil
	}
	all := l.figures()
	for _, figure := range []string{result.NodeFigures + "cpu_busy_percent", "cpu_percent"} {
		busiest := -1.0
		for _, f := range all {
			_, name := splitFigure(f.name)
			for _, s := range f.sources {
				if (f.name == figure || name == figure) && s.mean > busiest {
					server, busiest = machineOf(s.source), s.mean
				}
			}
		}
		if server != "" {
			break
		}
	}
	if server == "" {
		return "", nil
	}
	for _, f := range all {
		if _, name := splitFigure(f.name); !slices.Contains(curvesOfMachine(), name) {
			continue
		}
		own := &figureOfRun{name: f.name, unit: f.unit, how: f.how}
		for _, s := range f.sources {
			if machineOf(s.source) == server {
				own.sources = append(own.sources, s)
			}
		}
		if own.longest() >= leastPoints {
			charts = append(charts, l.framed(l.figureChart(own, o)))
		}
	}
	return server, charts
}

// curvesOfMachine are the figures of one server that explain its load.
func curvesOfMachine() []string {
	return []string{
		"cpu_busy_percent", "cpu_percent", "load1", "node_load1", "node_load5", "net_received", "net_sent", "received", "sent",
		"disk_busy_percent", "disk_read", "disk_written", "disk_operations",
	}
}

// machineOf is the machine of a source: that of n1/sda or n1{device="sda"} is n1.
func machineOf(source string) string {
	if i := strings.IndexAny(source, "/{"); i > 0 {
		return source[:i]
	}
	return source
}

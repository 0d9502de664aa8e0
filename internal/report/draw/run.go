package draw

import "github.com/benchd/benchd/internal/result"

// Run makes the charts of a run.
func Run(r result.Run, o Options) Pictures {
	line := newTimeline(r)
	if len(line.spans) == 0 {
		return Pictures{}
	}
	h := o.Histograms[r.ID]
	p := Pictures{
		Course:    keep(line.throughput(), line.failures(), line.retries()),
		Telemetry: line.telemetry(o),
		Agents:    agents(line.main()),
	}
	p.Course = append(p.Course, line.responses(h)...)
	p.Distribution = keep(curve(line.main(), h))
	p.Distribution = append(p.Distribution, density(line, h)...)
	return p
}

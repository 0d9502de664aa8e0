package draw

import (
	"slices"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Run makes the charts of a run.
func Run(r result.Run, o Options) Pictures {
	line := newTimeline(r)
	if len(line.spans) == 0 {
		return Pictures{}
	}
	h := o.Histograms[r.ID]
	var p Pictures
	p.Course = slices.Concat(keep(line.throughput()), line.responses(h), keep(line.failures(), line.retries()))
	p.Telemetry, p.Details = line.telemetry(o)
	p.Distribution = append(keep(curve(line.main(), h)), density(line, h)...)
	p.Agents = agents(line.main())
	p.Course = slices.DeleteFunc(p.Course, func(c book.Chart) bool { return len(c.Series[0].Y) < 2 }) // a single point shows no change
	for _, charts := range [][]book.Chart{p.Course, p.Telemetry, p.Details} {
		for i := range charts {
			charts[i] = line.framed(charts[i])
		}
	}
	return p
}

package promexport

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/workload"
)

// Operations describes the series of operations.
type Operations struct {
	count, response, service *prometheus.Desc
}

// NewOperations names the series with a prefix such as "benchd": a coordinator's series are of all agents and an agent's
// are its own, and a sum of series must not count both.
func NewOperations(prefix string) Operations {
	labels := []string{"run", "phase", "group", "op", "outcome"}
	parts := []string{"run", "phase", "group", "op", "outcome", "part_of"}
	return Operations{
		count: prometheus.NewDesc(prefix+"_operations_total",
			"Operations by outcome, without the parts of larger operations.", labels, nil),
		response: prometheus.NewDesc(prefix+"_response_time_seconds",
			"Time from the intended instant of an operation to its end; part_of names the larger operation that it is a part of.", parts, nil),
		service: prometheus.NewDesc(prefix+"_service_time_seconds",
			"Time from the sending of an operation to its end; part_of names the larger operation that it is a part of.", parts, nil),
	}
}

// Names lists the names of the series.
func (o Operations) Names() []*prometheus.Desc {
	return []*prometheus.Desc{o.count, o.response, o.service}
}

// Metrics returns the metrics of a run's phase. It keeps no reference to the series.
func (o Operations) Metrics(run, phase string, series []latency.Series) []prometheus.Metric {
	const each = 3
	out := make([]prometheus.Metric, 0, each*len(series))
	for i := range series {
		s := &series[i]
		group, _ := workload.SplitGroup(s.Key.Op) // the label adds no series: the operation has the group's name
		if s.Key.PartOf == "" {
			out = append(out, Count(o.count, s.Response.Count(), run, phase, group, s.Key.Op, s.Key.Outcome))
		}
		labels := []string{run, phase, group, s.Key.Op, s.Key.Outcome, s.Key.PartOf}
		response := &histogram{desc: o.response, labels: prometheus.MakeLabelPairs(o.response, labels), body: convert(s.Response)}
		service := &histogram{desc: o.service, labels: prometheus.MakeLabelPairs(o.service, labels), body: response.body}
		if s.Service != s.Response {
			service.body = convert(s.Service)
		}
		out = append(out, response, service)
	}
	return out
}

// Count returns a counter.
func Count(desc *prometheus.Desc, n uint64, labels ...string) prometheus.Metric {
	return constant(desc, prometheus.CounterValue, float64(n), labels)
}

// Level returns a gauge.
func Level(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return constant(desc, prometheus.GaugeValue, value, labels)
}

// constant returns a constant metric; wrong labels turn the whole scrape into an error that names the metric.
func constant(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels []string) prometheus.Metric {
	m, err := prometheus.NewConstMetric(desc, kind, value, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return m
}

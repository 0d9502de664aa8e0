package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// phase makes the phase of a result.
func (p *part) phase(r *reader) (result.Phase, error) {
	out := result.Phase{
		Name: p.name, Operations: []result.Operation{}, Series: []result.Point{}, Observations: []result.Observation{}, Events: []result.Event{},
		Generators: []result.Generator{},
	}
	if err := p.addLogs(); err != nil {
		return out, err
	}
	if p.sheet != nil {
		if err := p.sheet.settle(r); err != nil {
			return out, err
		}
		out.Combined = p.sheet.combined(p.clocks)
		out.Operations = p.sheet.operations(r, p.clocks)
	}
	own, err := p.ownOperations()
	if err != nil {
		return out, err
	}
	out.Operations = append(out.Operations, own...)
	slices.SortStableFunc(out.Operations, func(a, b result.Operation) int {
		return cmp.Or(strings.Compare(a.Op, b.Op), strings.Compare(b.Outcome, a.Outcome))
	})
	if err := p.total(r, &out); err != nil {
		return out, err
	}
	out.Series = append(out.Series, p.series(out.Seconds)...)
	return out, nil
}

// total sets the length of a phase, its operations and its throughput.
func (p *part) total(r *reader, out *result.Phase) error {
	counted := p.counted(out.Operations)
	begin, end := p.extent()
	switch s := p.sheet; {
	case s != nil && s.milliseconds != nil:
		out.Seconds = *s.milliseconds / 1000
	case end > begin:
		out.Seconds = math.Round((end-begin)*1000) / 1000 // as exact as the logs
		r.warn("%s: no file has the run time: it is taken from the first interval of the logs to the last", p.name)
	case s != nil && s.pointsTook > 0:
		out.Seconds = s.pointsTook / 1000
		r.warn("%s: no file has the run time: it is taken from the first raw point to the last", p.name)
	default:
		return fmt.Errorf("no file has the length of the %s phase: YCSB prints it as [OVERALL], RunTime(ms)", p.name)
	}
	if out.Seconds <= 0 || out.Seconds > maxSeconds {
		return fmt.Errorf("the %s phase took %g s: nothing was measured", p.name, out.Seconds)
	}
	if s := p.sheet; s == nil || s.throughput == nil || s.milliseconds == nil {
		out.Ops, out.Throughput = counted, float64(counted)/out.Seconds
		return nil
	}
	out.Throughput = *p.sheet.throughput
	ops := math.Round(out.Throughput * out.Seconds)
	if ops > maxCount {
		return fmt.Errorf("%g operations in the %s phase: at most %d are read", ops, p.name, uint64(maxCount))
	}
	out.Ops = uint64(ops)
	if counted != out.Ops {
		r.warn("%s: the throughput over the run time makes %s operations, and the figures of the operations count %s", p.name, thousands(out.Ops), thousands(counted))
	}
	return nil
}

// counted is how many operations the figures count: READ and UPDATE within READ-MODIFY-WRITE are not counted again.
func (p *part) counted(operations []result.Operation) (n uint64) {
	if p.sheet == nil {
		for _, o := range operations {
			if o.PartOf == nil {
				n += o.Count
			}
		}
		return n
	}
	for _, name := range p.sheet.order {
		if strings.HasPrefix(name, intended) && p.sheet.measures[strings.TrimPrefix(name, intended)] != nil {
			continue
		}
		if op, _ := operationOf(strings.TrimPrefix(name, intended)); partOf(op) == nil {
			n += p.sheet.measures[name].samples()
		}
	}
	if m := p.sheet.measures[readModifyWrite]; m != nil && n >= 2*m.samples() {
		n -= 2 * m.samples()
	}
	return n
}

// settle completes the measures.
func (s *sheet) settle(r *reader) error {
	for _, name := range s.order {
		m := s.measures[name]
		if err := m.settle(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if m.count != nil && len(m.exactly) > 0 && *m.count != m.exactly.count() {
			r.warn("%s: the histogram has %s operations and the figures %s: the histogram is left out", name, thousands(m.exactly.count()), thousands(*m.count))
			m.exactly = nil
		}
		if m.coarse && len(m.percentiles) > 0 && len(m.exactly) == 0 && m.samples() > 0 {
			r.warn("%s: the percentiles are left out: they are whole milliseconds, rounded down", name)
		}
		if m.overTime {
			r.warn("%s: its means over time are left out: they have no counts", name)
		}
		if n := m.samples(); n > 0 && !m.coarse && !strings.HasSuffix(name, "CLEANUP") {
			for _, p := range slices.Sorted(maps.Keys(m.percentiles)) {
				if n < latency.MinSamples(p/100) {
					r.warn("%s: percentiles of too few samples are left out: it has %s, and p%s needs %s", name, thousands(n),
						result.PercentileName(p), thousands(latency.MinSamples(p/100)))
					break
				}
			}
		}
	}
	return nil
}

// both returns the figures of a name by both clocks: those of the only clock stand for the other one, as Foreign.Latency reports.
func (s *sheet) both(name, clocks string, read func(*measure) result.Figures) (response, service result.Figures, m *measure) {
	m = s.measures[name]
	other := s.measures[intended+name]
	if clocks != result.BothLatencies {
		if m == nil {
			m = other
		}
		f := read(m)
		return f, f, m
	}
	if m != nil {
		service, response = read(m), read(m)
	}
	if other != nil && (m == nil || other.samples() == m.samples()) {
		response = read(other)
		if m == nil {
			service, m = response, other
		}
	}
	return response, service, m
}

// names are the names of the measures, each once for both clocks.
func (s *sheet) names() []string {
	var out []string
	for _, name := range s.order {
		if name = strings.TrimPrefix(name, intended); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (s *sheet) combined(clocks string) []result.Combined {
	out := []result.Combined{}
	for _, name := range s.names() {
		response, service, m := s.both(name, clocks, (*measure).combined)
		c := result.Combined{Name: name, Figures: response, Service: service}
		if len(m.returns) > 0 {
			c.Returns = m.returns
		}
		out = append(out, c)
	}
	s.samePercentiles(out)
	return out
}

// samePercentiles gives all series the percentiles that any of them has; null where no file has it.
func (s *sheet) samePercentiles(series []result.Combined) {
	names := make(map[string]bool)
	for _, m := range s.measures {
		for p := range m.percentiles {
			if names[result.PercentileName(p)] = true; len(names) == maxMeasures {
				break
			}
		}
	}
	for i := range series {
		for _, f := range []*result.Figures{&series[i].Figures, &series[i].Service} {
			all := make(map[string]*float64, len(names))
			for name := range names {
				all[name] = f.Percentiles[name]
			}
			if f.Percentiles = nil; len(all) > 0 {
				f.Percentiles = all
			}
		}
	}
}

// operations are the measures in benchd's words. YCSB counts the READ and the UPDATE of a READ-MODIFY-WRITE together with others; where
// there are others, the operation is left out: it is none that another result has.
func (s *sheet) operations(r *reader, clocks string) []result.Operation {
	out := []result.Operation{}
	for _, name := range s.names() {
		response, service, m := s.both(name, clocks, (*measure).figures)
		if m.samples() == 0 {
			continue
		}
		response.Variance, service.Variance = 0, 0
		op, outcome := operationOf(name)
		o := result.Operation{
			Op: op, Outcome: s.outcomeOf(op, outcome, m.samples()), PartOf: partOf(op), Figures: response, Service: service,
			Agents: []result.AgentOperation{},
		}
		if whole := s.measures[readModifyWrite]; whole != nil && whole.samples() > 0 && (op == "READ" || op == "UPDATE") {
			if m.samples() != whole.samples() || outcome != "OK" {
				r.warn("%s is in \"combined\" alone: YCSB counts those of READ-MODIFY-WRITE with the others", name)
				continue
			}
			within := readModifyWrite
			o.PartOf = &within
		}
		out = append(out, o)
	}
	return out
}

// ownOperations are the operations of benchd's logs.
func (p *part) ownOperations() ([]result.Operation, error) {
	var out []result.Operation
	for _, l := range p.logs {
		if !l.nanoseconds() {
			continue
		}
		var response, service [][]latency.Bucket
		for _, iv := range l.intervals {
			if iv.tag == serviceTag {
				service = append(service, iv.times)
			} else {
				response = append(response, iv.times)
			}
		}
		var m, other measure
		var err error
		if m.exactly, err = merge(response...); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if other.exactly, err = merge(service...); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if m.samples() != other.samples() {
			return nil, fmt.Errorf("%s: it has %d response times and %d service times", l.name, m.samples(), other.samples())
		}
		if m.samples() == 0 {
			continue
		}
		o := result.Operation{
			Op: l.subject.measure, Outcome: cmp.Or(l.subject.outcome, "OK"), PartOf: partOf(l.subject.measure), Figures: m.figures(), Service: other.figures(),
			Agents: []result.AgentOperation{},
		}
		if l.subject.partOf != "" {
			o.PartOf = &l.subject.partOf
		}
		out = append(out, o)
	}
	return out, nil
}

// series is the course of a phase by the status lines.
func (p *part) series(seconds float64) []result.Point {
	if p.sheet == nil {
		return nil
	}
	return statusSeries(p.status, seconds, p.point)
}

// point makes the operations of an interval. Of both clocks, the response times have the figures, as in a phase.
func (p *part) point(measures []statusMeasure) []result.PointOperation {
	byName := make(map[string]*statusMeasure)
	for i := range measures {
		byName[measures[i].name] = &measures[i]
	}
	out := []result.PointOperation{}
	for i := range measures {
		m := measures[i]
		plain, response := strings.CutPrefix(m.name, intended)
		if other := byName[intended+plain]; !response && other != nil && p.clocks == result.BothLatencies {
			continue // its interval is that of the response times
		}
		m.ServiceMean = m.Mean
		if service := byName[plain]; response && service != nil {
			m.ServiceMean = service.Mean
		}
		m.Op, m.Outcome = operationOf(plain)
		m.PartOf = partOf(m.Op)
		out = append(out, m.PointOperation)
	}
	return out
}

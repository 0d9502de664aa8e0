package result

import (
	"fmt"
	"maps"
	"slices"

	"github.com/benchd/benchd/internal/latency"
)

// Notes are what a result shows beside the measurements, by phase.
type Notes struct {
	Events       map[string][]Event
	Observations map[string][]Observation
}

// Document completes header with all that the windows contain: phases, reconciliation, what is missing (after
// header's own entries) and verdicts. It may be called repeatedly, also while windows still arrive.
func (b *Builder) Document(header Run, notes Notes) (Run, error) {
	run := header
	run.Schema, run.Kind = Schema, "run"
	run.Phases = make([]Phase, 0, len(b.order))
	examined := make(map[*phase]examination, len(b.order))
	for _, p := range b.order {
		if !p.begun() {
			continue
		}
		examined[p] = b.examine(p)
		doc, err := b.document(p, notes)
		if err != nil {
			return Run{}, fmt.Errorf("make result of %s: %w", p.info.Name, err)
		}
		doc.Clients = examined[p].tests
		run.Phases = append(run.Phases, doc)
	}
	run.Reconcile = b.reconcile()
	run.Missing = append([]string{}, header.Missing...)
	for _, text := range b.missing(header.Status == Failed || header.Status == Cancelled) {
		if !slices.Contains(run.Missing, text) {
			run.Missing = append(run.Missing, text)
		}
	}
	run.Verdicts = append(append([]Verdict{}, header.Verdicts...), b.verdicts(run, examined)...)
	return run.Whole(), nil
}

func (b *Builder) document(p *phase, notes Notes) (Phase, error) {
	combined, err := b.cfg.Combine.combined(p.totals.all, b.scale)
	if err != nil {
		return Phase{}, err
	}
	doc := Phase{
		Name:         p.info.Name,
		Loop:         p.info.Loop,
		Seconds:      p.end.Seconds(),
		Ops:          p.totals.count(),
		OpsAfter:     p.after,
		Rows:         p.rows,
		Bytes:        p.bytes,
		Throughput:   p.throughput(),
		Offered:      p.offered(b.shardCount()),
		Handovers:    b.handovers(p),
		Operations:   p.totals.operations(b.scale),
		Series:       p.series.points(),
		Observations: notes.Observations[p.info.Name],
		Events:       notes.Events[p.info.Name],
		Errors:       p.errorSamples(),
		Generators:   make([]Generator, 0, len(p.generators)),
		Combined:     combined,
		Retries:      maps.Clone(p.retries),
	}
	doc.Groups = p.groupDocuments(doc.Operations, b.shardCount())
	for _, e := range p.ledger {
		doc.Unsent += e.backlog
	}
	var lateness latency.Histogram
	for _, name := range slices.Sorted(maps.Keys(p.generators)) {
		g := p.generators[name]
		figures := g.figures(name, b.scale)
		figures.Client = b.clientEvents(p, name)
		doc.Generators = append(doc.Generators, figures)
		var err error
		g.lateness.read(func(h *latency.Histogram) { err = lateness.Merge(h) })
		if err != nil {
			return Phase{}, fmt.Errorf("merge lateness: %w", err)
		}
	}
	doc.Lateness = b.scale.lateness(&lateness)
	return doc, nil
}

// Whole replaces nil lists by empty ones, so that readers of the JSON need not check for null.
func (r Run) Whole() Run {
	r.Missing = list(r.Missing)
	r.Phases = slices.Clone(list(r.Phases))
	r.Verdicts = list(r.Verdicts)
	r.Provenance.Agents = slices.Clone(list(r.Provenance.Agents))
	for i := range r.Provenance.Agents {
		r.Provenance.Agents[i].Labels = table(r.Provenance.Agents[i].Labels)
	}
	r.Tags = table(r.Tags)
	r.Resolved = table(r.Resolved)
	r.Provenance.Target = table(r.Provenance.Target)
	for i := range r.Phases {
		p := &r.Phases[i]
		p.Operations = list(p.Operations)
		p.Series = list(p.Series)
		p.Observations = list(p.Observations)
		p.Events = list(p.Events)
		p.Generators = list(p.Generators)
	}
	return r
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func table(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

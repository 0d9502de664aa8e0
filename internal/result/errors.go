package result

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// errorKind is a kind of error: an operation and how it ended.
type errorKind struct{ op, outcome string }

// errorSample is the first message of its kind.
type errorSample struct {
	at   time.Duration
	text ErrorSample
}

// sample keeps the earliest message of each kind over all agents, and of two at the same time that of the first agent by
// name: the order in which windows arrive has no influence.
func (p *phase) sample(w *latency.Window, agent string) {
	for _, s := range w.Samples {
		kind := errorKind{s.Op, s.Outcome}
		old, known := p.errors[kind]
		if known && cmp.Or(cmp.Compare(w.Start, old.at), cmp.Compare(agent, old.text.Agent)) >= 0 {
			continue
		}
		p.errors[kind] = errorSample{
			at:   w.Start,
			text: ErrorSample{Op: s.Op, Outcome: s.Outcome, Agent: agent, Message: s.Message},
		}
	}
}

func (p *phase) errorSamples() []ErrorSample {
	kinds := slices.SortedFunc(maps.Keys(p.errors), func(a, b errorKind) int {
		return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.outcome, b.outcome))
	})
	var out []ErrorSample
	for _, kind := range kinds {
		out = append(out, p.errors[kind].text)
	}
	return out
}

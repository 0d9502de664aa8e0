package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// Value is the value of a run in a search, and whether it has one: its rate, or its number of threads over all agents.
func Value(vary search.Vary, run result.Run) (float64, bool) {
	if vary == search.Rate {
		rate, err := strconv.ParseFloat(run.Resolved["rate"], 64)
		return rate, err == nil && rate > 0
	}
	if total, err := strconv.ParseFloat(run.Resolved["threads.total"], 64); err == nil && total > 0 {
		return total, true
	}
	workers := 0
	for _, a := range run.Provenance.Agents {
		if a.Attempt <= 1 { // a handed-over shard has the same workers again
			workers += a.Workers
		}
	}
	return float64(workers), workers > 0
}

// Probe makes a probe of an ended run. A probe is missed if any term of the objective, or the offered rate, was missed
// and the load generator was not the limit. If all were kept, it is kept although the generator was close to its limit:
// the generator can only add to what it measures.
func Probe(space search.Space, run result.Run) search.Probe {
	p := search.Probe{}
	p.Value, _ = Value(space.Vary, run)
	phase := run.Subject()
	if phase != nil {
		p.Throughput = phase.Throughput
	}
	if because := unusable(run); because != "" {
		p.Outcome, p.Because = search.Failed, because
		return p
	}
	var missed, few, held []string
	low := true // only throughput was missed
	if run.Violated {
		missed, low = append(missed, cmp.Or(run.Reason, "a limit was violated")), false
	} else if space.Vary == search.Rate {
		if because := belowOffered(run, *phase); because != "" {
			missed, low = append(missed, because), false
		}
	}
	for _, t := range space.Keep.Terms() {
		for _, f := range read(t, *phase) {
			switch {
			case f.few != "":
				few = append(few, f.few)
			case f.missed || !t.Holds(f.value):
				missed = append(missed, f.text)
				low = low && t.AtLeast
			default:
				held = append(held, f.text)
			}
		}
	}
	bound, clientBound := raised(run, "client_bound")
	p.ClientBound = clientBound
	switch {
	case len(missed) > 0 && clientBound:
		p.Outcome, p.Because = search.ClientBound, "the load generator was the limit ("+bound+"), so this does not count: "+strings.Join(missed, "; ")
	case len(missed) > 0 && low:
		p.Outcome, p.Because = search.TooLow, strings.Join(missed, "; ")
	case len(missed) > 0:
		p.Outcome, p.Because = search.Missed, strings.Join(missed, "; ")
	case len(few) > 0:
		p.Outcome, p.Because = search.TooFew, strings.Join(few, "; ")
	default:
		p.Outcome, p.Because = search.Kept, strings.Join(held, "; ")
	}
	return p
}

// unusable returns the reason why a run is not evidence, or "". A run that was ended by a limit on errors is evidence.
func unusable(run result.Run) string {
	if !run.Violated {
		return run.Unfit()
	}
	if because, ok := raised(run, "not_found"); ok {
		return cmp.Or(run.Reason, because)
	}
	if run.Subject() == nil {
		return cmp.Or(run.Reason, "nothing was measured")
	}
	return ""
}

// raised returns the reason of a verdict of a run that says yes.
func raised(run result.Run, name string) (because string, yes bool) {
	for _, v := range run.Verdicts {
		if v.Name == name && v.Value {
			return v.Because, true
		}
	}
	return "", false
}

// belowOffered returns the reason why an offered rate was not kept, or "".
func belowOffered(run result.Run, phase result.Phase) string {
	if phase.Offered == nil {
		return "the run had no offered rate"
	}
	if _, yes := raised(run, "overloaded"); yes {
		return fmt.Sprintf("the offered rate was not kept: %s of %s ops/s", result.RateText(phase.Throughput), result.RateText(*phase.Offered))
	}
	return ""
}

// reading is the value of a term's figure in a phase, for one operation.
type reading struct {
	value  float64
	missed bool   // whatever the limit
	few    string // why there is no value
	text   string
}

// read returns the figures of a term: one, or one for each operation.
func read(t search.Term, phase result.Phase) []reading {
	if t.Figure == search.Throughput {
		return []reading{{value: phase.Throughput, text: fmt.Sprintf("throughput is %s ops/s", result.RateText(phase.Throughput))}}
	}
	if t.Figure == search.Errors {
		return readErrors(t, phase)
	}
	var out []reading
	for _, op := range operations(phase) {
		if t.Op == "" || t.Op == op {
			out = append(out, readLatency(t, op, phase))
		}
	}
	if len(out) == 0 {
		out = append(out, reading{few: fmt.Sprintf("%s: the run has no operation %s", t, t.Op)})
	}
	return out
}

// operations are the kinds of operations in a phase, in the order of the result.
func operations(phase result.Phase) []string {
	var out []string
	for _, o := range phase.Operations {
		if o.PartOf == nil && !slices.Contains(out, o.Op) {
			out = append(out, o.Op)
		}
	}
	return out
}

// successes returns the successful operations of a kind: where there are both, without those that were only collected,
// which do not show the target's time. It is nil if none succeeded.
func successes(phase result.Phase, op string) *result.Operation {
	var found *result.Operation
	for i, o := range phase.Operations {
		if o.PartOf == nil && o.Op == op && result.Good(o.Outcome) && (found == nil || o.Outcome == "OK") {
			found = &phase.Operations[i]
		}
	}
	return found
}

func readLatency(t search.Term, op string, phase result.Phase) reading {
	name := fmt.Sprintf("%s(%s)", t.Figure, op)
	o := successes(phase, op)
	if o == nil {
		return reading{missed: true, text: fmt.Sprintf("%s: no %s succeeded", name, op)}
	}
	value := figureOf(t.Figure, o.Figures)
	switch {
	case value != nil:
		return reading{value: *value, text: fmt.Sprintf("%s is %s", name, result.MicroText(*value))}
	case o.Overflow > 0 && o.Count >= need(t.Figure):
		return reading{missed: true, text: name + " is above one hour"}
	}
	return reading{few: fmt.Sprintf("%s needs %d operations, and the run has %d: measure for longer", name, need(t.Figure), o.Count)}
}

func readErrors(t search.Term, phase result.Phase) []reading {
	var all, failed uint64
	for _, o := range phase.Operations {
		if o.PartOf != nil || t.Op != "" && t.Op != o.Op {
			continue
		}
		all += o.Count
		if !result.Good(o.Outcome) {
			failed += o.Count
		}
	}
	if all == 0 {
		return []reading{{few: fmt.Sprintf("%s: the run has no such operation", t)}}
	}
	name := "errors"
	if t.Op != "" {
		name += "(" + t.Op + ")"
	}
	share := float64(failed) / float64(all)
	return []reading{{value: share, text: fmt.Sprintf("%s are %s %% (%s of %s)", name, strconv.FormatFloat(100*share, 'g', 2, 64), result.Thousands(failed), result.Thousands(all))}}
}

package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/spec/suite"
	"github.com/benchd/benchd/internal/workload"
)

// The properties of a search. They belong to a case: its runs have a value of the varied setting instead.
const (
	searchVary      = "search.vary"
	searchFrom      = "search.from"
	searchTo        = "search.to"
	searchKeep      = "search.keep"
	searchTolerance = "search.tolerance"
	searchConfirm   = "search.confirm"
	searchProbes    = "search.probes"
)

// searchProperties are the names of all properties of a search.
func searchProperties() []string {
	return []string{searchVary, searchFrom, searchTo, searchKeep, searchTolerance, searchConfirm, searchProbes}
}

// searchKeys are the properties of a search. None has a default: it would be a setting of every run.
func searchKeys() []property.Key {
	return []property.Key{
		{Name: searchVary, Kind: property.Enum, Values: []string{string(search.Rate), string(search.Threads)}, Doc: "search the highest throughput that keeps search.keep: one run (a probe) after another, each with its own value of rate (in an open loop), or of threads (threads.total, in a closed loop)"},
		{Name: searchFrom, Kind: property.Float, Max: maxRate, Check: checkSearched, Doc: "lowest value of a search: operations per second, or workers over all agents"},
		{Name: searchTo, Kind: property.Float, Max: maxRate, Check: checkSearched, Doc: "highest value of a search"},
		{Name: searchKeep, Kind: property.Text, Check: checkObjective, Doc: "objective that a search keeps: p99(READ) < 10ms and errors < 0.1%; figures are " + figuresOf()},
		{Name: searchTolerance, Kind: property.Percent, Doc: fmt.Sprintf("largest relative distance between the answer of a search and the lowest value that misses the objective, 1%% to 50%% (default %g%%)", 100*search.DefaultTolerance)},
		{Name: searchConfirm, Kind: property.Int, Min: 1, Max: 20, Doc: fmt.Sprintf("number of runs that confirm the answer of a search (default %d)", search.DefaultConfirm)},
		{Name: searchProbes, Kind: property.Int, Min: 2, Max: 200, Doc: fmt.Sprintf("maximum number of probes of a search (default %d)", search.DefaultMost)},
	}
}

func figuresOf() string {
	names := make([]string, 0, len(search.Figures()))
	for _, f := range search.Figures() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// checkSearched reads a bound of a search; 50k means 50000.
func checkSearched(value string) (string, error) {
	text, factor := strings.TrimSpace(value), 1.0
	if number, is := strings.CutSuffix(text, "k"); is {
		text, factor = number, 1000
	}
	f, err := property.ParseNumber(text)
	switch {
	case err != nil:
		return "", err
	case f <= 0 || f*factor > maxRate:
		return "", fmt.Errorf("%s is out of range: want more than 0 and at most %s", value, property.FormatBound(maxRate))
	}
	return property.FormatPlain(f * factor), nil
}

func checkObjective(value string) (string, error) {
	o, err := search.ParseObjective(value)
	return o.String(), err
}

// ParseSearch reads a search in one line, VARY FROM..TO keep OBJECTIVE, as its properties.
func ParseSearch(text, origin string) ([]Setting, error) {
	malformed := fmt.Errorf("invalid search %s: want VARY FROM..TO keep OBJECTIVE, such as 'rate 1000..50000 keep p99(READ) < 10ms'", property.Quote(text))
	values, keep, _ := strings.Cut(strings.TrimSpace(text), " keep ")
	words := strings.Fields(values)
	if len(words) != 2 {
		return nil, malformed
	}
	from, to, ok := strings.Cut(words[1], "..")
	if !ok {
		return nil, malformed
	}
	out := []Setting{{searchVary, words[0], origin}, {searchFrom, from, origin}, {searchTo, to, origin}}
	if keep = strings.TrimSpace(keep); keep != "" {
		out = append(out, Setting{searchKeep, keep, origin})
	}
	return out, nil
}

// search returns the search of a case; nil if it is none.
func (v values) search() *search.Space {
	if v.Text(searchVary) == "" {
		return nil
	}
	keep, _ := search.ParseObjective(v.Text(searchKeep))
	s := search.Space{
		Vary: search.Vary(v.Text(searchVary)), From: v.Float(searchFrom), To: v.Float(searchTo), Keep: keep,
		Tolerance: v.Float(searchTolerance), Confirm: v.Int(searchConfirm), Most: v.Int(searchProbes),
	}.WithDefaults()
	return &s
}

// search returns the search of a resolver's settings.
func (r *resolver) search() *search.Space {
	v := make(property.Values)
	for _, name := range searchProperties() {
		v[name] = r.value(name)
	}
	return values{v, r.table.targets}.search()
}

// settleSearch sets the property that a search varies to its lowest value. Other settings of the offered load are
// overridden if the search comes from a stronger source; otherwise they are mistakes.
func (r *resolver) settleSearch() {
	vary, ok := r.given[searchVary]
	if !ok || r.value("phase") == "load" {
		return
	}
	varied, others := "rate", []string{"target"}
	if vary.value == string(search.Threads) {
		varied, others = "threads.total", []string{"threadcount", "target", "rate"}
	}
	for _, name := range append(others, varied) {
		e, set := r.given[name]
		switch {
		case !set || e.idle() || r.bad[name]:
		case e.rank < vary.rank:
			r.warn(e, "is overridden by search.vary=%s (%s)", vary.value, vary.place)
			delete(r.given, name)
		default:
			r.bad[name] = true
			r.fail(e, "conflicts with search.vary=%s (%s): remove it, or the search", vary.value, vary.place)
			delete(r.given, name)
		}
	}
	if e, limited := r.given["limit.errors"]; limited && !e.idle() {
		r.warn(e, "does not apply to a search (%s), whose probes may exceed it: write errors < %s%% in search.keep", vary.place, property.FormatPlain(100*property.Values{"x": e.value}.Float("x")))
		delete(r.given, "limit.errors")
	}
	from, set := r.given[searchFrom]
	key, _ := r.table.find(varied)
	if varied == "rate" {
		arrival, open := r.given["arrival"]
		if open && arrival.value == "closed" && arrival.rank < vary.rank {
			r.warn(arrival, "is overridden by search.vary=rate (%s), which means an open loop", vary.place)
			delete(r.given, "arrival")
			open = false
		}
		if !open {
			r.fixed(entry{place: vary.place, rank: vary.rank, order: vary.order})
		}
		if !set {
			r.bad["rate"], r.bad["arrival"] = true, true // validateSearch reports it
			return
		}
	}
	if set && (varied == "rate" || !strings.Contains(from.value, ".")) {
		r.given[varied] = entry{key: key, written: searchFrom, value: from.value, place: from.place, rank: vary.rank, order: from.order}
	}
}

// validateSearch reports the mistakes of a search.
func (r *resolver) validateSearch(s plan.Settings) {
	vary, ok := r.given[searchVary]
	if !ok {
		return
	}
	if r.value("phase") != "run" {
		r.fail(vary, "needs phase=run, got phase=%s: a probe only measures; load the rows before, in a suite by a dataset", r.value("phase"))
		return
	}
	before := len(r.problems) + r.omitted
	needs := []string{searchFrom, searchTo}
	if vary.value == string(search.Rate) {
		needs = append(needs, searchKeep)
	}
	for _, name := range needs {
		if _, set := r.given[name]; !set && !r.bad[name] {
			r.fail(vary, "%s is missing; a search needs it, such as %s", name, map[string]string{
				searchFrom: "search.from=10", searchTo: "search.to=50000", searchKeep: "search.keep='p99(READ) < 10ms'",
			}[name])
		}
	}
	if s.Duration == 0 && s.Workload.OperationCount == 0 && r.sound("duration", "operationcount") {
		r.fail(vary, "a probe would not end: set duration, such as duration=30s, or operationcount")
	}
	of := r.search()
	r.validateObjective(s, of.Keep)
	if s.Warmup == 0 && s.WarmupOps == 0 && r.sound("warmup", "warmup.ops") {
		r.warn(vary, "warmup is not set: each probe includes the time in which its connections are opened; set warmup, such as warmup=5s")
	}
	if !r.sound(searchProperties()...) || len(r.problems)+r.omitted > before {
		return
	}
	switch space := *of; {
	case space.To <= space.From:
		r.fail(r.setting(searchTo), "%s is not above search.from, which is %s", r.value(searchTo), r.value(searchFrom))
	case space.Most <= space.Confirm:
		r.fail(r.blame(searchProbes, searchConfirm), "search.probes=%d leaves no probe to search with: want more than search.confirm, which is %d", space.Most, space.Confirm)
	default:
		if err := space.Validate(); err != nil {
			r.fail(vary, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}

// validateObjective reports operations of an objective that the workload does not issue.
func (r *resolver) validateObjective(s plan.Settings, keep search.Objective) {
	var issued []string
	for kind := range workload.NumKinds {
		if s.Issues(kind) {
			issued = append(issued, kind.String())
		}
	}
	for _, t := range keep.Terms() {
		if t.Op != "" && !slices.Contains(issued, t.Op) {
			r.fail(r.setting(searchKeep), "%s: the workload issues no %s, only %s", t, t.Op, strings.Join(issued, ", "))
		}
	}
}

// withoutSearch drops the properties of a search: a case that loads rows is no part of it.
func (r *resolver) withoutSearch() {
	for _, name := range searchProperties() {
		delete(r.given, name)
	}
}

// loadsFirst reports whether a submission of properties has a search with a load before it.
func (r *resolver) loadsFirst() bool {
	e, loads := r.given["phase"]
	if _, ok := r.given[searchVary]; !ok || !loads {
		return false
	}
	phase, err := e.key.Canonical(e.value)
	return err == nil && phase == "load,run"
}

// loadCase is the name of the case that loads the rows of a search.
const loadCase = "load"

// loadAndSearch validates a submission of properties with a load and a search, as two cases: one loads the rows, the probes
// of the other only measure.
func (r *Reader) loadAndSearch(s Submission) (cases []plan.Case, sum *resolver) {
	sum = r.table.newResolver()
	merged := &suiteResolver{reported: make(map[property.Problem]bool), used: make(map[int]bool)}
	for _, phase := range []string{"load", "run"} {
		res := r.table.newResolver()
		res.take(s)
		drop := append(r.table.targets.Filling(), plan.AfterLoadProperty)
		if phase == "load" {
			drop = append(ofRuns(), searchProperties()...)
		}
		for _, name := range drop {
			delete(res.given, name)
		}
		e := res.given["phase"]
		e.key, _ = r.table.find("phase")
		e.written, e.value = "phase", phase
		res.given["phase"] = e
		one := res.resolveCase(s, nil)
		one.Repeats, one.Fills = 1, phase == "load"
		cases = append(cases, one)
		sum.order = max(sum.order, res.order)
		merged.collect(suite.Case{}, res)
	}
	sum.problems, sum.warnings = merged.problems, merged.warnings
	for _, f := range merged.inert {
		if !merged.used[f.order] {
			merged.report(&sum.warnings, f)
		}
	}
	return cases, sum
}

package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// Difference is what differs between the sides besides what was measured.
type Difference struct {
	What  string   `json:"what"` // trace, durability, benchd, agents, setting threads, target version …
	A     string   `json:"a"`
	B     string   `json:"b"`
	Cases []string `json:"cases"` // of A, where it differs; empty for all
}

// otherLoop returns a group of workers whose loop is not the same in two cases; empty for none.
func otherLoop(a, b *group) string {
	of := func(g *group) []result.Group {
		if p := g.runs[0].Subject(); p != nil {
			return p.Groups
		}
		return nil
	}
	for _, x := range of(a) {
		for _, y := range of(b) {
			if x.Name == y.Name && x.Loop != y.Loop {
				return x.Name
			}
		}
	}
	return ""
}

// refusal returns why two cases must not be compared, or "".
func refusal(a, b *group) string {
	switch {
	case len(a.runs) == 0:
		return "A has no complete run of it"
	case len(b.runs) == 0:
		return "B has no complete run of it"
	case unknownLoop(a, b) != "":
		return unknownLoop(a, b)
	case a.loop != b.loop:
		return fmt.Sprintf("A ran in %s loop and B in %s loop: their response times do not mean the same", article(a.loop), article(b.loop))
	case otherLoop(a, b) != "":
		return fmt.Sprintf("group %s ran in the other loop in A than in B: its response times do not mean the same", otherLoop(a, b))
	case a.phase != b.phase:
		return fmt.Sprintf("A is the phase %s and B the phase %s", a.phase, b.phase)
	case simulated(a) != simulated(b):
		return "one of them ran on a sandbox, the null target or YCSB's BasicDB, which is no database"
	}
	for name := range a.values {
		if _, both := b.values[name]; both && strings.HasSuffix(name, "_count") {
			return ""
		}
	}
	return "they have no operation in common"
}

// simulated reports whether the runs measured no database.
func simulated(g *group) bool {
	return slices.ContainsFunc(g.runs, func(r result.Run) bool {
		return r.Resolved["db"] == "sandbox" || r.Resolved["db"] == "null" || r.Provenance.Target["sandbox"] != "" ||
			r.Provenance.Foreign != nil && strings.HasSuffix(r.Resolved["db"], ".BasicDB") // YCSB's own stand-in
	})
}

// differences lists what differs between the pairs of cases. What differs in all pairs in the same way is listed once.
func differences(a, b Side) []Difference {
	out := []Difference{}
	compared := 0
	for _, p := range pairs(a, b) {
		if p.a == nil || p.b == nil {
			continue
		}
		compared++
		x, y := facts(p.a.runs), facts(p.b.runs)
		once(x, y)
		onceOfTraces(x, y)
		addTerms(p.a.runs, p.b.runs, x, y)
		foreignFacts(p.a, p.b, x, y)
		for _, what := range slices.Sorted(maps.Keys(x)) {
			if x[what] != y[what] {
				out = note(out, Difference{What: what, A: x[what], B: y[what], Cases: []string{p.a.Name}})
			}
		}
		for _, what := range slices.Sorted(maps.Keys(y)) {
			if _, known := x[what]; !known {
				out = note(out, Difference{What: what, B: y[what], Cases: []string{p.a.Name}})
			}
		}
	}
	for i := range out {
		if len(out[i].Cases) == compared {
			out[i].Cases = []string{}
		}
	}
	return termsFirst(first(first(out, client), "program")) // the most that can differ
}

// first moves a difference to the front.
func first(all []Difference, what string) []Difference {
	i := slices.IndexFunc(all, func(d Difference) bool { return d.What == what })
	if i <= 0 {
		return all
	}
	d := all[i]
	return slices.Insert(slices.Delete(all, i, i+1), 0, d)
}

// The facts that a setting of a target selects: which client executes the operations, and how consistent reads are.
const (
	client      = "client"
	consistency = "consistency"
)

// once removes what a target reports of a setting that differs: it is one difference. A target may report its own name,
// which is the setting db, and facts that a setting selects. Results of builds without that setting do not have the fact.
func once(x, y map[string]string) {
	for _, name := range []string{client, consistency} {
		a, b := x[name], y[name]
		if a == "" || b == "" {
			delete(x, name)
			delete(y, name)
			continue
		}
		if a == b {
			continue
		}
		for what := range x {
			if strings.HasPrefix(what, "setting ") && x[what] == a && y[what] == b {
				delete(x, what)
				delete(y, what)
			}
		}
	}
	for _, facts := range []map[string]string{x, y} {
		for what := range facts {
			name, is := strings.CutPrefix(what, "target ")
			if name == "target" {
				name = "db"
			}
			if setting := "setting " + name; is && x[setting] != y[setting] {
				delete(x, what)
				delete(y, what)
			}
		}
	}
}

// note adds a difference to those of the cases before.
func note(all []Difference, d Difference) []Difference {
	for i := range all {
		if all[i].What == d.What && all[i].A == d.A && all[i].B == d.B {
			all[i].Cases = append(all[i].Cases, d.Cases...)
			return all
		}
	}
	return append(all, d)
}

// facts are what the runs of a case were made with. Where the runs differ, the values are listed.
func facts(runs []result.Run) map[string]string {
	sets := make(map[string][]string)
	put := func(what, value string) {
		if value != "" && !slices.Contains(sets[what], value) {
			sets[what] = append(sets[what], value)
		}
	}
	for _, r := range runs {
		put("benchd", r.Provenance.Benchd)
		for name, v := range r.Provenance.Target {
			if name == client || name == consistency {
				put(name, v)
				continue
			}
			put("target "+name, v)
		}
		replayed := traceOf(r)
		put(traceFact, replayed)
		for name, v := range r.Resolved {
			part := replayed != "" && (name == traceFile || name == traceCard)
			if name != "seed" && name != "table" && !part {
				put("setting "+name, v)
			}
		}
		if r.Provenance.Foreign == nil {
			put("agents", strconv.Itoa(len(r.Provenance.Agents)))
		}
		for _, agent := range r.Provenance.Agents {
			put("agents' CPU", fmt.Sprintf("%d × %s", agent.Cores, agent.CPU))
			put("agents' kernel", agent.Kernel)
			put("agents' benchd", agent.Version)
			put("agents' hosts", agent.Hostname)
		}
	}
	out := make(map[string]string, len(sets))
	for what, values := range sets {
		slices.Sort(values)
		out[what] = strings.Join(values, ", ")
	}
	return out
}

func article(loop string) string {
	if loop == "open" {
		return "an open"
	}
	return "a " + loop
}

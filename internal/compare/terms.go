package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// IsTerm reports whether it is a difference of the work that was measured: of its operations, or of its durability, for example. Such
// differences come first.
func (d Difference) IsTerm() bool { return d.What == traceFact || termPlace(d.What) >= 0 }

// termPlace is the place of a term in the order of reports, or -1.
func termPlace(name string) int {
	return slices.IndexFunc(descriptor.Terms{}.Each(), func(t descriptor.Term) bool { return t.Name == name })
}

// addTerms adds the terms of two cases to their facts, and replaces the facts of the same name. Without those of both there is nothing to
// compare.
func addTerms(a, b []result.Run, x, y map[string]string) {
	of, other := termsOf(a), termsOf(b)
	if len(of) == 0 || len(other) == 0 {
		return
	}
	same := a[0].Resolved["db"] == b[0].Resolved["db"]
	for _, t := range (descriptor.Terms{}).Each() {
		x[t.Name], y[t.Name] = of[t.Name], other[t.Name]
		if !same && (descriptor.Term{Text: of[t.Name]}).Meaning() == (descriptor.Term{Text: other[t.Name]}).Meaning() {
			y[t.Name] = x[t.Name] // each database has its own words for it
		}
	}
}

// termsOf are the terms of the runs of a case by name. Where the runs differ, the texts are listed.
func termsOf(runs []result.Run) map[string]string {
	out := make(map[string]string)
	for _, r := range runs {
		if r.Terms == nil {
			continue
		}
		for _, t := range r.Terms.Each() {
			switch known, text := out[t.Name], t.Text; {
			case text == "" || slices.Contains(strings.Split(known, " / "), text):
			case known == "":
				out[t.Name] = text
			default:
				out[t.Name] = known + " / " + text
			}
		}
	}
	return out
}

// termsFirst moves the differences of traces and terms to the front, in the order of reports.
func termsFirst(all []Difference) []Difference {
	place := func(d Difference) int {
		if d.What == traceFact {
			return -1
		}
		if at := termPlace(d.What); at >= 0 {
			return at
		}
		return len(all) + len(descriptor.Terms{}.Each())
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(place(a), place(b)) })
	return all
}

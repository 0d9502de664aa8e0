package table

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
)

// addTerms adds the terms of the suite's runs, and its table of them: an entry for each target, and more than one where its cases
// differ in their terms. Runs of older builds have no terms yet: they follow from the same settings and facts.
func addTerms(s *result.Suite, targets descriptor.List) {
	s.Terms = nil
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Terms == nil && r.Provenance.Foreign == nil {
			r.Terms = targets.Terms(r.Resolved, r.Provenance.Target)
		}
		if r.Terms == nil {
			continue
		}
		planned, _ := s.Plan.Case(r.Case)
		entry := result.TargetTerms{Target: planned.Target, DB: r.Resolved["db"], Terms: *r.Terms}
		at := slices.IndexFunc(s.Terms, func(t result.TargetTerms) bool {
			return t.Target == entry.Target && t.DB == entry.DB && t.Terms == entry.Terms
		})
		if at < 0 {
			s.Terms = append(s.Terms, entry)
			at = len(s.Terms) - 1
		}
		if e := &s.Terms[at]; !slices.Contains(e.Cases, r.Case) {
			e.Cases = append(e.Cases, r.Case)
		}
	}
	entries := slices.Clone(s.Terms)
	first := func(t result.TargetTerms) int {
		return slices.IndexFunc(entries, func(e result.TargetTerms) bool { return e.Target == t.Target && e.DB == t.DB })
	}
	slices.SortStableFunc(s.Terms, func(a, b result.TargetTerms) int { return cmp.Compare(first(a), first(b)) })
}

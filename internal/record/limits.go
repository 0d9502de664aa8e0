package record

import (
	"fmt"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Violations returns the first limit that a phase of a result has violated; empty for none.
func Violations(limits plan.Limits, phases []result.Phase) string {
	for _, p := range phases {
		if text := Violation(limits, p.Name, p.Operations); text != "" {
			return text
		}
	}
	return ""
}

// Violation returns the limit that a phase has violated; empty for none. A warm-up has no limits.
func Violation(limits plan.Limits, phase string, operations []result.Operation) string {
	if phase == string(plan.Warmup) {
		return ""
	}
	var all, notFound, failed, wrong uint64
	for _, o := range operations {
		if o.PartOf != nil {
			if o.Op == result.Verification && !result.Good(o.Outcome) {
				wrong += o.Count
			}
			continue
		}
		all += o.Count
		switch {
		case o.Outcome == "NOT_FOUND":
			notFound += o.Count
		case !result.Good(o.Outcome):
			failed += o.Count
		}
	}
	for _, l := range []struct {
		what, cure string
		count      uint64
		limit      float64
	}{
		{"found no row", "load the rows that are read, or raise limit.notfound", notFound, limits.NotFoundShare},
		{"failed", "see the errors, or raise limit.errors", failed, limits.ErrorShare},
		{"read another value than was written", "see the errors, or raise limit.errors", wrong, limits.ErrorShare},
	} {
		if share := float64(l.count) / float64(max(all, 1)); share > l.limit {
			return fmt.Sprintf("%d of %d operations (%.3g %%) in phase %s %s; the limit is %.3g %%: %s",
				l.count, all, 100*share, phase, l.what, 100*l.limit, l.cure)
		}
	}
	return ""
}

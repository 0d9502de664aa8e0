package record

import (
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

// Violations returns the first limit that a phase of a result has violated; empty for none.
func Violations(s plan.Settings, phases []result.Phase) string {
	for _, p := range phases {
		if text := Violation(s, p.Name, p.Operations); text != "" {
			return text
		}
	}
	return ""
}

// Violation returns the limit that a phase has violated; empty for none. A warm-up has no limits. Each group of workers has its
// own limits, so that many good operations of one do not hide the failures of another.
func Violation(s plan.Settings, phase string, operations []result.Operation) string {
	if phase == string(plan.Warmup) {
		return ""
	}
	if phase == string(plan.Load) || len(s.Groups) == 0 {
		return violation(s.Limits, "phase "+phase, "", operations)
	}
	for _, g := range s.Groups {
		own := slices.DeleteFunc(slices.Clone(operations), func(o result.Operation) bool {
			name, _ := workload.SplitGroup(o.Op)
			return name != g.Name
		})
		if text := violation(g.Settings.Limits, "group "+g.Name+" in phase "+phase, plan.GroupPrefix+g.Name+".", own); text != "" {
			return text
		}
	}
	return ""
}

// violation returns the limit that operations have violated; prefix precedes the names of limits in the cure.
func violation(limits plan.Limits, where, prefix string, operations []result.Operation) string {
	var all, notFound, failed, wrong uint64
	for _, o := range operations {
		if o.PartOf != nil {
			if _, op := workload.SplitGroup(o.Op); op == result.Verification && !result.Good(o.Outcome) {
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
		{"found no row", "load the rows that are read, or raise " + prefix + "limit.notfound", notFound, limits.NotFoundShare},
		{"failed", "see the errors, or raise " + prefix + "limit.errors", failed, limits.ErrorShare},
		{"read another value than was written", "see the errors, or raise " + prefix + "limit.errors", wrong, limits.ErrorShare},
	} {
		if share := float64(l.count) / float64(max(all, 1)); share > l.limit {
			return fmt.Sprintf("%d of %d operations (%.3g %%) in %s %s; the limit is %.3g %%: %s",
				l.count, all, 100*share, where, l.what, 100*l.limit, l.cure)
		}
	}
	return ""
}

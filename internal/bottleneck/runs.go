package bottleneck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// OfRuns summarizes the bottlenecks of the same phase of several runs in a sentence: that of the first run with the most
// frequent verdict, and how many runs have which. It is empty if no run has one.
func OfRuns(runs []*result.Bottleneck) string {
	type verdict struct {
		name, sentence string
		count          int
	}
	var all []verdict
	total := 0
	for _, b := range runs {
		if b == nil {
			continue
		}
		total++
		i := slices.IndexFunc(all, func(v verdict) bool { return v.name == b.Name })
		if i < 0 {
			all = append(all, verdict{name: b.Name, sentence: b.Sentence})
			i = len(all) - 1
		}
		all[i].count++
	}
	slices.SortStableFunc(all, func(a, b verdict) int { return cmp.Or(cmp.Compare(b.count, a.count), byCause(a.name, b.name)) })
	switch {
	case total == 0:
		return ""
	case total == 1:
		return all[0].sentence
	case len(all) == 1:
		return fmt.Sprintf("%s (all %d runs; figures of the first)", all[0].sentence, total)
	}
	counts := make([]string, len(all))
	for i, v := range all {
		counts[i] = fmt.Sprintf("%s in %d", title(v.name), v.count)
	}
	return fmt.Sprintf("%s of %d runs; the first: %s", strings.Join(counts, ", "), total, all[0].sentence)
}

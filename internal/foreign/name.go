package foreign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

const (
	intended        = "Intended-" // before the names of response times
	readModifyWrite = "READ-MODIFY-WRITE"
	perRecord       = "SCAN-LATENCY-PER-RECORD"
	failed          = "FAILED" // the outcome of failed operations whose statuses are not separated
)

// operations are the names of operations, the longest first: some contain others.
func operations() []string {
	names := []string{perRecord}
	for kind := range workload.NumKinds {
		names = append(names, kind.String())
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return names
}

// operationOf splits a name of YCSB's into the operation and its outcome.
func operationOf(name string) (op, outcome string) {
	for _, known := range operations() {
		if name == known {
			return known, "OK"
		}
		if rest, found := strings.CutPrefix(name, known+"-"); found {
			return known, rest
		}
	}
	if op, found := strings.CutSuffix(name, "-"+failed); found && op != "" {
		return op, failed
	}
	return name, "OK"
}

// partOf is the operation that one is always a part of, nil for none: neither is counted again.
func partOf(op string) *string {
	switch op {
	case "CLEANUP":
		return &op // at the end of each thread
	case "VERIFY":
		whole := "READ"
		return &whole
	case perRecord:
		whole := "SCAN"
		return &whole
	}
	return nil
}

// outcomeOf is the outcome of a measure in benchd's words: a status, where the counts of the statuses name a single one.
func (s *sheet) outcomeOf(op, outcome string, count uint64) string {
	base := s.measures[op]
	if base == nil {
		return outcome
	}
	var candidates []string
	for status := range base.returns {
		if result.Good(status) == (outcome == "OK") && base.returns[status] > 0 {
			candidates = append(candidates, status)
		}
	}
	if (outcome == "OK" || outcome == failed) && len(candidates) == 1 && base.returns[candidates[0]] == count {
		return candidates[0]
	}
	return outcome
}

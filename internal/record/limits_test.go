package record_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
)

func TestLimitsAreOfOperationsAndOfWhatTheyReturned(t *testing.T) {
	part := "READ"
	count := func(op, outcome string, n uint64, partOf *string) result.Operation {
		return result.Operation{Op: op, Outcome: outcome, PartOf: partOf, Figures: result.Figures{Count: n}}
	}
	reads := []result.Operation{count("READ", "OK", 990, nil), count("READ", "ERROR", 10, nil), count("VERIFY", "OK", 985, &part), count("VERIFY", "UNEXPECTED_STATE", 5, &part)}
	for name, test := range map[string]struct {
		share float64
		phase plan.PhaseName
		want  string
	}{
		"within":                       {0.01, plan.Measure, ""},
		"too many failed":              {0.009, plan.Measure, "10 of 1000 operations (1 %) in phase measure failed; the limit is 0.9 %: see the errors, or raise limit.errors"},
		"a warm-up has no limits":      {0, plan.Warmup, ""},
		"none may fail, and some were": {0, plan.Measure, "10 of 1000 operations (1 %) in phase measure failed; the limit is 0 %: see the errors, or raise limit.errors"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, record.Violation(plan.Settings{Limits: plan.Limits{ErrorShare: test.share, NotFoundShare: 1}}, string(test.phase), reads))
		})
	}
	grouped := plan.Settings{Limits: plan.Limits{NotFoundShare: 1}, Groups: []plan.Group{
		{Name: "scans", Settings: plan.Settings{Limits: plan.Limits{ErrorShare: 1, NotFoundShare: 1}}},
		{Name: "reads", Settings: plan.Settings{Limits: plan.Limits{ErrorShare: 0.5, NotFoundShare: 1}}},
	}}
	both := []result.Operation{
		{Op: "scans.SCAN", Outcome: "OK", Figures: result.Figures{Count: 1e6}},
		{Op: "reads.READ", Outcome: "OK", Figures: result.Figures{Count: 4}},
		{Op: "reads.READ", Outcome: "ERROR", Figures: result.Figures{Count: 6}},
	}
	require.Equal(t, "6 of 10 operations (60 %) in group reads in phase measure failed; the limit is 50 %: see the errors, or raise group.reads.limit.errors",
		record.Violation(grouped, string(plan.Measure), both), "a million scans do not hide it")
	reads[1].Outcome = "OK"
	require.Equal(t, "5 of 1000 operations (0.5 %) in phase measure read another value than was written; the limit is 0 %: see the errors, or raise limit.errors",
		record.Violation(plan.Settings{Limits: plan.Limits{NotFoundShare: 1}}, string(plan.Measure), reads))
}

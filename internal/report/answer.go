package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/workload"
)

// Bounds of the answer of a report, which a reader sees before any table.
const (
	mostCases     = 12 // with a sentence each; of more, each scenario has one
	mostIncidents = 6
)

// undetermined begins the sentence about a limit that no rule recognized.
const undetermined = "not determined"

// suiteAnswer are the conclusions of a suite: the results of searches and sweeps, of targets side by side, the other cases,
// what actions cost, and what limited the throughput.
func suiteAnswer(s result.Suite) []string {
	var out []string
	if len(differingTerms(s)) > 0 {
		out = termSentences(s) // before any figure
	}
	concluded := make(map[string]bool) // cases that another sentence is about
	for _, c := range s.Cases {
		if c.Capacity != nil {
			out = append(out, sentence(c.Name+": "+plainWords(c.Capacity.Text)))
			concluded[c.Name] = true
		}
	}
	for _, sweep := range s.Sweeps {
		out = append(out, sentence(sweepTitle(sweep)+": "+plainWords(sweep.Text)))
		for _, p := range sweep.Points {
			concluded[p.Case] = true
		}
	}
	for _, r := range rivalsOf(s) {
		for _, c := range r.of {
			concluded[c.Name] = true
		}
	}
	out = append(out, rivalSentences(s)...)
	rest := slices.DeleteFunc(measuredCases(s), func(c result.Case) bool { return concluded[c.Name] })
	out = append(out, caseSentences(rest)...)
	out = append(out, actionSentences(s.Runs)...)
	return append(out, limitSentences(s)...)
}

// caseSentences are a sentence for each case, or for each scenario where there are many cases.
func caseSentences(cases []result.Case) []string {
	var out []string
	if len(cases) <= mostCases {
		for _, c := range cases {
			out = append(out, c.Name+": "+caseText(c))
		}
		return out
	}
	for _, scenario := range scenariosOf(cases) {
		of := slices.DeleteFunc(slices.Clone(cases), func(c result.Case) bool { return c.Scenario != scenario })
		highest := slices.MaxFunc(of, func(a, b result.Case) int { return cmp.Compare(meanThroughput(a), meanThroughput(b)) })
		if len(of) == 1 {
			out = append(out, highest.Name+": "+caseText(highest))
			continue
		}
		out = append(out, fmt.Sprintf("%s: the highest throughput of %s is that of %s: %s", scenario, several(len(of), "case"), highest.Name, caseText(highest)))
	}
	return out
}

func meanThroughput(c result.Case) float64 { return meanFigure(c, figure.Throughput) }

// meanFigure is the mean of a figure over the runs of a case; -1 if there is none.
func meanFigure(c result.Case, name string) float64 {
	if f, ok := overRuns(c, name); ok {
		return *f.Mean
	}
	return -1
}

// caseText is the throughput and the response times of a case in a sentence.
func caseText(c result.Case) string {
	f, ok := overRuns(c, "throughput_ops")
	if !ok {
		return "no complete run."
	}
	first := rate(*f.Mean) + " ops/s"
	if n := len(c.Runs); n > 1 {
		first += fmt.Sprintf(" (mean of %d runs, %s to %s)", n, rate(f.Min), rate(f.Max))
	}
	parts := []string{first}
	ops := operationsOf(c)
	for i, op := range ops {
		if i == mostListed {
			parts = append(parts, several(len(ops)-i, "more operation"))
			break
		}
		mean, p99 := latencyOverRuns(c, op+"_avg_us", "avg"), latencyOverRuns(c, op+"_p99_us", "p99")
		parts = append(parts, fmt.Sprintf("%s mean %s, p99 %s", operationTitle(op), mean.Text, p99.Text))
	}
	if c.Loop != "" {
		parts = append(parts, c.Loop+" loop")
	}
	return strings.Join(parts, "; ") + "."
}

// operationsOf are the operations of a case whose response times are known.
func operationsOf(c result.Case) []string {
	var ops []string
	for _, f := range c.Figures {
		op, ok := strings.CutSuffix(f.Name, "_avg_us")
		if _, service := strings.CutSuffix(op, "_service"); ok && !service && !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	return ops
}

// operationTitle is the name of an operation of figures in a sentence: READ, or reads.READ of group reads.
func operationTitle(op string) string {
	group, own := workload.SplitGroup(op)
	return workload.InGroup(group, strings.ToUpper(own))
}

// actionSentences are what the actions of runs cost, the first ones that could be determined.
func actionSentences(runs []result.Run) []string {
	var out []string
	more := 0
	for _, run := range runs {
		for _, phase := range run.Phases {
			for _, i := range phase.Incidents {
				switch {
				case i.Kind != result.ByAction:
				case i.Dip == nil || len(out) == mostIncidents:
					more++
				default:
					out = append(out, sentence(incidentOf(run, phase)+": "+plainWords(incident(phase, i))))
				}
			}
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("Further actions in the chapter %s: %d.", incidentsTitle, more))
	}
	return out
}

// limitSentences are what limited the cases of a suite; cases with the same limit share a sentence.
func limitSentences(s result.Suite) []string {
	var limits []string
	of := make(map[string][]string)
	for _, c := range measuredCases(s) {
		if c.Bottleneck == "" || strings.HasPrefix(c.Bottleneck, undetermined) {
			continue
		}
		if of[c.Bottleneck] == nil {
			limits = append(limits, c.Bottleneck)
		}
		of[c.Bottleneck] = append(of[c.Bottleneck], c.Name)
	}
	out := make([]string, 0, len(limits))
	for _, limit := range limits {
		if len(out) == mostIncidents {
			return append(out, fmt.Sprintf("Further limits in the chapter Bottlenecks: %d.", len(limits)-len(out)))
		}
		out = append(out, sentence("Limit of "+listed(of[limit])+": "+plainWords(limit)))
	}
	return out
}

// runAnswer are the conclusions of a run: the result of each phase, what actions cost, and what limited the throughput.
func runAnswer(r result.Run) []string {
	var out []string
	if r.Status.Ended() {
		for _, phase := range r.Phases {
			if phase.Name != "warmup" {
				out = append(out, phase.Name+": "+phaseAnswer(phase))
			}
		}
	}
	out = append(out, actionSentences([]result.Run{r})...)
	for _, phase := range r.Phases {
		if b := phase.Bottleneck; b != nil && !strings.HasPrefix(b.Sentence, undetermined) {
			out = append(out, sentence("Limit of "+phase.Name+": "+plainWords(b.Sentence)))
		}
	}
	return out
}

// phaseAnswer is the throughput and the response times of a phase in a sentence.
func phaseAnswer(phase result.Phase) string {
	parts := []string{achieved(phase)}
	for _, o := range phase.Operations {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		if len(parts) > mostListed {
			parts = append(parts, "more operations in the table")
			break
		}
		parts = append(parts, fmt.Sprintf("%s mean %s, p99 %s", label(o, ""), Micros(o.Mean), percentile(o.P99)))
	}
	return strings.Join(parts, "; ") + "; " + phase.Loop + " loop."
}

// suiteState is whether a suite's figures can be relied upon, with the reason in a few words.
func suiteState(s result.Suite) (book.State, string) {
	trial := s.Plan != nil && s.Plan.Trial
	state, text := stateOf(s.Status, s.Runs)
	if trial && state == book.Good {
		return book.Caution, text + "; a trial with small sizes"
	}
	return state, text
}

// stateOf is the state of runs whose common status is known.
func stateOf(status result.Status, runs []result.Run) (book.State, string) {
	complete := 0
	for _, r := range runs {
		if r.Status == result.Complete {
			complete++
		}
	}
	switch {
	case !status.Ended():
		return book.Caution, string(status) + ": the figures can change"
	case status != result.Complete && len(runs) > 1:
		return book.Bad, fmt.Sprintf("%s: %d of %d runs are complete", status, complete, len(runs))
	case status != result.Complete:
		return book.Bad, string(status)
	}
	evaluated, bad := 0, 0
	var raised []string
	for _, r := range runs {
		verdicts := tested(r)
		if len(verdicts) > 0 {
			evaluated++
		}
		found := false
		for _, v := range verdicts {
			if !v.Bad() {
				continue
			}
			found = true
			if !slices.Contains(raised, v.Name) {
				raised = append(raised, v.Name)
			}
		}
		if found {
			bad++
		}
	}
	switch {
	case evaluated == 0:
		return book.Caution, "complete; no verdict was tested"
	case bad == 0:
		return book.Good, "complete, no verdict raised"
	case len(runs) == 1:
		return book.Caution, "complete; verdicts raised: " + strings.Join(raised, ", ")
	}
	return book.Caution, fmt.Sprintf("complete; verdicts raised in %d of %d runs: %s", bad, len(runs), strings.Join(raised, ", "))
}

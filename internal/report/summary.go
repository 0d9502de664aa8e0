package report

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// someOperations is how many operations of a phase are summarized.
const someOperations = 6

// summary writes the answer of an ended run as its last lines: the throughput of each phase, the percentiles of its
// operations, how many failed, and the verdicts that were raised. The warm-up is left out.
func (p *page) summary(run result.Run) {
	if !run.Status.Ended() || len(run.Phases) == 0 {
		return
	}
	p.line()
	p.line(p.bold(p.t("summary")), "  ", p.status(run.Status), p.t("; "), p.t(raised(run)))
	for _, phase := range run.Phases {
		if phase.Name == "warmup" {
			continue
		}
		p.wrap("  "+phase.Name+"  ", achieved(phase), plain)
		p.latencies(phase)
		if b := phase.Bottleneck; b != nil {
			p.wrap("    bottleneck  ", printable(b.Sentence), plain)
		}
	}
}

// latencies writes the percentiles of a phase's successful operations.
func (p *page) latencies(phase result.Phase) {
	n := 0
	for _, o := range phase.Operations {
		if o.PartOf != nil || !result.Good(o.Outcome) {
			continue
		}
		if n++; n > someOperations {
			p.line(p.t("    and more operations above"))
			return
		}
		p.wrap("    "+label(o, "")+"  ", fmt.Sprintf("p50 %s, p95 %s, p99 %s, max %s",
			percentile(o.P50), percentile(o.P95), percentile(o.P99), Micros(o.Max)), plain)
	}
}

// achieved is a phase's throughput and the share of its operations that failed.
func achieved(phase result.Phase) string {
	text := throughput(phase) + " for " + fixed(phase.Seconds, 1) + " s, "
	var failed, all uint64
	for _, o := range phase.Operations {
		if o.PartOf != nil {
			continue
		}
		all += o.Count
		if !result.Good(o.Outcome) {
			failed += o.Count
		}
	}
	if failed == 0 {
		return text + "no operation failed"
	}
	return text + fmt.Sprintf("%s of %s operations failed", whole(failed), whole(all))
}

// raised names the verdicts that speak against a run.
func raised(run result.Run) string {
	verdicts := tested(run)
	var names []string
	for _, v := range verdicts {
		if v.Bad() {
			names = append(names, v.Name)
		}
	}
	switch {
	case len(verdicts) == 0:
		return "no verdict was tested"
	case len(names) == 0:
		return fmt.Sprintf("none of %d verdicts raised", len(verdicts))
	}
	return fmt.Sprintf("verdicts raised: %s", strings.Join(names, ", "))
}

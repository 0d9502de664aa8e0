package capacity

import (
	"fmt"
	"math"
	"time"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
)

// addLatency adds the latency of the operation that the objective is about, or else of the one with the highest p99.
func addLatency(p *result.CapacityProbe, keep search.Objective, run result.Run) {
	phase := run.Subject()
	if phase == nil {
		return
	}
	highest := math.Inf(-1)
	for _, op := range operations(*phase) {
		o := successes(*phase, op)
		if o == nil {
			continue
		}
		rank := o.Mean
		if o.P99 != nil {
			rank = *o.P99
		}
		for i, t := range keep.Terms() {
			if t.Op == op && t.Figure.Latency() {
				rank = math.MaxFloat64 / float64(i+2) // the first such term decides
				break
			}
		}
		if rank > highest {
			highest = rank
			p.Op, p.Mean, p.P50, p.P99 = op, &o.Mean, o.P50, o.P99
		}
	}
}

// seconds is the length of all phases of a run.
func seconds(run result.Run) float64 {
	total := 0.0
	for _, p := range run.Phases {
		total += p.Seconds
	}
	return total
}

// elapsed is the time from the start of the first run to the end of the last one; where a run has no start, it is the sum
// of their lengths.
func elapsed(runs []result.Run) float64 {
	if len(runs) == 0 {
		return 0
	}
	sum := 0.0
	var first, last time.Time
	for _, r := range runs {
		sum += seconds(r)
		if r.Start == nil {
			continue
		}
		end := r.Start.Planned.Add(time.Duration(seconds(r) * float64(time.Second)))
		if first.IsZero() || r.Start.Planned.Before(first) {
			first = r.Start.Planned
		}
		if end.After(last) {
			last = end
		}
	}
	return max(sum, last.Sub(first).Seconds())
}

// sentence is the answer with its evidence.
func sentence(c result.Capacity) string {
	s := c.Search
	subject := "highest throughput"
	unit := " threads"
	if s.Vary == search.Rate {
		subject, unit = "highest rate", " ops/s"
	}
	if text := s.Keep.String(); text != "" {
		subject += " that keeps " + text
	} else {
		subject += " that is sustained"
	}
	made := fmt.Sprintf("%s in %s", counted(len(c.Probes), "probe"), lengthText(c.Seconds))
	var text string
	switch c.Status {
	case search.None:
		return fmt.Sprintf("%s: none from %s to %s%s (%s), %s", subject, search.ValueText(s.From), search.ValueText(s.To), unit, c.Because, made)
	case search.Unfinished:
		text = fmt.Sprintf("%s: unfinished after %s", subject, made)
		if c.Value != nil {
			text += fmt.Sprintf("; kept so far at %s%s, in %d of %s", search.ValueText(*c.Value), unit, c.Confirmed, counted(s.Confirm, "confirmation run"))
		}
		return text + "; " + c.Because
	case search.Found:
		text = subject + ": "
	case search.AtLeast:
		text = subject + ": at least "
	}
	if s.Vary == search.Rate {
		text += fmt.Sprintf("%s ops/s (%s)", search.ValueText(*c.Value), c.Because)
	} else {
		text += fmt.Sprintf("%s at %s threads (%s)", throughputText(c), search.ValueText(*c.Value), c.Because)
	}
	return fmt.Sprintf("%s, kept in %d of %s, %s", text, c.Confirmed, counted(len(c.Confirmations), "confirmation run"), made)
}

// throughputText is the mean throughput of the confirmation runs with its range.
func throughputText(c result.Capacity) string {
	if c.Throughput == nil || c.Throughput.Mean == nil {
		return "unknown ops/s"
	}
	return fmt.Sprintf("%s ops/s (runs from %s to %s)", result.RateText(*c.Throughput.Mean), result.RateText(c.Throughput.Min), result.RateText(c.Throughput.Max))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// lengthText is a length of time as people say it: 4 min 12 s.
func lengthText(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	hours, minutes, rest := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case hours > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%d min %d s", minutes, rest)
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%d s", rest)
}

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/result"
)

// printAdvice prints what earlier runs show: a line for each case, the suites that it rests on, and the sum of the times.
func printAdvice(out io.Writer, d advice.Outline, coordinator string) error {
	a := *d.Advice
	if len(a.Suites) == 0 && !slices.ContainsFunc(a.Cases, func(c advice.OfCase) bool { return c.Rate != nil && c.Rate.Answer != advice.Unknown }) {
		_, err := fmt.Fprintf(out, "\n%s\n", noEarlierRuns(len(a.Cases), coordinator, a))
		return err
	}
	var b strings.Builder
	if len(a.Suites) > 0 {
		fmt.Fprintf(&b, "\nearlier runs of %s: %s\n", coordinator, suitesText(a.Suites))
	} else {
		fmt.Fprintf(&b, "\n%s\n", noEarlierRuns(len(a.Cases), coordinator, a))
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	rated := slices.ContainsFunc(a.Cases, func(c advice.OfCase) bool { return c.Rate != nil })
	header := "case\ttime of a run\tfrom\t" + fmt.Sprintf("repeats for %g %%\tplanned", 100*a.Effect)
	if rated {
		header += "\trate offered"
	}
	_, _ = fmt.Fprintln(w, header)
	for i, c := range a.Cases {
		cells := []string{c.Case, timeText(c.Time), basisText(c), repeatsText(c), strconv.Itoa(d.Cases[i].Repeats)}
		if rated && c.Rate != nil {
			cells = append(cells, string(c.Rate.Answer))
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush()
	b.WriteString("\n" + adviceTotal(a) + "\n")
	for _, c := range a.Cases {
		if c.Rate != nil {
			fmt.Fprintf(&b, "rate of %s: %s\n", c.Case, rateText(*c.Rate))
		}
	}
	if slices.ContainsFunc(a.Cases, func(c advice.OfCase) bool { return len(c.Repeats) > 0 }) {
		fmt.Fprintf(&b, "repeats: of each side, so that benchctl compare shows an effect of %g %% (interval without 0) with a probability of %g %%, by the\n"+
			"  deviation between earlier repeats; with --smallest below the effect it is also named\n", 100*a.Effect, 100*a.Power)
	}
	if a.Partial {
		fmt.Fprintf(&b, "only the newest %s of the archive were read\n", several(a.Looked, "suite"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func noEarlierRuns(cases int, coordinator string, a advice.Advice) string {
	these := "this case"
	if cases > 1 {
		these = "these cases"
	}
	text := fmt.Sprintf("no earlier runs of %s in the archive of %s", these, coordinator)
	if a.Partial {
		text += fmt.Sprintf(" (the newest %s were read)", several(a.Looked, "suite"))
	}
	return text
}

// someSuites is how many suites are named.
const someSuites = 5

func suitesText(suites []string) string {
	if n := len(suites); n > someSuites {
		return "suites " + strings.Join(suites[:someSuites], ", ") + fmt.Sprintf(" and %d more", n-someSuites)
	}
	if len(suites) == 1 {
		return "suite " + suites[0]
	}
	return "suites " + strings.Join(suites, ", ")
}

func timeText(d *advice.Duration) string {
	if d == nil {
		return "unknown"
	}
	return "about " + shortTime(d.Seconds)
}

func shortTime(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func basisText(c advice.OfCase) string {
	switch {
	case c.Time == nil:
		return "no earlier runs"
	case c.Time.Basis == advice.ByRuns:
		return "median of " + several(c.Time.Runs, "run")
	case c.Time.Basis == advice.ByThroughput:
		return "throughput of " + several(c.Time.Runs, "run")
	case c.Runs > 0:
		return "its plan"
	}
	return "its plan, no earlier runs"
}

// repeatsText names the repeats for the throughput, and for the figure that needs most.
func repeatsText(c advice.OfCase) string {
	if len(c.Repeats) == 0 {
		if c.DeviationRuns > 0 {
			return fmt.Sprintf("not known: %s, want %d", several(c.DeviationRuns, "repeat"), advice.LeastRuns)
		}
		return "not known"
	}
	worst := slices.MaxFunc(c.Repeats, compareNeed)
	var parts []string
	for _, r := range c.Repeats {
		if r.Figure == "throughput_ops" && r.Figure != worst.Figure {
			parts = append(parts, repeatText(r))
		}
	}
	return strings.Join(append(parts, repeatText(worst)), ", ")
}

func compareNeed(a, b advice.Repeats) int {
	if a.Deviation < b.Deviation {
		return -1
	}
	return 1
}

func repeatText(r advice.Repeats) string {
	n := fmt.Sprintf("more than %d", advice.MostRepeats)
	if r.N > 0 {
		n = strconv.Itoa(r.N)
	}
	return fmt.Sprintf("%s %s (±%.1f %%)", compare.Title(r.Figure), n, 100*r.Deviation)
}

func rateText(r advice.Rate) string {
	if len(r.Agents) == 0 {
		return fmt.Sprintf("not known whether agents can offer %s ops/s each: no agent is connected", count(int64(r.PerAgent)))
	}
	var parts []string
	for _, a := range r.Agents {
		switch a.Answer {
		case advice.Yes:
			parts = append(parts, fmt.Sprintf("%s has reached %s (run %s)", a.Agent, count(int64(a.Reached)), a.Run))
		case advice.Likely, advice.No:
			parts = append(parts, fmt.Sprintf("%s has CPU for about %s (%.3g µs for each, %s)", a.Agent, count(int64(a.Bound)), a.CPUPerOp, several(a.Cores, "core")))
		case advice.Unknown:
			parts = append(parts, fmt.Sprintf("%s has no earlier run on such a target", a.Agent))
		}
	}
	return fmt.Sprintf("%s: %s ops/s of each agent, with %.0f %% idle CPU: %s", r.Answer, result.Thousands(uint64(r.PerAgent)), 100*advice.IdleShare, strings.Join(parts, "; "))
}

func adviceTotal(a advice.Advice) string {
	switch total := shortTime(a.Seconds); {
	case a.Unknown == 0:
		return "about " + total + " in total, with the setup of runs"
	case a.Seconds > 0:
		return fmt.Sprintf("about %s in total, and %s of unknown length", total, several(a.Unknown, "run"))
	default:
		return "time unknown"
	}
}

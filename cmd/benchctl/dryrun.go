package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/spec"
)

// advicePatience bounds the wait for advice: a dry run also works without a coordinator.
const advicePatience = 8 * time.Second

// dryRun prints the cases and runs of a submission, and what earlier runs of the coordinator show of them.
func dryRun(ctx context.Context, c *cli.Context, cmd *cobra.Command, f *submitFlags) error {
	s, err := f.submission(cmd, c.Origins)
	if err != nil {
		return err
	}
	j, err := validate(f.targets, s)
	if err != nil {
		return err
	}
	warn(c, texts(j.warnings))
	d := advice.Outline{Outline: plan.Outlined(*j.suite, f.agents)}
	if d.Advice, err = f.advice(ctx, s); err != nil {
		d.NoAdvice = err.Error()
	}
	if f.output == "json" {
		return printJSON(c.Out, d)
	}
	if err := printOutline(c.Out, d.Outline); err != nil {
		return err
	}
	if s := j.suite.Schedule; !s.IsZero() {
		now := time.Now()
		if _, err := fmt.Fprintf(c.Out, "due %s: submitted now, first at %s\n", s, when(s.Next(now, now))); err != nil {
			return fmt.Errorf("print the schedule: %w", err)
		}
	}
	if d.Advice == nil {
		_, err := fmt.Fprintf(c.Out, "\nno advice from earlier runs: %s\n", d.NoAdvice)
		return err
	}
	return printAdvice(c.Out, d, f.coordinator)
}

// advice asks the coordinator what its earlier runs show.
func (f *submitFlags) advice(ctx context.Context, s spec.Submission) (*advice.Advice, error) {
	client, err := f.dial()
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, advicePatience)
	defer cancel()
	text, err := client.Advise(ctx, remote.Request{Submission: s, Agents: f.agents, Select: f.labels.Map()})
	if err != nil {
		return nil, err
	}
	a := new(advice.Advice)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, fmt.Errorf("read advice of the coordinator at %s: %w", f.coordinator, err)
	}
	return a, nil
}

// printOutline prints a line for each case and the totals.
func printOutline(out io.Writer, o plan.Outline) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t")) }
	row("case", "target", "phase", "rows", "ops", "threads", "mix", "distribution", "splits", "repeats", "time")
	for _, one := range o.Cases {
		row(one.Name, cmp.Or(one.Target, one.DB), one.Phase, count(one.Rows), count(one.Operations), threads(one), mix(one.Mix),
			cmp.Or(one.Distribution, "–"), cmp.Or(one.Splits, "–"), repeats(one), length(one))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print cases: %w", err)
	}
	for _, one := range o.Cases {
		if one.Search != nil {
			if _, err := fmt.Fprintf(out, "\n%s: %s\n", one.Name, searches(one)); err != nil {
				return fmt.Errorf("print searches: %w", err)
			}
		}
	}
	_, err := fmt.Fprintf(out, "\n%s, %s: %s rows written, %s operations, %s\n",
		several(len(o.Cases), "case"), runsOf(o), count(o.Rows), count(o.Operations), total(o))
	return err
}

// repeats returns the number of runs of a case; of a search it is an estimate.
func repeats(c plan.CaseOutline) string {
	if c.Search != nil {
		return fmt.Sprintf("about %s", several(c.Repeats, "probe"))
	}
	return strconv.Itoa(c.Repeats)
}

// searches describes a search.
func searches(c plan.CaseOutline) string {
	s := c.Search
	keep := s.Keep.String()
	if keep == "" {
		keep = "the highest throughput"
	}
	of := map[search.Vary]string{search.Rate: "rate", search.Threads: "threads"}[s.Vary]
	return fmt.Sprintf("searches %s from %s to %s, keeps %s, within %s %%; about %s with %s, at most %d",
		of, amount(s.From), amount(s.To), keep, amount(100*s.Tolerance), several(c.Repeats, "probe"), several(s.Confirm, "confirmation"), s.Most)
}

func amount(f float64) string {
	if f == math.Trunc(f) {
		return count(int64(f))
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// runsOf returns the number of runs, with its maximum if there are searches.
func runsOf(o plan.Outline) string {
	if o.RunsAtMost > 0 {
		return fmt.Sprintf("about %s (at most %s)", several(o.Runs, "run"), count(int64(o.RunsAtMost)))
	}
	return several(o.Runs, "run")
}

func count(n int64) string {
	if n <= 0 {
		return "–"
	}
	return result.Thousands(uint64(n))
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return result.Thousands(uint64(n)) + " " + noun + "s"
}

func threads(c plan.CaseOutline) string {
	switch {
	case c.Threads > 0 && c.Agents > 0:
		return fmt.Sprintf("%d × %s", c.Threads, several(c.Agents, "agent"))
	case c.Threads > 0:
		return fmt.Sprintf("%d per agent", c.Threads)
	case c.Agents > 0:
		return fmt.Sprintf("%d on %s", c.ThreadsTotal, several(c.Agents, "agent"))
	}
	return fmt.Sprintf("%d in total", c.ThreadsTotal)
}

// mix lists the shares of operations, the largest first.
func mix(shares map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(shares), func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %s%%", name, strconv.FormatFloat(shares[name]*100, 'g', 6, 64))
	}
	return cmp.Or(strings.Join(parts, " "), "–")
}

// length returns the estimate of a run's time, and its basis.
func length(c plan.CaseOutline) string {
	d := time.Duration(c.Seconds * float64(time.Second)).Round(time.Second)
	switch c.Basis {
	case plan.ByPublished:
		return fmt.Sprintf("%v at the published %s ops/s", d, count(int64(c.AssumedRate)))
	case plan.ByRate:
		return fmt.Sprintf("%v at the offered %s ops/s", d, count(int64(c.AssumedRate)))
	case plan.ByDuration:
		return "at most " + d.String()
	}
	return "unknown"
}

func total(o plan.Outline) string {
	d := time.Duration(o.Seconds * float64(time.Second)).Round(time.Second)
	most := ""
	if o.RunsAtMost > 0 {
		most = fmt.Sprintf(" (at most %v)", time.Duration(o.SecondsAtMost*float64(time.Second)).Round(time.Second))
	}
	switch o.Unknown {
	case 0:
		return "about " + d.String() + most
	case o.Runs:
		return "time unknown: it ends by operations, and has no known rate"
	}
	return fmt.Sprintf("about %v%s, and %s of unknown length", d, most, several(o.Unknown, "run"))
}

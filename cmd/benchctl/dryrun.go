package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// dryRun prints the cases and runs of a submission.
func dryRun(c *cli.Context, cmd *cobra.Command, f *submitFlags) error {
	s, err := f.submission(cmd, c.Origins)
	if err != nil {
		return err
	}
	j, err := validate(f.targets, s)
	if err != nil {
		return err
	}
	warn(c, texts(j.warnings))
	o := plan.Outlined(*j.suite, f.agents)
	if f.output == "json" {
		return printJSON(c.Out, o)
	}
	return printOutline(c.Out, o)
}

// printOutline prints a line for each case and the totals.
func printOutline(out io.Writer, o plan.Outline) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t")) }
	row("case", "target", "phase", "rows", "ops", "threads", "mix", "distribution", "splits", "repeats", "time")
	for _, one := range o.Cases {
		row(one.Name, cmp.Or(one.Target, one.DB), one.Phase, count(one.Rows), count(one.Operations), threads(one), mix(one.Mix),
			cmp.Or(one.Distribution, "–"), cmp.Or(one.Splits, "–"), strconv.Itoa(one.Repeats), length(one))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print cases: %w", err)
	}
	_, err := fmt.Fprintf(out, "\n%s, %s: %s rows written, %s operations, %s\n",
		several(len(o.Cases), "case"), several(o.Runs, "run"), count(o.Rows), count(o.Operations), total(o))
	return err
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
	switch o.Unknown {
	case 0:
		return "about " + d.String()
	case o.Runs:
		return "time unknown: it ends by operations, and has no known rate"
	}
	return fmt.Sprintf("about %v, and %s of unknown length", d, several(o.Unknown, "run"))
}

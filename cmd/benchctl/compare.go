package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
)

// comparison is the settings of a comparison.
type comparison struct {
	connect  *connectFlags
	smallest string
	figures  []string
	baseline string
	folder   string
}

func addComparison(cmd *cobra.Command, connect *connectFlags) *comparison {
	f := &comparison{connect: connect}
	cmd.Flags().StringVar(&f.smallest, "smallest", "5%", "smallest effect worth naming, a `SHARE` such as 2% or 0.02")
	addFiguresFlag(cmd, &f.figures, "figures to compare, such as throughput_ops,read_p99_us; empty: throughput, p50, p99 and p99.9")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "compare with the baseline `NAME`; see benchctl baseline")
	addBaselineFolder(cmd, &f.folder)
	return f
}

func addFiguresFlag(cmd *cobra.Command, to *[]string, usage string) {
	config.Var(cmd.Flags(), to, "figures", "NAME,…", usage,
		func(s string) ([]string, error) { return strings.Split(s, ","), nil }, func(s []string) string { return strings.Join(s, ",") })
}

// checkFigures returns an error for the first name of --figures that is not a figure.
func checkFigures(names []string, targets target.List) error {
	if err := remote.CheckFigures(names, targets.Descriptors()); err != nil {
		return fmt.Errorf("--figures: %w", err)
	}
	return nil
}

// compareFlags are the flags of compare.
type compareFlags struct {
	*comparison
	format      string
	lang        phrase.Translator
	failOnWorse bool
}

func compareCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "compare A B…",
		Short: "Compare results: is B faster than A?",
		Long: `Compare prints what differs between A and B besides the figures, the result, and for each case a sentence and a table: the
values of A and B, the change with its interval of 95 %, and a verdict: better, worse, no difference shown, or not enough
runs (fewer than four of a side). With more than ten cases, those without a difference have only their sentence.

A and B are suites or runs by ID, files of "report --format json", "show -o json" or "export", or several of these with
commas between them, whose runs are put together. ID:CASE is one case of a suite. ID@TARGET is the cases on one target, and
ID@KEY=VALUE those with a value of the matrix: S@hdd and S@ssd are paired by what else their cases have. Cases are paired by
name otherwise; two results of one case each are compared whatever their names. With more than two results, each is
compared with A.

A difference is named when its interval leaves out no change and the estimate is at least --smallest. What differs
besides, such as builds, settings and machines, is listed first. Open and closed loops, and a sandbox and a database, are
not compared.`,
		Example: `  benchctl compare 20260301-k7mp 20260302-x2ra
  benchctl compare 20260301-k7mp@hdd 20260301-k7mp@ssd
  benchctl compare 20260301-k7mp@threads.total=16 20260301-k7mp@threads.total=64 --smallest 2%
  benchctl compare before.json after.json --fail-on-worse
  benchctl compare --baseline main 20260302-x2ra -o json
  benchctl compare 20260301-k7mp 20260302-x2ra --lang zh`,
	}
	f := compareFlags{comparison: addComparison(cmd, addConnectFlags(cmd))}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if n := len(args); n < 2 && f.baseline == "" || n < 1 {
			return fmt.Errorf("want two results or more, A and B (or one with --baseline); got %d", n)
		}
		return nil
	}
	addOutputFlag(cmd, &f.format, "table", "json", "benchfmt")
	addLangFlag(cmd, &f.lang)
	cmd.Flags().BoolVar(&f.failOnWorse, "fail-on-worse", false, "end with exit code 3 where a figure is worse in B")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		comparisons, _, err := f.compare(ctx, cmd, targets, args)
		if err != nil {
			return err
		}
		if err := f.print(c, targets, comparisons); err != nil {
			return err
		}
		for _, one := range comparisons {
			if f.failOnWorse && one.Worse() {
				return &cli.Error{Code: cli.Violated}
			}
		}
		return nil
	}}
}

// compare compares each further result with the first, or all with the baseline. It also returns when the newest of them was submitted.
func (f *comparison) compare(ctx context.Context, cmd *cobra.Command, targets target.List, args []string) (all []compare.Comparison, newest time.Time, err error) {
	smallest, err := property.ParseShare(f.smallest)
	if err != nil {
		return nil, newest, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--smallest: %w", err)}
	}
	if err := checkFigures(f.figures, targets); err != nil {
		return nil, newest, &cli.UsageError{Command: cmd.CommandPath(), Err: err}
	}
	r := reader{connect: f.connect, targets: targets, series: len(f.figures) > 0}
	defer r.close()
	var a compare.Side
	if f.baseline == "" {
		a, err = r.side(ctx, args[0])
		args = args[1:]
	} else {
		a, err = r.baseline(f.folder, f.baseline)
	}
	if err != nil {
		return nil, newest, err
	}
	for _, name := range args {
		b, err := r.side(ctx, name)
		if err != nil {
			return nil, newest, err
		}
		all = append(all, compare.New(a, b, compare.Settings{Smallest: smallest, Figures: f.figures}))
	}
	return all, r.newest, nil
}

func (f *compareFlags) print(c *cli.Context, targets target.List, all []compare.Comparison) error {
	switch f.format {
	case "benchfmt":
		return report.ComparisonBenchmarks(c.Out, all)
	case "json":
		text, err := comparisonJSON(all)
		if err != nil {
			return err
		}
		return report.Indent(c.Out, text)
	}
	for i, one := range all {
		if i > 0 {
			if _, err := fmt.Fprintln(c.Out); err != nil {
				return err
			}
		}
		if err := report.ComparisonTable(c.Out, one, tableOptions(c.Out, targets, f.lang)); err != nil {
			return err
		}
	}
	return nil
}

// comparisonJSON is one comparison, or a list of several.
func comparisonJSON(all []compare.Comparison) ([]byte, error) {
	var of any = all
	if len(all) == 1 {
		of = all[0]
	}
	text, err := json.Marshal(of)
	if err != nil {
		return nil, fmt.Errorf("write comparison: %w", err)
	}
	return text, nil
}

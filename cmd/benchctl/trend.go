package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/trend"
)

// trendFlags are the flags of trend.
type trendFlags struct {
	connect     *connectFlags
	tags        config.Pairs
	one         string
	figures     []string
	smallest    string
	falseAlarms int
	last        int
	format      string
	failOnWorse bool
}

func trendCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "trend [NAME]",
		Short: "Show the results of a recurring suite, and the nights from which on they changed",
		Long: `Trend reads the ended suites of a name, or with some tags, in the order of their submission, and prints the values of
their cases with intervals. It tests each series for changes of its level, one suite after another as they came in: what it reports
for the newest suite is what it would have reported that night. A change has its first suite, its size with an interval, and what
else differs between the suites before and after it: versions, settings, machines.

The test needs 12 suites. One bad night alone is not named: a change has at least three nights. It allows one false alarm in
--false-alarms suites over all figures and cases together, so it finds a change sooner with fewer --figures or one --case.`,
		Example: `  benchctl trend nightly
  benchctl trend nightly --figures throughput_ops -o json | jq '.cases[].figures[].changes[]'
  benchctl trend --tag branch=main --case reads --fail-on-worse`,
	}
	f := trendFlags{connect: addConnectFlags(cmd), format: "table"}
	config.PairsVar(cmd.Flags(), &f.tags, "tag", "", "only suites with the tag; repeatable")
	cmd.Flags().StringVar(&f.one, "case", "", "`NAME` of the only case; empty: all")
	addFiguresFlag(cmd, &f.figures, "figures to test, such as throughput_ops,read_p99_us; empty: throughput, and p99 of each operation")
	cmd.Flags().StringVar(&f.smallest, "smallest", "3%", "smallest change worth naming, a `SHARE` such as 2% or 0.02")
	cmd.Flags().IntVar(&f.falseAlarms, "false-alarms", trend.Quiet, "`N` suites without a change have one false alarm at most, on average; 200 or more")
	cmd.Flags().IntVar(&f.last, "last", 400, "read only the latest `N` suites")
	addOutputFlag(cmd, &f.format, "table", "json")
	cmd.Flags().BoolVar(&f.failOnWorse, "fail-on-worse", false, "end with exit code 3 where the newest suite reveals a change to the worse")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 || len(args) == 0 && len(f.tags) == 0 {
			return fmt.Errorf("want the NAME of the suites, or --tag KEY=VALUE; got %d names", len(args))
		}
		return nil
	}
	cmd.ValidArgsFunction = completeFrom(f.connect, suiteNames)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		settings, err := f.settings(cmd, targets)
		if err != nil {
			return err
		}
		found, err := f.read(ctx, args, settings, targets)
		if err != nil {
			return err
		}
		if f.format == "json" {
			err = printJSON(c.Out, found)
		} else {
			err = report.TrendTable(c.Out, found, tableOptions(c.Out, targets, phrase.Translator{}))
		}
		newest := found.Suites[len(found.Suites)-1].ID
		worse := slices.ContainsFunc(found.FoundIn(newest), func(a trend.Alert) bool { return a.Verdict == compare.Worse })
		if err == nil && f.failOnWorse && worse {
			return &cli.Error{Code: cli.Violated}
		}
		return err
	}}
}

// settings validates the flags.
func (f *trendFlags) settings(cmd *cobra.Command, targets target.List) (trend.Settings, error) {
	refuse := func(err error) (trend.Settings, error) {
		return trend.Settings{}, &cli.UsageError{Command: cmd.CommandPath(), Err: err}
	}
	smallest, err := property.ParseShare(f.smallest)
	if err != nil {
		return refuse(fmt.Errorf("--smallest: %w", err))
	}
	if err := checkFigures(f.figures, targets); err != nil {
		return refuse(err)
	}
	switch {
	case f.falseAlarms < trend.Quiet:
		return refuse(fmt.Errorf("--false-alarms: invalid number %d: want %d suites or more", f.falseAlarms, trend.Quiet))
	case f.last < 1:
		return refuse(fmt.Errorf("--last: invalid number %d: want 1 suite or more", f.last))
	}
	return trend.Settings{Figures: f.figures, Case: f.one, Quiet: float64(f.falseAlarms), Smallest: smallest}, nil
}

// read reads the suites and makes their trend.
func (f *trendFlags) read(ctx context.Context, args []string, settings trend.Settings, targets target.List) (trend.Trend, error) {
	client, err := f.connect.dial()
	if err != nil {
		return trend.Trend{}, err
	}
	defer func() { _ = client.Close() }()
	of := remote.Recurring{Tags: f.tags.Map(), Last: f.last}
	if len(args) > 0 {
		of.Name = args[0]
	}
	return client.Trend(ctx, of, settings, targets.Descriptors())
}

// suiteNames completes the names of suites.
func suiteNames(ctx context.Context, client *remote.Client) []string {
	suites, err := client.List(ctx)
	if err != nil {
		return nil
	}
	return remote.SuiteNames(suites)
}

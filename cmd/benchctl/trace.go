package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/trace/model"
)

type traceFlags struct {
	model      string
	force      bool
	rate, rows float64
}

func traceCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "trace FILE",
		Short: "Summarize a trace, and make a model of it",
		Long: `Trace prints what a file of "benchctl capture" contains: operations, keys and their popularity, sizes, the rate over time.

With --model it also writes a workload model into a folder: properties of a run whose generated operations have the same
mix, popularity of keys, sizes and rate over time. Other than the trace itself, a model can be scaled: --rate-factor
multiplies the rate, --rows-factor the number of rows; the most popular thousand rows stay as popular as they are.`,
		Example: `  benchctl trace app.trace
  benchctl trace app.trace --model app.model --rate-factor 3 --rows-factor 10
  benchctl run --db null -P app.model/model.properties --threads 32`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("one FILE is needed: `%s`", cmd.UseLine())
			}
			return nil
		},
	}
	var f traceFlags
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "write a model of the trace into the folder `DIR`")
	flags.BoolVar(&f.force, "force", false, "replace existing files")
	flags.Float64Var(&f.rate, "rate-factor", 1, "factor of the rate of a model")
	flags.Float64Var(&f.rows, "rows-factor", 1, "factor of the number of rows of a model")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, args []string) error {
		return runTrace(c, cmd, &f, args[0])
	}}
}

func runTrace(c *cli.Context, cmd *cobra.Command, f *traceFlags, name string) error {
	wrong := func(err error) error { return &cli.UsageError{Command: cmd.CommandPath(), Err: err} }
	for flag, factor := range map[string]float64{"rate-factor": f.rate, "rows-factor": f.rows} {
		if !(factor > 0 && factor <= 1e6) {
			return wrong(fmt.Errorf("--%s: invalid factor %v: want a number above 0, at most a million", flag, factor))
		}
		if f.model == "" && cmd.Flags().Changed(flag) {
			return wrong(fmt.Errorf("--%s needs --model", flag))
		}
	}
	file, opened, err := openTrace(name)
	if err != nil {
		return wrong(fmt.Errorf("read trace %s: %w", name, err))
	}
	defer func() { _ = file.Close() }()
	m, err := model.Of(opened)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c.Out, summary(m)); err != nil || f.model == "" {
		return err
	}
	if err := os.MkdirAll(f.model, 0o755); err != nil {
		return err
	}
	files := report.NewFiles(f.force)
	defer files.Discard()
	for _, one := range m.Files(f.model, model.Scale{Rate: f.rate, Rows: f.rows}) {
		out, err := files.Create(filepath.Join(f.model, one.Name))
		if errors.Is(err, fs.ErrExist) {
			err = &cli.Error{Code: cli.Usage, Err: err}
		}
		if err == nil {
			_, err = io.WriteString(out, one.Text)
		}
		if err != nil {
			return err
		}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "model       %s\n", filepath.Join(f.model, model.PropertiesFile))
	return err
}

// summary describes a trace.
func summary(m model.Model) string {
	var b strings.Builder
	card := m.Card
	line := func(head, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s "+format+"\n", slices.Concat([]any{head}, args)...)
	}
	line("trace", "%s", card.ID())
	line("operations", "%s", cardLine(card))
	if card.Start != "" {
		line("start", "%s", card.Start)
	}
	if card.Table != "" {
		line("table", "%s", card.Table)
	}
	var mix []string
	for _, kind := range trace.KindNames() {
		if n := card.Mix[kind]; n > 0 {
			mix = append(mix, fmt.Sprintf("%s %.3g %%", kind, 100*card.Share(kind)))
		}
	}
	line("mix", "%s", strings.Join(mix, ", "))
	line("load", "%d rows must exist", card.Rows)
	var requests int64
	for _, part := range m.Popularity {
		requests += part.Requests
	}
	for _, top := range []int{1, 10, 100, 1000} {
		sum := int64(0)
		for _, part := range m.Popularity[:min(top, len(m.Popularity))] {
			sum += part.Requests
		}
		if requests > 0 && top <= len(m.Popularity) {
			line("popularity", "%.3g %% of the requests go to the %d most popular keys", 100*float64(sum)/float64(requests), top)
		}
	}
	if n := len(m.Sizes); n > 0 {
		q := func(p int) int { return m.Sizes[(n-1)*p/100] }
		line("sizes", "of values written, bytes: 25 %% up to %d, 50 %% up to %d, 75 %% up to %d, at most %d", q(25), q(50), q(75), q(100))
	}
	if s := card.Length.Seconds(); s > 0 {
		most := slices.Max(card.Counts)
		line("rate", "%.4g operations/s on average, at most %.4g within %v", float64(card.Ops)/s, float64(most)/card.Interval.Seconds(), card.Interval.Round(time.Microsecond))
	}
	return b.String()
}

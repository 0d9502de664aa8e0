package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
)

// reportFormats are the forms in which reports are written, and those that this version does not have yet.
func reportFormats() (now, later []string) {
	return []string{"md", "json", "csv", "ycsb", "hlog", "raw"}, []string{"html", "xlsx", "benchfmt"}
}

func reportCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "report ID --format FORMAT,… --out DIR",
		Short: "Write the result of a suite or run to files",
		Long: `Report writes the result of a suite or run into a directory, which it makes where there is none:

  md    ID.md                       for people: of a suite its tables with what was published beside what was measured, its
                                    cases over their repeats, actions, verdicts, provenance
  json  ID.json                     all that there is, as "show -o json" prints it
  csv   ID-operations.csv           a line for each operation of each phase
        ID-series.csv               and for each interval
        ID-cases.csv                of a suite: each figure of each case over its repeats
        ID-tables.csv               and its tables, a line for each cell
  ycsb  ID.ycsb.txt                 as YCSB prints it, or .json with its other exporters
  hlog  ID-PHASE-OPERATION.hlog     HdrHistogram logs in nanoseconds: a line of response times for each interval, and
                                    one of service times, tagged "service"
  raw   ID.raw.txt                  every operation as YCSB writes raw points, of a run that was submitted with
                                    measurementtype=raw and whose agents are connected; they keep them for a week.
                                    What agents that were lost during a load cannot give is named as missing
        ID-raw.csv                  the same with agent, phase and outcome, in nanoseconds

The files appear together, complete, or not at all. None takes the place of another without --force.`,
		Example: `  benchctl report 20260301-k7mp --format json,csv --out results
  benchctl report 20260301-k7mp --format md --out results --force
  benchctl report 20260301-k7mp.2 --format hlog --out .`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	var formats []string
	var out string
	var force bool
	now, _ := reportFormats()
	config.Var(cmd.Flags(), &formats, "format", "FORMAT,…", "forms to write: "+strings.Join(now, ", "), readFormats, func(s []string) string { return strings.Join(s, ",") })
	config.Complete(cmd, "format", now)
	cmd.Flags().StringVar(&out, "out", "", "`DIR` for the files")
	cmd.Flags().BoolVar(&force, "force", false, "replace files that are there")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		if len(formats) == 0 || out == "" {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--format and --out must be given, such as --format json,csv --out results")}
		}
		client, err := f.dial()
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		files := report.NewFiles(force)
		defer files.Discard()
		r := reporter{client: client, files: files, dir: out, warn: func(text string) { warn(c, []string{text}) }}
		if err := r.write(ctx, args[0], formats); err != nil {
			return err
		}
		if err := files.Commit(); err != nil {
			return err
		}
		for _, path := range files.Paths() {
			if _, err := fmt.Fprintln(c.Out, path); err != nil {
				return err
			}
		}
		return nil
	}}
}

// readFormats reads a list of formats.
func readFormats(s string) ([]string, error) {
	now, later := reportFormats()
	var formats []string
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		switch {
		case slices.Contains(later, name):
			return nil, fmt.Errorf("%s is not written by this version; it writes %s", name, strings.Join(now, ", "))
		case !slices.Contains(now, name):
			return nil, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(now, ", "))
		case !slices.Contains(formats, name):
			formats = append(formats, name)
		}
	}
	return formats, nil
}

// reporter writes the reports of one suite or run.
type reporter struct {
	client *remote.Client
	files  *report.Files
	dir    string
	warn   func(string)
}

func (r *reporter) write(ctx context.Context, id string, formats []string) error {
	text, err := r.client.Result(ctx, id)
	if err != nil {
		return err
	}
	run, suite, err := decode(text)
	if err != nil {
		return err
	}
	runs := []result.Run{run}
	if suite != nil {
		runs = suite.Runs
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return fmt.Errorf("make directory %s: %w", r.dir, err)
	}
	for _, format := range formats {
		switch {
		case format == "json":
			if err := r.json(id, text); err != nil {
				return err
			}
			continue
		case format == "md":
			book := report.RunBook(run)
			if suite != nil {
				book = report.SuiteBook(*suite)
			}
			if err := r.file(id+".md", func(w io.Writer) error { return report.Markdown(w, book) }); err != nil {
				return err
			}
			continue
		case format == "csv" && suite != nil:
			if err := r.suite(*suite); err != nil {
				return err
			}
		}
		for _, run := range runs {
			if err := r.run(ctx, run, format); err != nil {
				return err
			}
		}
	}
	return nil
}

// json writes what the coordinator gave: fields that this build does not know stay.
func (r *reporter) json(id string, text []byte) error {
	return r.file(id+".json", func(w io.Writer) error {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			return fmt.Errorf("read result: %w", err)
		}
		indented.WriteByte('\n')
		_, err := indented.WriteTo(w)
		return err
	})
}

// suite writes what a suite says over its runs for spreadsheets.
func (r *reporter) suite(s result.Suite) error {
	return errors.Join(
		r.file(s.ID+"-cases.csv", func(w io.Writer) error { return report.CasesCSV(w, s) }),
		r.file(s.ID+"-tables.csv", func(w io.Writer) error { return report.TablesCSV(w, s) }),
	)
}

// run writes one run in one form.
func (r *reporter) run(ctx context.Context, run result.Run, format string) error {
	switch format {
	case "csv":
		return errors.Join(
			r.file(run.ID+"-operations.csv", func(w io.Writer) error { return report.OperationsCSV(w, run) }),
			r.file(run.ID+"-series.csv", func(w io.Writer) error { return report.SeriesCSV(w, run) }),
		)
	case "ycsb":
		y, err := report.ParseYCSB(run.Resolved)
		if err != nil {
			return fmt.Errorf("read settings of run %s: %w", run.ID, err)
		}
		name := run.ID + ".ycsb.txt"
		if y.Exporter != report.Text {
			name = run.ID + ".ycsb.json"
		}
		return r.file(name, func(w io.Writer) error { return y.Write(w, run) })
	case "raw":
		return r.raw(ctx, run)
	default:
		return r.client.Histograms(ctx, run.ID, report.NewLogs(r.files, r.dir, run.ID).Add)
	}
}

// raw writes a run's operations in both forms.
func (r *reporter) raw(ctx context.Context, run result.Run) error {
	y, err := report.ParseYCSB(run.Resolved)
	if err != nil {
		return fmt.Errorf("read settings of run %s: %w", run.ID, err)
	}
	if !y.Raw() {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("run %s has no raw points: submit with -p measurementtype=raw or hdrhistogram+raw", run.ID)}
	}
	points := y.NewYCSBPoints()
	defer func() { _ = points.Close() }() // temporary files
	if err := r.file(run.ID+"-raw.csv", func(w io.Writer) error {
		table, err := report.NewPointsCSV(w)
		if err != nil {
			return err
		}
		got, err := r.client.Points(ctx, run.ID, func(p report.Point) error { return errors.Join(points.Add(p), table.Add(p)) })
		if got.Lost > 0 {
			r.warn(lostPoints(run.ID, got.Lost))
		}
		for _, text := range report.MissingPoints(run, got) {
			r.warn(text)
		}
		return errors.Join(err, table.Close())
	}); err != nil {
		return err
	}
	return r.file(run.ID+".raw.txt", func(w io.Writer) error {
		_, err := points.WriteTo(w)
		return err
	})
}

func lostPoints(run string, lost uint64) string {
	return fmt.Sprintf("%s raw points of run %s are missing: the agents' disks were slower than the load, or nearly full; its figures are not concerned", result.Thousands(lost), run)
}

func (r *reporter) file(name string, write func(io.Writer) error) error {
	w, err := r.files.Create(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	return write(w)
}

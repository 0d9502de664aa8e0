package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target"
)

// reportFlags are the flags of report.
type reportFlags struct {
	*comparison
	formats []string
	lang    phrase.Translator
	out     string
	force   bool
}

func reportCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "report RESULT [B…]",
		Short: "Write the result of a suite or run, or a comparison, to files",
		Long: `Report writes the result of a suite or run to files in a directory, which it creates if it is missing, and prints their paths,
one on a line. RESULT is an ID or a file of "report --format json", "show -o json", "export" or another program, as compare takes them.

With two results or more, or --baseline, it writes their comparison, for which RESULT and B are what A and B are to compare:
ID@TARGET and ID@KEY=VALUE are cases of a suite. Formats md, html, xlsx, json and benchfmt can hold a comparison.

` + report.FormatHelp() + `
ID is that of the suite or run. NAME-TIME is the name of the suite, with dashes for characters that files should not have in their
names, and the time at which it was submitted, in UTC: nightly-20260301-020000. A run of a suite has its number behind that (-run2).
A comparison has the names of its results and the time of the newest.

The files appear together and complete, or not at all. Existing files are replaced only with --force.`,
		Example: `  benchctl report 20260301-k7mp
  benchctl report 20260301-k7mp --format html,xlsx,csv --lang zh --out results --force
  benchctl report 20260301-k7mp.2 --format hlog
  benchctl report results/20260301-k7mp.json --format md
  benchctl report 20260301-k7mp@hdd 20260301-k7mp@ssd --format html,xlsx
  benchctl report --baseline main 20260302-x2ra`,
	}
	f := reportFlags{comparison: addComparison(cmd, addConnectFlags(cmd)), formats: []string{"html"}, out: "."}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("RESULT is missing: `%s`", cmd.UseLine())
		}
		return nil
	}
	cmd.ValidArgsFunction = completeFrom(f.connect, suiteIDs)
	config.Var(cmd.Flags(), &f.formats, "format", "FORMAT,…", "formats to write: "+strings.Join(report.FormatNames(), ", "), report.ParseFormats, func(s []string) string { return strings.Join(s, ",") })
	config.Complete(cmd, "format", report.FormatNames())
	addLangFlag(cmd, &f.lang)
	cmd.Flags().StringVar(&f.out, "out", f.out, "`DIR` for the files")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace existing files")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		r := reader{connect: f.connect, targets: targets}
		defer r.close()
		document, source, err := f.document(ctx, cmd, &r, args)
		if err != nil {
			return err
		}
		w := report.Writer{Dir: f.out, Source: source, Targets: targets.Descriptors(), Lang: f.lang.Lang(), Text: f.lang.Text, Warn: func(text string) { warn(c, []string{text}) }}
		paths, err := f.write(ctx, w, document)
		if err != nil {
			return ofUsage(err)
		}
		for _, path := range paths {
			if _, err := fmt.Fprintln(c.Out, path); err != nil {
				return err
			}
		}
		return nil
	}}
}

// document reads what is to be reported.
func (f *reportFlags) document(ctx context.Context, cmd *cobra.Command, r *reader, args []string) (report.Document, report.Source, error) {
	if len(args) > 1 || f.baseline != "" {
		d, err := f.compared(ctx, cmd, r.targets, args)
		return d, nil, err
	}
	for _, flag := range []string{"smallest", "figures"} {
		if cmd.Flags().Changed(flag) {
			return report.Document{}, nil, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--%s is for a comparison: name a second result", flag)}
		}
	}
	name, selected := splitReference(args[0])
	if _, err := os.Stat(name); selected != "" || err != nil && strings.Contains(name, ",") {
		return report.Document{}, nil, usage(fmt.Errorf("%s: a report of one result has all of its cases: name one ID or file, or a second result to compare with", args[0]))
	}
	read, err := r.read(ctx, name)
	if err != nil {
		return report.Document{}, nil, err
	}
	run, suite, err := result.Read(read.text)
	if err != nil {
		return report.Document{}, nil, usage(fmt.Errorf("%s: %w", name, err))
	}
	d := report.Document{ID: read.id, Text: read.text, Run: run, Suite: suite}
	switch {
	case d.ID != "":
	case suite != nil:
		d.ID = suite.ID
	case run.Provenance.Foreign != nil: // its ID is the path of its file
		d.ID = stem(run.ID)
		d.Run.ID, d.Run.Name = d.ID, d.ID
	default:
		d.ID = run.ID
	}
	return d, read.source, nil
}

// compared compares what is to be reported. A format that cannot hold a comparison is an error before anything is read.
func (f *reportFlags) compared(ctx context.Context, cmd *cobra.Command, targets target.List, args []string) (d report.Document, err error) {
	if err := report.CheckComparison(f.formats); err != nil {
		return d, usage(err)
	}
	if d.Comparisons, d.Created, err = f.compare(ctx, cmd, targets, args); err != nil {
		return d, err
	}
	names := slices.Clone(args)
	if f.baseline != "" {
		names = slices.Insert(names, 0, f.baseline)
	}
	for i, name := range names {
		names[i] = stem(name)
	}
	d.ID = strings.Join(names, "-vs-")
	d.Text, err = comparisonJSON(d.Comparisons)
	return d, err
}

// stem is the name of a file without its folder and extension; other names remain.
func stem(name string) string {
	path, selected := splitReference(name)
	base := filepath.Base(path)
	for _, ext := range []string{".json", ".txt", ".benchd", ".gz"} {
		base = strings.TrimSuffix(base, ext)
	}
	return report.SafeName(cmp.Or(base, path) + selected)
}

// write writes the files, or none of them. A directory that it makes for them does not remain empty.
func (f *reportFlags) write(ctx context.Context, w report.Writer, d report.Document) ([]string, error) {
	_, missing := os.Stat(f.out)
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return nil, usage(fmt.Errorf("make directory %s: %w; name another with --out", f.out, err))
	}
	w.Files = report.NewFiles(f.force)
	err := w.Write(ctx, d, f.formats)
	if err == nil {
		err = w.Files.Commit()
	}
	paths := w.Files.Paths()
	w.Files.Discard()
	if err != nil && errors.Is(missing, fs.ErrNotExist) {
		_ = os.Remove(f.out) // unless others have put files there
	}
	return paths, err
}

// ofUsage marks errors that another command line avoids: files that exist, folders that cannot be written, and formats without data.
func ofUsage(err error) error {
	noPoints, notHeld, notInFile := new(report.NoPointsError), new(report.NotHeldError), new(report.NotInFileError)
	if errors.As(err, &noPoints) || errors.As(err, &notHeld) || errors.As(err, &notInFile) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) {
		return usage(err)
	}
	return err
}

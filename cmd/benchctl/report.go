package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
)

func reportCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "report ID --format FORMAT,… --out DIR",
		Short: "Write the result of a suite or run to files",
		Long: `Report writes the result of a suite or run to files in a directory, which it creates if it is missing:

` + report.FormatHelp() + `
The files appear together and complete, or not at all. Existing files are replaced only with --force.`,
		Example: `  benchctl report 20260301-k7mp --format json,csv --out results
  benchctl report 20260301-k7mp --format md --lang zh --out results --force
  benchctl report 20260301-k7mp.2 --format hlog --out .`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	var formats []string
	var out string
	var force bool
	config.Var(cmd.Flags(), &formats, "format", "FORMAT,…", "formats to write: "+strings.Join(report.FormatNames(), ", "), report.ParseFormats, func(s []string) string { return strings.Join(s, ",") })
	config.Complete(cmd, "format", report.FormatNames())
	var lang phrase.Translator
	addLangFlag(cmd, &lang)
	cmd.Flags().StringVar(&out, "out", "", "`DIR` for the files")
	cmd.Flags().BoolVar(&force, "force", false, "replace existing files")
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
		w := report.Writer{Files: files, Dir: out, Source: client, Targets: targets.Descriptors(), Lang: lang.Lang(), Text: lang.Text, Warn: func(text string) { warn(c, []string{text}) }}
		if err := writeReport(ctx, client, &w, args[0], formats); err != nil {
			return err
		}
		if err := files.Commit(); err != nil {
			return ofUsage(err)
		}
		for _, path := range files.Paths() {
			if _, err := fmt.Fprintln(c.Out, path); err != nil {
				return err
			}
		}
		return nil
	}}
}

// writeReport writes the result of one suite or run.
func writeReport(ctx context.Context, client *remote.Client, w *report.Writer, id string, formats []string) error {
	text, err := client.Result(ctx, id)
	if err != nil {
		return err
	}
	run, suite, err := decode(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.Dir, 0o755); err != nil {
		return usage(fmt.Errorf("make directory %s: %w; name another with --out", w.Dir, err))
	}
	err = w.Write(ctx, report.Document{ID: id, Text: text, Run: run, Suite: suite}, formats)
	return ofUsage(err)
}

// ofUsage marks errors that another command line avoids: files that exist, and formats without data.
func ofUsage(err error) error {
	noPoints, notHeld := new(report.NoPointsError), new(report.NotHeldError)
	if errors.As(err, &noPoints) || errors.As(err, &notHeld) || errors.Is(err, fs.ErrExist) {
		return usage(err)
	}
	return err
}

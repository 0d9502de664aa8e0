package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target"
)

// resultFormats returns the output formats of a result.
func resultFormats() []string { return []string{"table", "json", "ycsb"} }

func addOutputFlag(cmd *cobra.Command, to *string, formats ...string) {
	config.Enum(cmd, to, "output", "o", "output format", formats...)
}

// addLangFlag adds the flag for the language of what people read.
func addLangFlag(cmd *cobra.Command, to *phrase.Translator) {
	names := phrase.Languages()
	config.Var(cmd.Flags(), to, "lang", strings.Join(names, "|"), "language of tables and reports; data formats are the same in all", phrase.For, phrase.Translator.Lang)
	config.Complete(cmd, "lang", names)
}

// conclude prints the result of an ended suite, and returns its verdict.
func conclude(ctx context.Context, c *cli.Context, client *remote.Client, targets target.List, id, format string, lang phrase.Translator, named report.YCSB) error {
	text, err := client.Result(ctx, id)
	if err != nil {
		return err
	}
	ended := verdict(text)
	delivered, err := deliver(ctx, c, client, text, format, named)
	if err == nil && (!delivered || format != "ycsb") {
		err = printResult(c, targets, text, format, lang)
	}
	if err != nil {
		return errors.Join(err, ended)
	}
	return ended
}

// printResult prints a suite's or run's result. JSON is printed as received from the coordinator, with fields that this build does
// not know.
func printResult(c *cli.Context, targets target.List, text []byte, format string, lang phrase.Translator) error {
	out := c.Out
	if format == "json" {
		return report.Indent(out, text)
	}
	run, suite, err := result.Read(text)
	if err != nil {
		return err
	}
	if suite != nil {
		return printSuite(out, *suite, format, tableOptions(out, targets, lang))
	}
	if format == "ycsb" {
		ycsb, err := report.YCSBOf(run)
		if err != nil {
			return err
		}
		if err := ycsb.Write(out, run); err != nil {
			return err
		}
		noteOmitted(c, ycsb, run)
		return nil
	}
	return report.Table(out, run, tableOptions(out, targets, lang))
}

func printSuite(out io.Writer, suite result.Suite, format string, o report.Options) error {
	if format == "ycsb" {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("suite %s has %d runs, and YCSB's format has room for one: show one of them, such as %s.1", suite.ID, len(suite.Runs), suite.ID)}
	}
	return report.SuiteTable(out, suite, o)
}

// tableOptions fit a table to a terminal. Other outputs get no colours.
func tableOptions(out io.Writer, targets target.List, lang phrase.Translator) report.Options {
	o := report.Options{Targets: targets.Descriptors(), Text: lang.Text}
	tty := terminal(out)
	if tty == nil {
		return o
	}
	width, _, err := term.GetSize(tty.Fd())
	if err != nil {
		width = 0
	}
	o.Width, o.Colour = width, config.Colour()
	return o
}

// printJSON prints v as indented JSON, for scripts.
func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

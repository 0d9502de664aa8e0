package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/cli"
)

func archiveCommand() cli.Command {
	return cli.Command{
		Command: &cobra.Command{
			Use:   "archive",
			Short: "Back up a coordinator's archive, or check it for damage",
			Long: `Archive works on the archive in the directory --data of a coordinator, on the coordinator's machine, whether the
coordinator runs or not. It only reads.`,
			Example: `  benchd archive check --data /var/lib/benchd
  benchd archive backup --data /var/lib/benchd /backup/benchd.db`,
		},
		Commands: []cli.Command{backupCommand(), checkCommand()},
	}
}

// namedWrongly gives a file or directory that is not the one meant the exit code of bad usage.
func namedWrongly(err error) error {
	for _, kind := range []error{archive.ErrNotFound, archive.ErrExists, archive.ErrNotArchive} {
		if errors.Is(err, kind) {
			return &cli.Error{Code: cli.Usage, Err: err}
		}
	}
	return err
}

func dataFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "data", "benchd-data", "`DIR` of the archive")
}

func backupCommand() cli.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the archive into a new file, while the coordinator runs",
		Long: `Backup copies the archive into a new file. What it copies is of one instant, and no run waits for it. The copy is an
archive itself: put it into an empty directory under the name benchd.db, and start a coordinator with that as --data.`,
		Example: `  benchd archive backup --data /var/lib/benchd /backup/benchd-$(date +%F).db`,
		Args:    cli.Exactly("FILE"),
	}
	dataFlag(cmd, &data)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		if err := sqlite.Backup(ctx, data, args[0]); err != nil {
			return namedWrongly(err)
		}
		_, err := fmt.Fprintln(c.Out, args[0])
		return err
	}}
}

func checkCommand() cli.Command {
	var data string
	var full bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Look for damage in the archive, while the coordinator runs",
		Long: `Check reads every page of the archive and compares tables with their indexes; with --full it also reads every histogram
and compares it with the figures beside it. The exit code is 0 when nothing was found, 1 when the archive is damaged.
A coordinator takes a quick look by itself when it starts.`,
		Example: `  benchd archive check --data /var/lib/benchd --full`,
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&full, "full", false, "read every histogram, too")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		found, err := sqlite.Check(ctx, data, full)
		if err != nil {
			return namedWrongly(err)
		}
		looked := []string{"pages and indexes"}
		if found.Histograms {
			looked = append(looked, "every histogram")
		}
		_, err = fmt.Fprintf(c.Out, "no damage found in %s: %d suites, %d runs, %d windows, %.1f MB (%.1f MB of them free)\n",
			strings.Join(looked, " and "), found.Suites, found.Runs, found.Windows, float64(found.Bytes)/1e6, float64(found.Free)/1e6)
		return err
	}}
}

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
			Short: "Back up a coordinator's archive, check it for damage, or copy it into another database",
			Long: `Archive has commands for the machine of a coordinator. Check and backup read the archive in its directory --data, whether the
coordinator runs or not, and change nothing. Copy moves an archive to PostgreSQL, or back.`,
			Example: `  benchd archive check --data /var/lib/benchd
  benchd archive backup --data /var/lib/benchd /backup/benchd.db
  benchd archive copy /var/lib/benchd postgres://benchd@db.example.com/benchd`,
		},
		Commands: []cli.Command{backupCommand(), checkCommand(), copyCommand()},
	}
}

// usageOfPath gives errors about a wrong file or directory the exit code of bad usage.
func usageOfPath(err error) error {
	for _, kind := range []error{archive.ErrNotFound, archive.ErrExists, archive.ErrNotArchive} {
		if errors.Is(err, kind) {
			return &cli.Error{Code: cli.Usage, Err: err}
		}
	}
	return err
}

// requireDirectory refuses no directory, and the URL of an archive in PostgreSQL, which may have a password.
func requireDirectory(data, instead string) error {
	if !isURL(data) {
		return requireData(data)
	}
	return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("--data: want the directory of an archive in SQLite; %s one in PostgreSQL", instead)}
}

// requireData refuses an empty --data, such as that of a variable that is not set: it would be the current directory.
func requireData(data string) error {
	if data != "" {
		return nil
	}
	return &cli.Error{Code: cli.Usage, Err: errors.New("--data is empty: give the directory of the archive")}
}

func dataFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "data", "benchd-data", "`DIR` of the archive")
}

func backupCommand() cli.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the archive into a new file, while the coordinator runs",
		Long: `Backup copies the archive into a new file. The copy shows the archive at one instant, and no run waits for it. To use the
copy as an archive, put it into an empty directory under the name benchd.db, and start a coordinator with that as --data.`,
		Example: `  benchd archive backup --data /var/lib/benchd /backup/benchd-$(date +%F).db`,
		Args:    cli.Exactly("FILE"),
	}
	dataFlag(cmd, &data)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		if err := requireDirectory(data, "pg_dump backs up"); err != nil {
			return err
		}
		if err := sqlite.Backup(ctx, data, args[0]); err != nil {
			return usageOfPath(err)
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
		Short: "Check the archive for damage, while the coordinator runs",
		Long: `Check reads every page of the archive and compares tables with their indexes; with --full it also reads every histogram
and compares it with the figures stored beside it. The exit code is 0 if no damage was found, 1 if the archive is damaged.
A coordinator makes a quick check when it starts.`,
		Example: `  benchd archive check --data /var/lib/benchd --full`,
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&full, "full", false, "also read every histogram")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		if err := requireDirectory(data, "pg_amcheck checks"); err != nil {
			return err
		}
		found, err := sqlite.Check(ctx, data, full)
		if err != nil {
			return usageOfPath(err)
		}
		looked := []string{"pages and indexes"}
		if found.Histograms {
			looked = append(looked, "every histogram")
		}
		_, err = fmt.Fprintf(c.Out, "no damage found in %s: suites: %d, runs: %d, windows: %d, %.1f MB (%.1f MB of them free)\n",
			strings.Join(looked, " and "), found.Suites, found.Runs, found.Windows, float64(found.Bytes)/1e6, float64(found.Free)/1e6)
		return err
	}}
}

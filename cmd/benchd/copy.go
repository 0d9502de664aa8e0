package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/mirror"
	"github.com/benchd/benchd/internal/cli"
)

// reportEach is the time between two lines about the progress of a copy.
const reportEach = 5 * time.Second

func copyCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy all of an archive into another one, such as from SQLite to PostgreSQL, and check the copy",
		Long: `Copy copies all suites and schedules of an archive, and compares every row of the copy with the original. FROM and TO are the
directory of a coordinator, or the URL of a PostgreSQL database. Stop the coordinators of both archives first.

Sessions of browsers, used join tokens, undelivered webhooks and uploaded traces are copied between databases only: a directory has
them as files beside the archive, which stay there.

TO must be empty, or a copy that was interrupted: suites that it has already are compared. The results of the copy are those of
the original, byte for byte. The original is not changed; an older one is migrated to this version first, as by a coordinator.

The password of a database comes from PGPASSWORD or ~/.pgpass.`,
		Example: `  benchd archive copy /var/lib/benchd postgres://benchd@db.example.com/benchd
  benchd archive copy postgres://benchd@db.example.com/benchd /var/lib/benchd`,
		Args: cli.Exactly("FROM", "TO"),
	}
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		if err := errors.Join(checkPlace("FROM", args[0]), checkPlace("TO", args[1])); err != nil {
			return err
		}
		return runCopy(ctx, c, args[0], args[1])
	}}
}

func runCopy(ctx context.Context, c *cli.Context, from, to string) (err error) {
	if err := requireArchive(from); err != nil {
		return err
	}
	if from == to || !isURL(from) && filepath.Clean(from) == filepath.Clean(to) {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("FROM and TO are the same archive, %s", from)}
	}
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	defer func() {
		if cause := context.Cause(ctx); cause != nil && errors.Is(cause, archive.ErrFenced) {
			err = cause
		}
	}()
	source, err := openPlace(ctx, c, from, lost)
	if err != nil {
		return cli.StartError(fmt.Errorf("FROM: %w", err))
	}
	defer func() { err = errors.Join(err, source.free()) }()
	target, err := openPlace(ctx, c, to, lost)
	if err != nil {
		return cli.StartError(fmt.Errorf("TO: %w", err))
	}
	defer func() { err = errors.Join(err, target.free()) }()
	reported := time.Now()
	done, err := mirror.Copy(ctx, source, target, func(p mirror.Progress) {
		if time.Since(reported) >= reportEach {
			reported = time.Now()
			c.Logger.Info("archive is being copied", "suites", p.Suites, "of", p.Of, "bytes", p.Bytes)
		}
	})
	if err != nil {
		return usageOfPath(err)
	}
	if done.Left > 0 {
		c.Logger.Warn("records of the coordinator stay in the database: sessions of browsers end, undelivered webhooks are not sent, and a join token that was used counts again until it expires", "records", done.Left)
	}
	_, err = fmt.Fprintf(c.Out, "copied %s to %s: suites: %d (there already: %d), runs: %d, schedules: %d, %.1f MB; every row of the copy is the same\n",
		source.name, target.name, done.Suites, done.There, done.Runs, done.Schedules, float64(done.Bytes)/1e6)
	return err
}

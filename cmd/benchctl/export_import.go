package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

func exportCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write an ended suite as one file, for the archive of another coordinator",
		Long: `Export writes an ended suite with all its measurements to one file. "benchctl import" adds the file to the archive of another
coordinator, which shows the same results. The file has a version and ends with a checksum; later versions of benchd read
it. Without --out its name is ID.benchd; "-" is standard output.`,
		Example: `  benchctl export 20260301-k7mp
  benchctl export 20260301-k7mp --out - | ssh lab benchctl import -`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	var out string
	var force bool
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write; default ID.benchd")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		id := args[0]
		switch out {
		case "-":
			if terminal(c.Out) != nil {
				return &cli.Error{Code: cli.Usage, Err: errors.New("an exported suite is binary: redirect it to a file or a program, or give --out FILE")}
			}
			return client.Export(ctx, id, c.Out)
		case "":
			out = id + ".benchd"
		}
		files := report.NewFiles(force)
		defer files.Discard()
		file, err := files.Create(out)
		if errors.Is(err, fs.ErrExist) {
			err = &cli.Error{Code: cli.Usage, Err: err}
		}
		if err != nil {
			return err
		}
		if err := client.Export(ctx, id, file); err != nil {
			return err
		}
		if err := files.Commit(); err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, out)
		return err
	})}
}

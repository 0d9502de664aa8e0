package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/target"
)

func validateCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Judge a benchmark without running it",
		Long: `Validate judges what "submit" and "run" would be given, without running it, and tells all that is wrong. It asks no
coordinator, unless --coordinator is given: then that one judges too, by its own version and targets.

Mistakes in a suite file are told with file, line and column, all in one go. A suite's trial block is judged too; --trial
judges the suite as it is with it.`,
		Example: `  benchctl validate -P workloads/workloada -p requestdistribution=zipfian
  benchctl validate -P workloads/workloada --coordinator 127.0.0.1:7070
  benchctl validate -f suite.yaml
  benchctl validate --schema >suite.schema.json`,
	}
	s, connect := addSubmissionFlags(cmd, targets), addConnectFlags(cmd)
	schema := cmd.Flags().Bool("schema", false, "print the JSON Schema of suite files, for editors, and judge nothing")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		if *schema {
			_, err := c.Out.Write(targets.Reader().Schema())
			return err
		}
		submission, err := s.submission(cmd, c.Origins)
		if err != nil {
			return err
		}
		j, err := judge(targets, submission)
		if err != nil {
			return err
		}
		told := make([]string, len(j.warnings))
		for i, w := range j.warnings {
			told[i] = w.String()
		}
		if c.Origins.Set("coordinator") {
			client, err := connect.dial()
			if err != nil {
				return err
			}
			defer func() { _ = client.Close() }()
			if told, err = client.Validate(ctx, submission); err != nil {
				return err
			}
		}
		warn(c, told)
		_, err = fmt.Fprintln(c.Err, "valid")
		return err
	}}
}

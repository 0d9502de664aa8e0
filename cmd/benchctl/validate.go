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
		Short: "Validate a benchmark without running it",
		Long: `Validate checks the input of "submit" and "run" without running it, and reports all mistakes. It needs no coordinator. With
--coordinator, that coordinator also checks it, by its own version and targets.

Mistakes in a suite file are reported together, with file, line and column. The suite's trial block is checked, too; --trial
checks the suite with the trial block applied.`,
		Example: `  benchctl validate -P workloads/workloada -p requestdistribution=zipfian
  benchctl validate -P workloads/workloada --coordinator 127.0.0.1:7070
  benchctl validate -f suite.yaml
  benchctl validate --schema >suite.schema.json`,
	}
	s, connect := addSubmissionFlags(cmd, targets), addConnectFlags(cmd)
	schema := cmd.Flags().Bool("schema", false, "print the JSON Schema of suite files, for editors, and validate nothing")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		if *schema {
			_, err := c.Out.Write(targets.Reader().Schema())
			return err
		}
		submission, err := s.submission(cmd, c.Origins)
		if err != nil {
			return err
		}
		j, err := validate(targets, submission)
		if err != nil {
			return err
		}
		warnings := texts(j.warnings)
		if c.Origins.Set("coordinator") || c.Origins.Set("profile") {
			client, err := connect.dial()
			if err != nil {
				return err
			}
			defer func() { _ = client.Close() }()
			if warnings, err = client.Validate(ctx, submission); err != nil {
				return err
			}
		}
		warn(c, warnings)
		_, err = fmt.Fprintln(c.Err, "valid")
		return err
	}}
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/outbound"
)

// AllowTargetFlag declares --allow-target: to what the operator of this process lets runs and actions connect.
func AllowTargetFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "allow-target", nil, "let runs and actions connect to this `TARGET` only: a network such as 10.0.0.0/8, a host, HOST:PORT, or private, "+
		"which is the default and means private networks and loopback; repeatable, and replaces the default")
}

// Outbound makes the dialer of the targets that --allow-target names.
func Outbound(cmd *cobra.Command, targets []string) (*outbound.Dialer, error) {
	dialer, err := outbound.New(targets)
	if err != nil {
		return nil, &UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--allow-target: %w", err)}
	}
	return dialer, nil
}

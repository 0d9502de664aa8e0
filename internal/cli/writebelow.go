package cli

import "github.com/spf13/cobra"

// WriteBelowFlag declares --write-below: the folder in which the operator of this process lets runs write files.
func WriteBelowFlag(cmd *cobra.Command, to *string, usual string) {
	usage := "let runs write files, such as null.log, below `DIR` and nowhere else"
	if usual == "" {
		usage += "; without it they are refused"
	}
	cmd.Flags().StringVar(to, "write-below", usual, usage)
}

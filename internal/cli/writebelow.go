package cli

import "github.com/spf13/cobra"

// WriteBelowFlag declares --write-below: the folder in which the operator of this process lets runs write files.
func WriteBelowFlag(cmd *cobra.Command, to *string, usual string) {
	usage := "allow runs to write files, such as null.log, below `DIR` only: a local folder, or one of HDFS (hdfs://HOST:PORT/PATH)"
	if usual == "" {
		usage += "; without it such runs are rejected"
	}
	cmd.Flags().StringVar(to, "write-below", usual, usage)
}

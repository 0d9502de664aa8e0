package cli

import (
	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/config"
)

// On and Off are the values of --raw-io.
const (
	On  = "on"
	Off = "off"
)

// RawIOFlag declares --raw-io, whose default is On.
func RawIOFlag(cmd *cobra.Command, to *string) {
	*to = On
	config.Enum(cmd, to, "raw-io", "", "make system calls without notifying Go's runtime, which saves processor time for each operation (Linux only); off for a comparison", On, Off)
}

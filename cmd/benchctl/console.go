package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

func consoleCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Print a link to the web console",
		Long: `Console prints a link to the coordinator's web console. The link logs a browser in as the user of this command, with the same
role and grants. It is valid for two minutes and once: open it yourself, and give it to nobody. Where the console needs no
login, the link is its address.

The session of the browser ends after 12 hours without use, after 7 days, by a logout in the console, when the certificate of
the user expires or is revoked, and when the coordinator restarts.`,
		Example: `  benchctl console
  xdg-open "$(benchctl console)"`,
	}
	connect := addConnectFlags(cmd)
	return cli.Command{Command: cmd, Run: ask(connect, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
		console, err := client.OpenConsole(ctx)
		if err != nil {
			return err
		}
		if console.ValidFor > 0 {
			_, _ = fmt.Fprintf(c.Err, "open this link within %s; it logs in once:\n", console.ValidFor)
		}
		_, err = fmt.Fprintln(c.Out, report.Printable(console.URL))
		return err
	})}
}

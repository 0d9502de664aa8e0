package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
)

type auditFlags struct {
	output, who string
	last        time.Duration
	refused     bool
}

func auditCommand() cli.Command {
	f := auditFlags{output: "table"}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who changed what, and what was refused",
		Long: `Audit prints the coordinator's audit log, the oldest record first: submissions, cancels, imports, removals, drained agents,
actions on targets, sessions of agents, issued certificates, and all refused calls and HTTP requests. WHO is the name in the
peer's certificate; "says NAME" is a name that the peer gave itself, which nobody has verified. Only an admin may read the
log.`,
		Example: `  benchctl audit --last 24h
  benchctl audit --refused
  benchctl audit --who anna -o json | jq -r '.[] | select(.call == "Act") | "\(.time) \(.details.action) \(.details.table)"'`,
	}
	connect := addConnectFlags(cmd)
	addOutputFlag(cmd, &f.output, "table", "json")
	cmd.Flags().StringVar(&f.who, "who", "", "only records of the peer with this `NAME`")
	cmd.Flags().BoolVar(&f.refused, "refused", false, "only what was refused")
	config.Duration(cmd.Flags(), &f.last, "last", false, "only records of this time until now; 0s for all")
	return cli.Command{Command: cmd, Run: ask(connect, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
		query := audit.Query{Who: f.who, Refused: f.refused}
		if f.last > 0 {
			query.Since = time.Now().Add(-f.last)
		}
		if f.output == "json" {
			return printAudit(ctx, c.Out, client, query)
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "TIME\tWHO\tROLE\tFROM\tCALL\tOUTCOME\tDETAILS")
		err := client.Audit(ctx, query, func(_ []byte, r audit.Record) error {
			outcome := string(r.Outcome)
			if r.Times > 1 {
				outcome = fmt.Sprintf("%s ×%d", outcome, r.Times)
			}
			_, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", when(r.Time), report.Printable(peerOf(r)), report.Printable(r.Role),
				report.Printable(r.From), report.Printable(r.Call), outcome, report.Printable(detailsOf(r)))
			return err
		})
		if err != nil {
			return err
		}
		return t.Flush()
	})}
}

// printAudit prints the records as an array of JSON, each as it arrives.
func printAudit(ctx context.Context, out io.Writer, client *remote.Client, query audit.Query) error {
	before := "["
	err := client.Audit(ctx, query, func(line []byte, _ audit.Record) error {
		_, err := fmt.Fprintf(out, "%s\n  %s", before, line)
		before = ","
		return err
	})
	if err != nil {
		return err
	}
	if before == "[" {
		_, err = fmt.Fprintln(out, "[]")
	} else {
		_, err = fmt.Fprintln(out, "\n]")
	}
	return err
}

// peerOf returns the verified name of a record's peer, with the one that it gave itself.
func peerOf(r audit.Record) string {
	switch {
	case r.Claims == "":
		return r.Who
	case r.Who == "":
		return "says " + r.Claims
	}
	return r.Who + ", says " + r.Claims
}

func detailsOf(r audit.Record) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		parts = append(parts, name+"="+r.Details[name])
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, ", ")
}

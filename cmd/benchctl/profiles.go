package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/profile"
	"github.com/benchd/benchd/internal/report"
)

// profileDocument is a profile as JSON.
type profileDocument struct {
	Name    string     `json:"name"`
	Address string     `json:"address"`
	Current bool       `json:"current"`
	Who     string     `json:"who,omitempty"`
	Role    string     `json:"role,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
	Problem string     `json:"problem,omitempty"`
}

func profilesCommand() cli.Command {
	output := "table"
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "List the profiles of coordinators",
		Long: `Profiles lists the profiles of "benchctl login", and those of "benchd dev" while it runs. Commands without --coordinator use the
current one.`,
		Example: `  benchctl profiles
  benchctl profiles -o json | jq -r '.[] | select(.current) | .address'`,
	}
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, _ []string) error {
		list, err := cli.Profiles().List()
		if err != nil {
			return err
		}
		documents := make([]profileDocument, len(list))
		for i, e := range list {
			documents[i] = describeProfile(e, time.Now())
		}
		if output == "json" {
			return printJSON(c.Out, documents)
		}
		return printProfiles(c.Out, documents)
	}, Commands: []cli.Command{useProfileCommand()}}
}

func useProfileCommand() cli.Command {
	cmd := &cobra.Command{
		Use:               "use NAME",
		Short:             "Make a profile the current one",
		Long:              `Use makes a profile the current one: commands without --coordinator connect to its coordinator.`,
		Example:           `  benchctl profiles use bench.example.org`,
		Args:              cli.Exactly("NAME"),
		ValidArgsFunction: completeProfile,
	}
	return cli.Command{Command: cmd, Run: func(_ context.Context, _ *cli.Context, args []string) error {
		if err := cli.Profiles().Use(args[0]); err != nil {
			return usage(err)
		}
		return nil
	}}
}

// describeProfile describes a profile, or why it cannot be used.
func describeProfile(e profile.Entry, now time.Time) profileDocument {
	d := profileDocument{Name: e.Profile.Name, Address: e.Profile.Address, Current: e.Current}
	if e.Err != nil {
		d.Problem = e.Err.Error()
		return d
	}
	if !e.Profile.Secured() {
		return d
	}
	who, until, err := e.Profile.Owner()
	if err != nil {
		d.Problem = err.Error()
		return d
	}
	d.Who, d.Role, d.Expires = who.Name, string(who.Role), &until
	if now.After(until) {
		d.Problem = "the certificate has expired: log in with a new one"
	}
	return d
}

func printProfiles(out io.Writer, list []profileDocument) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CURRENT\tNAME\tCOORDINATOR\tWHO\tROLE\tCERTIFICATE UNTIL\tPROBLEM")
	for _, d := range list {
		current, until := "", ""
		if d.Current {
			current = "*"
		}
		if d.Expires != nil {
			until = d.Expires.UTC().Format(time.RFC3339)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", current, d.Name, report.Printable(d.Address), report.Printable(d.Who), d.Role, until, report.Printable(d.Problem))
	}
	return w.Flush()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

func pkiCommand() cli.Command {
	return cli.Command{
		Command: &cobra.Command{
			Use:   "pki",
			Short: "Make and revoke the certificates of an installation",
			Long: `Pki is the certificate authority of an installation, a directory of files. A certificate names a peer of benchd and its role:

  viewer       reads results and metrics
  operator     also submits and cancels runs, and acts on targets without destroying data, except for its grants
  admin        does everything that a person may do
  agent        produces load under its name
  coordinator  controls agents

"benchd pki issue coordinator" writes all files of a coordinator into one directory. Its agents' authority can issue
certificates of agents only, each for a join token of "benchd pki token". Only "benchd pki issue" uses the root's key, ca.key:
keep that on one machine, with a backup. A site's own authority can replace this one: its certificates need one URI as
subject alternative name, such as benchd://operator/anna.`,
			Example: `  benchd pki init --dir /etc/benchd/pki
  benchd pki issue coordinator bench --host bench.example.org --dir /etc/benchd/pki
  benchd pki token --name client-1 --dir /etc/benchd/pki
  benchd pki list --dir /etc/benchd/pki`,
		},
		Commands: []cli.Command{pkiInitCommand(), pkiIssueCommand(), pkiTokenCommand(), pkiListCommand(), pkiRevokeCommand()},
	}
}

func dirFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "dir", "benchd-pki", "`DIR` of the authority")
}

// usageOfPKI gives the mistakes of a command line the exit code of bad usage.
func usageOfPKI(err error) error {
	for _, kind := range []error{pki.ErrNoAuthority, pki.ErrNotEmpty, pki.ErrInput, pki.ErrUnknown} {
		if errors.Is(err, kind) {
			return &cli.Error{Code: cli.Usage, Err: err}
		}
	}
	return err
}

// lifeFlag declares a flag for the life of a certificate; zero is the default.
func lifeFlag(fs *pflag.FlagSet, to *time.Duration, usage string) {
	config.Var(fs, to, "life", "D", usage, parseLife, func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return strconv.Itoa(int(d/day)) + "d"
	})
}

const day = 24 * time.Hour

// parseLife reads a number of days, such as 90d, or a duration as Go writes it.
func parseLife(s string) (time.Duration, error) {
	if number, is := strings.CutSuffix(s, "d"); is {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return 0, fmt.Errorf("invalid life %q: want a number of days from 1d to %dd", s, 1<<16-1)
		}
		return time.Duration(n) * day, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("invalid life %q: want a number of days, such as 90d, or a time such as 12h", s)
	}
	return d, nil
}

func pkiInitCommand() cli.Command {
	var dir string
	var o pki.InitOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make an authority in an empty or a new directory",
		Long: `Init makes an authority: the root (ca.crt, ca.key), the agents' authority below it (agents.crt, agents.key), the list of
certificates (issued.jsonl) and the deny list (revoked). It refuses a directory with other files.`,
		Example: `  benchd pki init
  benchd pki init --dir /etc/benchd/pki --life 1825d`,
	}
	dirFlag(cmd, &dir)
	lifeFlag(cmd.Flags(), &o.Life, "life of the authority, such as `1825d`; no certificate outlives it; default is ten years")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, _ []string) error {
		a, err := pki.Init(dir, o)
		if err != nil {
			return usageOfPKI(err)
		}
		_, err = fmt.Fprintf(c.Out, "%s\n", filepath.Join(a.Dir(), pki.RootFile))
		c.Logger.Info("authority is ready: keep its root key on this machine, with a backup", "key", filepath.Join(a.Dir(), pki.RootKeyFile))
		return err
	}}
}

type issueFlags struct {
	dir, out      string
	hosts, grants []string
	life          time.Duration
}

func pkiIssueCommand() cli.Command {
	var f issueFlags
	cmd := &cobra.Command{
		Use:   "issue ROLE NAME",
		Short: "Issue a certificate",
		Long: `Issue makes a key and its certificate, and prints the files that it writes: ca.crt, tls.crt and tls.key, and for a coordinator
also the agents' authority and the deny list. Copy them to the peer over a safe channel. A certificate of the same name in
--out is replaced. The certificate stays valid until it expires or is revoked; agents that join by "benchd pki token" need
none of it.

An operator may drop tables, start hooks and inject faults only by grants: drop:TABLE, hook:NAME and fault:KIND, with * for
any characters.`,
		Example: `  benchd pki issue coordinator bench --host bench.example.org --host 10.0.0.1
  benchd pki issue operator anna --grant 'drop:benchd_*' --grant hook:restart --life 90d --out anna
  benchd pki issue viewer grafana`,
		Args: cli.Exactly("ROLE", "NAME"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var roles []string
			for _, r := range identity.Roles() {
				roles = append(roles, string(r))
			}
			return roles, cobra.ShellCompDirectiveNoFileComp
		},
	}
	fs := cmd.Flags()
	dirFlag(cmd, &f.dir)
	fs.StringVar(&f.out, "out", "", "`DIR` for the files; created if missing; default is ROLE-NAME in --dir")
	fs.StringSliceVar(&f.hosts, "host", nil, "`HOST` name or address by which others reach a coordinator or an agent; repeatable")
	fs.StringSliceVar(&f.grants, "grant", nil, "`PRIVILEGE:PATTERN` of an operator, such as drop:benchd_*; repeatable")
	lifeFlag(fs, &f.life, "life of the certificate, such as `90d`; default is a year")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, args []string) error {
		return usageOfPKI(issue(c, f, identity.Identity{Role: identity.Role(args[0]), Name: args[1]}))
	}}
}

func issue(c *cli.Context, f issueFlags, id identity.Identity) error {
	var problems []error
	for _, text := range f.grants {
		g, err := identity.ParseGrant(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("--grant: %w", err))
		}
		id.Grants = append(id.Grants, g)
	}
	if err := errors.Join(append(problems, identity.CheckRole(id.Role), identity.CheckName(id.Name))...); err != nil {
		return &cli.Error{Code: cli.Usage, Err: err}
	}
	a, err := pki.Open(f.dir)
	if err != nil {
		return err
	}
	out := f.out
	if out == "" {
		out = filepath.Join(f.dir, fmt.Sprintf("%s-%s", id.Role, id.Name))
	}
	o := pki.IssueOptions{Hosts: f.hosts, Life: f.life}
	if err := a.Check(id, o); err != nil {
		return err
	}
	if err := pki.Prepare(out, id); err != nil {
		return err
	}
	issued, err := a.Issue(id, o)
	if err != nil {
		return err
	}
	paths, err := a.Save(out, issued)
	if err != nil {
		return fmt.Errorf("%w (revoke the certificate %s if its key may have been read)", err, issued.Record.Serial)
	}
	c.Logger.Info("certificate issued", "identity", id.String(), "serial", issued.Record.Serial, "until", issued.Record.Until)
	_, err = fmt.Fprintln(c.Out, strings.Join(paths, "\n"))
	return err
}

func pkiTokenCommand() cli.Command {
	var dir, name string
	ttl := time.Hour
	cmd := &cobra.Command{
		Use:   "token --name NAME",
		Short: "Make a join token, with which an agent gets its certificate",
		Long: `Token prints a join token: with it one agent gets a certificate of that name from its coordinator, once, until --ttl is over.
Send it to the agent over a safe channel. It works in the directory of the authority, and in that of a coordinator, which has the
agents' authority.`,
		Example: `  benchd pki token --name client-1
  benchd pki token --name client-1 --ttl 24h --dir /etc/benchd/pki`,
	}
	dirFlag(cmd, &dir)
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the agent; required")
	config.Duration(cmd.Flags(), &ttl, "ttl", false, "time in which the token can be used")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, _ []string) error {
		if name == "" {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--name is missing: give the name of the agent that will join")}
		}
		token, err := pki.NewToken(dir, name, ttl)
		if err != nil {
			return usageOfPKI(err)
		}
		_, err = fmt.Fprintln(c.Out, token)
		return err
	}}
}

func pkiListCommand() cli.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the certificates and join tokens that were issued",
		Long: `List prints all certificates of "benchd pki issue" and all join tokens, the oldest first. A certificate that an agent got for its
token is known to its coordinator, and not listed.`,
		Example: `  benchd pki list --dir /etc/benchd/pki`,
	}
	dirFlag(cmd, &dir)
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, _ []string) error {
		a, err := pki.Open(dir)
		if err != nil {
			return usageOfPKI(err)
		}
		list, err := a.List()
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "SERIAL\tROLE\tNAME\tUNTIL\tSTATE\tHOSTS AND GRANTS")
		for _, r := range list {
			serial := r.Serial
			if r.Token != "" {
				serial = "(join token)"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", serial, r.Role, r.Name, r.Until.UTC().Format(time.RFC3339), stateOf(r, time.Now()),
				strings.Join(append(r.Hosts, r.Grants...), " "))
		}
		return w.Flush()
	}}
}

func stateOf(r pki.Record, now time.Time) string {
	switch {
	case r.Revoked != nil:
		return strings.TrimSpace("revoked on " + r.Revoked.Date.Format(time.DateOnly) + " " + r.Revoked.Reason)
	case !now.Before(r.Until):
		return "expired"
	case now.Before(r.From):
		return "not yet valid"
	}
	return "valid"
}

func pkiRevokeCommand() cli.Command {
	var dir, reason string
	cmd := &cobra.Command{
		Use:   "revoke NAME|SERIAL",
		Short: "Add certificates to the deny list",
		Long: `Revoke adds certificates to the deny list, the file "revoked", and prints the new lines. NAME revokes all valid certificates of
that name, ROLE/NAME those of one role, SERIAL one certificate. An agent is denied by its name, with its join tokens and all
certificates that it gets from its coordinator: give the machine another name afterwards.

Coordinators and agents refuse the certificates in their --tls-revoked, which they read every few seconds: copy the file there.`,
		Example: `  benchd pki revoke operator/anna --reason 'lost laptop'
  benchd pki revoke client-1
  benchd pki revoke 4f2a90c11de7c0ffee4f2a90c11de7c0`,
		Args: cli.Exactly("NAME|SERIAL"),
	}
	dirFlag(cmd, &dir)
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` for the deny list")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, args []string) error {
		a, err := pki.Open(dir)
		if err != nil {
			return usageOfPKI(err)
		}
		added, err := a.Revoke(args[0], reason)
		if err != nil {
			return usageOfPKI(err)
		}
		for _, d := range added {
			if _, err := fmt.Fprintln(c.Out, d); err != nil {
				return err
			}
		}
		c.Logger.Info("certificates are on the deny list: copy it to the --tls-revoked of each coordinator and agent", "file", filepath.Join(dir, pki.RevokedFile))
		return nil
	}}
}

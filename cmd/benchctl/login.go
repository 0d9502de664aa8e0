package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/profile"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/wire/route"
)

type loginFlags struct {
	profile  string
	tls      *cli.TLSFlags
	insecure bool
}

func loginCommand() cli.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use:   "login HOST:PORT",
		Short: "Store how to connect to a coordinator",
		Long: `Login connects to a coordinator, prints who you are there, and stores the address with copies of the certificate, its key and
the CA as a profile in your configuration folder, which no other user can read. It stores nothing if the connection fails.
The profile becomes the current one.

Of several coordinators that share one archive give the addresses of all, separated by commas: commands connect to the one that leads.

All commands use the profile whose address is --coordinator; without --coordinator they use the current profile, and connect
to its address. The command line, the environment and the file of --config override a profile: with a --tls flag from there,
none of its certificates is used.

A certificate that was renewed needs another login. A coordinator on this machine without TLS needs no certificate.`,
		Example: `  benchctl login bench.example.org:7070 --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt
  benchctl login bench.example.org:7070 --tls-cert anna/tls.crt --tls-key anna/tls.key --tls-ca anna/ca.crt --profile anna
  benchctl login bench-a:7070,bench-b:7070 --profile bench --tls-cert tls.crt --tls-key tls.key --tls-ca ca.crt
  benchctl login unix:/run/benchd/benchd.sock`,
		Args: cli.Exactly("HOST:PORT"),
	}
	addProfileFlag(cmd, &f.profile, "`NAME` of the profile; default is the name of the (first) host")
	f.tls = cli.AddTLSFlags(cmd, people()...)
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "log in beyond this machine without TLS; later commands need this flag, too")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		return login(ctx, c, f, args[0])
	}}
}

func login(ctx context.Context, c *cli.Context, f loginFlags, address string) error {
	addresses, err := cli.Coordinators("coordinator", address, f.tls.Given(), f.insecure)
	if err != nil {
		return err
	}
	address = route.Join(addresses)
	folder, name := cli.Profiles(), cmp.Or(f.profile, profile.NameOf(address))
	if err := free(folder, name, address); err != nil {
		return usage(err)
	}
	store, err := f.tls.Load(certs.Options{})
	if err != nil {
		return err
	}
	client, err := remote.DialLeader(addresses, cli.LeaderCredentials(store, f.insecure))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	about, err := client.About(ctx)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	p, err := profile.New(name, address, f.tls.Files)
	if err != nil {
		return err
	}
	if err := folder.Write(p); err != nil {
		return err
	}
	if err := folder.Use(name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s: %s\n", report.Printable(p.String()), loginText(about, store))
	return err
}

// free checks whether a name can be that of the profile of an address.
func free(folder profile.Folder, name, address string) error {
	if name == "" {
		return fmt.Errorf("%s has no host to name the profile after: give a name with --profile", address)
	}
	p, err := folder.Read(name)
	switch {
	case profile.CheckName(name) != nil:
		return err
	case p.Address != "" && !p.At(address):
		return fmt.Errorf("profile %s is for the coordinator at %s: give another name with --profile, or remove it with `benchctl logout %s`", name, p.Address, name)
	}
	return nil // a broken one of this address is replaced
}

// loginText describes who a coordinator takes the user for.
func loginText(about remote.About, store *certs.Store) string {
	who := "the coordinator asks for no identity"
	if about.Peer.Role != "" {
		who = "you are " + report.Printable(identity.Identity{Name: about.Peer.Name, Role: identity.Role(about.Peer.Role)}.String())
	}
	parts := []string{who}
	if store != nil {
		parts = append(parts, untilText(store.Expires(), time.Now()))
	}
	return strings.Join(append(parts, "benchd "+report.Printable(about.Version)), ", ")
}

// untilText describes when the user's certificate expires.
func untilText(until, now time.Time) string {
	text := "certificate until " + until.UTC().Format(time.RFC3339)
	if until.Sub(now) < certs.ExpiryNotice {
		text += fmt.Sprintf(" (only %d days: ask for a new one, and log in again)", int(until.Sub(now).Hours()/24))
	}
	return text
}

func logoutCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "logout [NAME]",
		Short: "Delete a profile with its key",
		Long: `Logout deletes a profile of "benchctl login" with its certificate and key; without NAME the current one. The certificate itself
stays valid until it expires or is revoked ("benchd pki revoke").`,
		Example: `  benchctl logout
  benchctl logout bench.example.org`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) <= 1 {
				return nil
			}
			return cli.Exactly("NAME")(cmd, args)
		},
		ValidArgsFunction: completeProfile,
	}
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, args []string) error {
		folder := cli.Profiles()
		if len(args) == 0 {
			current, err := folder.Current()
			if err != nil {
				return usage(err)
			}
			if current == "" {
				return usage(errors.New("there is no current profile: name one (`benchctl profiles` lists them)"))
			}
			args = []string{current}
		}
		if err := folder.Remove(args[0]); err != nil {
			return usage(err)
		}
		_, err := fmt.Fprintf(c.Out, "%s: deleted\n", args[0])
		return err
	}}
}

// completeProfile completes names of profiles.
func completeProfile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := cli.Profiles().List()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = cobra.CompletionWithDesc(e.Profile.Name, e.Profile.Address)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

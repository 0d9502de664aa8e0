package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/credentials"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/profile"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/security"
)

// connectFlags select the coordinator.
type connectFlags struct {
	coordinator string
	profile     string
	tls         *cli.TLSFlags
	insecure    bool
}

// usualCoordinator is the address without flags and profiles.
const usualCoordinator = "127.0.0.1:7070"

func addConnectFlags(cmd *cobra.Command) *connectFlags {
	f := &connectFlags{}
	cmd.Flags().StringVar(&f.coordinator, "coordinator", "",
		"`HOST:PORT` of the coordinator, or of all that share its archive, separated by commas; or unix:PATH of its socket on this machine; default is that of the profile, else "+usualCoordinator)
	addProfileFlag(cmd, &f.profile, "use the profile `NAME` of benchctl login; default is the one of --coordinator, else the current one; off uses none")
	f.tls = cli.AddTLSFlags(cmd, people()...)
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "connect beyond this machine without TLS: everyone on the network can read and control it")
	return f
}

// people are the roles of users.
func people() []identity.Role {
	return []identity.Role{identity.Operator, identity.Viewer, identity.Admin}
}

func addProfileFlag(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().StringVar(to, "profile", "", usage)
	_ = cmd.RegisterFlagCompletionFunc("profile", completeProfile) // the flag exists
}

// dial connects to the coordinator. It sets f.coordinator.
func (f *connectFlags) dial() (*remote.Client, error) {
	p, err := f.choose(cli.Profiles())
	if err != nil {
		return nil, usage(err)
	}
	f.coordinator = cmp.Or(f.coordinator, p.Address, usualCoordinator)
	secured := f.tls.Given() || p.Secured()
	addresses, err := cli.Coordinators("--coordinator", f.coordinator, secured, f.insecure)
	if err != nil {
		return nil, err
	}
	load := func() (*certs.Store, error) { return f.tls.Load(certs.Options{}) }
	where := f.coordinator
	if !f.tls.Given() && p.Secured() {
		load = func() (*certs.Store, error) {
			p, err := f.choose(cli.Profiles())
			if err != nil {
				return nil, err
			}
			return p.Certificates(certs.Options{Roles: people(), Required: true})
		}
		where += " (profile " + p.Name + ")"
	}
	store, err := load()
	if err != nil {
		return nil, err
	}
	client, err := remote.DialLeader(addresses, func(address string) (credentials.TransportCredentials, error) {
		return cli.RenewedCredentials(load, store, address), security.CheckLocal("coordinator", address, secured, f.insecure)
	})
	if err != nil {
		return nil, err
	}
	client.Called(where)
	return client, nil
}

// choose returns the profile that completes the other settings; the zero value if there is none.
func (f *connectFlags) choose(folder profile.Folder) (profile.Profile, error) {
	name := f.profile
	if name == profile.None || name == "" && f.coordinator != "" && f.tls.Given() {
		return profile.Profile{}, nil
	}
	if name == "" && f.coordinator == "" {
		var err error
		if name, err = folder.Current(); err != nil {
			return profile.Profile{}, err
		}
	}
	if name != "" {
		return folder.Read(name)
	}
	p, err := folder.For(cmp.Or(f.coordinator, usualCoordinator))
	if errors.Is(err, profile.ErrNone) {
		return profile.Profile{}, nil
	}
	return p, err
}

// commandLine adds the flags of this coordinator to a command.
func (f *connectFlags) commandLine(origins config.Origins, command string) string {
	words := []string{command}
	if origins["coordinator"] == "--coordinator" {
		words = append(words, "--coordinator", f.coordinator)
	}
	if origins["profile"] == "--profile" {
		words = append(words, "--profile", f.profile)
	}
	if f.tls != nil {
		for _, given := range []struct{ flag, file string }{{"--tls-cert", f.tls.Files.Cert}, {"--tls-key", f.tls.Files.Key}, {"--tls-ca", f.tls.Files.CA}} {
			if origins[strings.TrimPrefix(given.flag, "--")] == given.flag {
				words = append(words, given.flag, given.file)
			}
		}
	}
	if origins["insecure"] == "--insecure" {
		words = append(words, "--insecure")
	}
	return strings.Join(words, " ")
}

// completeFrom completes a command's argument with names from a coordinator, if it answers quickly.
func completeFrom(f *connectFlags, names func(context.Context, *remote.Client) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if _, err := cli.Load(cmd); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		client, err := f.dial()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = client.Close() }()
		ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
		defer cancel()
		return names(ctx, client), cobra.ShellCompDirectiveNoFileComp
	}
}

// suiteIDs completes the ids of suites.
func suiteIDs(ctx context.Context, client *remote.Client) []string {
	suites, err := client.List(ctx)
	if err != nil {
		return nil
	}
	ids := make([]string, len(suites))
	for i, s := range suites {
		ids[i] = cobra.CompletionWithDesc(s.ID, string(s.Status)+" "+s.Name)
	}
	return ids
}

// agentNames completes the names of agents.
func agentNames(ctx context.Context, client *remote.Client) []string {
	agents, err := client.Agents(ctx)
	if err != nil {
		return nil
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	return names
}

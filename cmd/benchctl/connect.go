package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/security"
)

// connectFlags select the coordinator.
type connectFlags struct {
	coordinator string
	tls         *cli.TLSFlags
	insecure    bool
}

func addConnectFlags(cmd *cobra.Command) *connectFlags {
	f := &connectFlags{}
	cmd.Flags().StringVar(&f.coordinator, "coordinator", "127.0.0.1:7070", "`HOST:PORT` of the coordinator, or unix:PATH of its socket on this machine")
	f.tls = cli.AddTLSFlags(cmd, identity.Operator, identity.Viewer, identity.Admin)
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "connect beyond this machine without TLS: everyone on the network can read and control it")
	return f
}

func (f *connectFlags) dial() (*remote.Client, error) {
	if err := security.CheckLocal("--coordinator", f.coordinator, f.tls.Given(), f.insecure); err != nil {
		return nil, err
	}
	store, err := f.tls.Load(certs.Options{})
	if err != nil {
		return nil, err
	}
	return remote.Dial(f.coordinator, cli.CoordinatorCredentials(store, f.coordinator))
}

// commandLine adds the flags of this coordinator to a command.
func (f *connectFlags) commandLine(origins config.Origins, command string) string {
	words := []string{command}
	if origins["coordinator"] == "--coordinator" {
		words = append(words, "--coordinator", f.coordinator)
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

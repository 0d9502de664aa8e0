package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/security"
)

// sandboxFlags select the sandbox.
type sandboxFlags struct {
	address  string
	insecure bool
}

func addSandboxFlags(cmd *cobra.Command) *sandboxFlags {
	f := &sandboxFlags{}
	cmd.Flags().StringVar(&f.address, "sandbox", "127.0.0.1:16010", "`HOST:PORT` of the sandbox's info pages, which it prints when it starts")
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "connect beyond this machine without TLS: everyone on the network can read and control it")
	return f
}

// command returns the run function of a command that sends one order to a sandbox.
func command(f *sandboxFlags, order func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error) func(context.Context, *cli.Context, []string) error {
	return func(ctx context.Context, c *cli.Context, args []string) error {
		if err := security.CheckAddress("--sandbox", f.address, f.insecure); err != nil {
			return err
		}
		client := control.NewClient(f.address, outbound.Any())
		defer client.Close()
		return order(ctx, c, client, args)
	}
}

func sandboxCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Control a sandbox: faults and region servers",
		Long: `Sandbox controls a running sandbox of "benchd sandbox" or "benchd dev": it injects faults, and kills, silences, restarts and adds
region servers.`,
		Example: `  benchctl sandbox servers
  benchctl sandbox fault add latency --op get --delay 'exponential 5ms' --for 30s
  benchctl sandbox kill-server 2`,
	}
	return cli.Command{Command: cmd, Commands: []cli.Command{
		sandboxServersCommand(), addServerCommand(), killServerCommand(), restartServerCommand(), silenceServerCommand(), resumeServerCommand(),
		faultCommand(),
	}}
}

func sandboxServersCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "List the region servers of a sandbox",
		Example: `  benchctl sandbox servers
  benchctl sandbox servers -o json | jq -r '.servers[] | select(.alive).address'`,
	}
	f := addSandboxFlags(cmd)
	output := "table"
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, c *cli.Context, client *control.Client, _ []string) error {
		s, err := client.Status(ctx)
		if err != nil {
			return err
		}
		if output == "json" {
			return printJSON(c.Out, s)
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "SERVER\tSTATE\tREGIONS\tADDRESS\tINFO\tNAME")
		for i, one := range s.Servers {
			state := "killed"
			switch {
			case one.Silent:
				state = "silent"
			case one.Alive:
				state = "alive"
			}
			_, _ = fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\n", i+1, state, one.Regions, one.Address, one.Info, one.Name)
		}
		return t.Flush()
	})}
}

func addServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "add-server",
		Short: "Start another region server in a sandbox; the balancer moves regions to it",
		Example: `  benchctl sandbox add-server
  benchctl sandbox add-server --sandbox 127.0.0.1:16011`,
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, c *cli.Context, client *control.Client, _ []string) error {
		s, err := client.AddServer(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, s.Name)
		return err
	})}
}

func killServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "kill-server SERVER",
		Short: "Kill a region server of a sandbox",
		Long: `Kill-server ends a region server as in a crash: its connections break, and other servers open its regions once the master
has noticed. SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox kill-server 2
  benchctl sandbox kill-server 127.0.0.1:16020`,
		Args: cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, _ *cli.Context, client *control.Client, args []string) error {
		return client.KillServer(ctx, args[0])
	})}
}

func restartServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "restart SERVER",
		Short: "Restart a region server of a sandbox at its address",
		Long: `Restart starts a killed region server again, at its address and with a new start code. A server that is alive is killed
first. SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox restart 2`,
		Args:    cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error {
		s, err := client.RestartServer(ctx, args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, s.Name)
		return err
	})}
}

func silenceServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "silence-server SERVER",
		Short: "Silence a region server of a sandbox, as SIGSTOP does",
		Long: `Silence-server stops a region server as SIGSTOP does: its connections stay open and new ones are accepted, but it answers
nothing. Other servers open its regions once the master has noticed. SERVER is its number, address or name, as "benchctl
sandbox servers" lists them.`,
		Example: `  benchctl sandbox silence-server 2
  benchctl sandbox silence-server 127.0.0.1:16020`,
		Args: cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, _ *cli.Context, client *control.Client, args []string) error {
		return client.SilenceServer(ctx, args[0])
	})}
}

func resumeServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "resume-server SERVER",
		Short: "Continue a silent region server of a sandbox as SIGCONT does",
		Long: `Resume-server continues a silent region server, as SIGCONT does: it answers the calls that have arrived meanwhile. If the
master has moved its regions to other servers, it ends, as HBase's region servers do, and is started again with a new start
code. SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox resume-server 2`,
		Args:    cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error {
		s, err := client.ResumeServer(ctx, args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, s.Name)
		return err
	})}
}

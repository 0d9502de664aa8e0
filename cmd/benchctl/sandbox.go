package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/security"
)

// sandboxFlags say which sandbox is meant.
type sandboxFlags struct {
	address  string
	insecure bool
}

func addSandboxFlags(cmd *cobra.Command) *sandboxFlags {
	f := &sandboxFlags{}
	cmd.Flags().StringVar(&f.address, "sandbox", "127.0.0.1:16010", "`HOST:PORT` of the sandbox's info pages, as it says when it starts")
	cmd.Flags().BoolVar(&f.insecure, "insecure", false, "connect beyond this machine without TLS: whoever can reach the network can read and steer")
	return f
}

// steer makes a command of one order to a sandbox.
func steer(f *sandboxFlags, order func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error) func(context.Context, *cli.Context, []string) error {
	return func(ctx context.Context, c *cli.Context, args []string) error {
		if err := security.CheckAddress("--sandbox", f.address, f.insecure); err != nil {
			return err
		}
		client := control.NewClient(f.address)
		defer client.Close()
		return order(ctx, c, client, args)
	}
}

func sandboxCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Steer a sandbox: faults, and region servers that come and go",
		Long: `Sandbox steers a sandbox that runs, which "benchd sandbox" or "benchd dev" has started: it has things go wrong there, and
region servers be killed, silenced, restarted and added.`,
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
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, c *cli.Context, client *control.Client, _ []string) error {
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
		Short: "Start one more region server in a sandbox; the balancer gives it regions",
		Example: `  benchctl sandbox add-server
  benchctl sandbox add-server --sandbox 127.0.0.1:16011`,
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, c *cli.Context, client *control.Client, _ []string) error {
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
		Short: "End a region server of a sandbox as a crash does",
		Long: `Kill-server ends a region server as a crash does: its connections break, and its regions are served again by others when
the master has noticed. SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox kill-server 2
  benchctl sandbox kill-server 127.0.0.1:16020`,
		Args: cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, _ *cli.Context, client *control.Client, args []string) error {
		return client.KillServer(ctx, args[0])
	})}
}

func restartServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "restart SERVER",
		Short: "Start a region server of a sandbox again at its address",
		Long: `Restart starts a region server again that was killed, at its address and with a new start code. One that is alive is
killed first. SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox restart 2`,
		Args:    cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error {
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
		Short: "Stop a region server of a sandbox as SIGSTOP does",
		Long: `Silence-server stops a region server as SIGSTOP does: its connections stay open and new ones are accepted, but nothing is
answered. Its regions are served again by others when the master has noticed. SERVER is its number, address or name, as
"benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox silence-server 2
  benchctl sandbox silence-server 127.0.0.1:16020`,
		Args: cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, _ *cli.Context, client *control.Client, args []string) error {
		return client.SilenceServer(ctx, args[0])
	})}
}

func resumeServerCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "resume-server SERVER",
		Short: "Continue a silent region server of a sandbox as SIGCONT does",
		Long: `Resume-server continues a region server that was silenced, as SIGCONT does: it answers what was asked of it meanwhile. If the
master has given its regions to others, it ends, as HBase's region servers do, and is started again with a new start code.
SERVER is its number, address or name, as "benchctl sandbox servers" lists them.`,
		Example: `  benchctl sandbox resume-server 2`,
		Args:    cli.Exactly("SERVER"),
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: steer(f, func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error {
		s, err := client.ResumeServer(ctx, args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.Out, s.Name)
		return err
	})}
}

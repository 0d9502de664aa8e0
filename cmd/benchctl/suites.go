package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/cli/view"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
)

// ask returns the run function of a command that sends one query to a coordinator.
func ask(f *connectFlags, question func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error) func(context.Context, *cli.Context, []string) error {
	return func(ctx context.Context, c *cli.Context, args []string) error {
		client, err := f.dial()
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		return question(ctx, c, client, args)
	}
}

// oneID makes a command take the id of a suite or run.
func oneID(cmd *cobra.Command, f *connectFlags) {
	cmd.Args = cli.Exactly("ID")
	cmd.ValidArgsFunction = completeFrom(f, suiteIDs)
}

func watchCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "watch ID",
		Short: "Show a suite or run until it ends",
		Long: `Watch shows a suite or run until it ends: live on a terminal, otherwise as a line for each interval. Ctrl-C ends the command,
not the run. The exit code is that of the suite's end, as with "submit --wait", or 4 if the command did not wait for it.`,
		Example: `  benchctl watch 20260301-k7mp
  id=$(benchctl submit -P workloads/workloada); benchctl watch "$id" && benchctl show "$id"`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		id := args[0]
		signals, stop := catch()
		defer stop()
		if err := follow(ctx, c, signals, following{
			client: client, id: id, out: c.Out, how: progress, first: detach,
			left: fmt.Sprintf("%s goes on; `%s` ends it", id, f.commandLine(c.Origins, "benchctl cancel "+id)),
		}); err != nil {
			return err
		}
		text, err := client.Result(ctx, id)
		if err != nil {
			return err
		}
		return verdict(text)
	})}
}

func showCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print the result of a suite or run",
		Long: `Show prints the result of a suite or run. If it is still active, the result has the measurements so far. The exit code
reports whether the result was printed, not how the run ended.`,
		Example: `  benchctl show 20260301-k7mp
  benchctl show 20260301-k7mp.1 -o json | jq .phases[].throughput
  benchctl show 20260301-k7mp --lang zh`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	output := "table"
	var lang phrase.Translator
	addOutputFlag(cmd, &output, resultFormats()...)
	addLangFlag(cmd, &lang)
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		text, err := client.Result(ctx, args[0])
		if err != nil {
			return err
		}
		return printResult(c, targets, text, output, lang)
	})}
}

func listCommand() cli.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the suites in the archive, newest first",
		Long: `List prints the suites in the archive, newest first. For an active suite RUNS is the number of its runs that have ended, and
LEFT an estimate of the remaining time, from earlier runs of the same cases or from the length of the phases. In JSON these
are runs_ended and left_seconds, which is null without an estimate. A search gets one run after another: ≤ and in JSON
runs_at_most show the maximum. A suite on which the coordinator's own code has failed
is set aside: the reason is on standard error, and in JSON in set_aside.`,
		Example: `  benchctl list
  benchctl list -o json | jq -r '.[] | select(.status == "running") | "\(.id) \(.runs_ended)/\(.runs) \(.left_seconds)"'
  benchctl list -o json | jq -r '.[] | select(.status == "failed").id'`,
	}
	f := addConnectFlags(cmd)
	output := "table"
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
		suites, err := client.List(ctx)
		if err != nil {
			return err
		}
		if output == "json" {
			return printJSON(c.Out, suites)
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "ID\tSTATUS\tCREATED\tDB\tRUNS\tLEFT\tBY\tNAME")
		for _, s := range suites {
			runs, left := strconv.Itoa(s.Runs), "-"
			if !s.Status.Ended() {
				runs = fmt.Sprintf("%d of %d", s.RunsEnded, s.Runs)
			}
			atMost := ""
			if s.RunsAtMost > 0 {
				runs, atMost = fmt.Sprintf("%d of ≤%d", s.RunsEnded, s.RunsAtMost), "≤"
			}
			if s.LeftSeconds != nil {
				left = atMost + view.Span(time.Duration(*s.LeftSeconds*float64(time.Second)))
			}
			status := string(s.Status)
			if s.SetAside != "" {
				status += ", set aside"
				warn(c, []string{"suite " + s.ID + " is " + s.SetAside})
			}
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, status, when(s.Created), report.Printable(s.DB), runs, left, report.Printable(s.SubmittedBy), report.Printable(s.Name))
		}
		return t.Flush()
	})}
}

func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func cancelCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Cancel a suite or run; its measurements up to then are kept",
		Example: `  benchctl cancel 20260301-k7mp       # all its runs
  benchctl cancel 20260301-k7mp.2     # one of them`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, _ *cli.Context, client *remote.Client, args []string) error {
		return client.Cancel(ctx, args[0], submitter())
	})}
}

func removeCommand() cli.Command {
	cmd := &cobra.Command{
		Use:     "rm ID",
		Short:   "Delete an ended suite from the archive, and free its disk space",
		Example: `  benchctl rm 20260301-k7mp`,
	}
	f := addConnectFlags(cmd)
	oneID(cmd, f)
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, _ *cli.Context, client *remote.Client, args []string) error {
		return client.Remove(ctx, args[0])
	})}
}

func agentsCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents of a coordinator",
		Example: `  benchctl agents
  benchctl agents -o json
  benchctl agents drain client-3`,
	}
	f := addConnectFlags(cmd)
	output := "table"
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{
		Command:  cmd,
		Commands: []cli.Command{drainCommand()},
		Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
			agents, err := client.Agents(ctx)
			if err != nil {
				return err
			}
			if output == "json" {
				return printJSON(c.Out, agents)
			}
			return printAgents(c.Out, agents)
		}),
	}
}

func printAgents(out io.Writer, agents []remote.Agent) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "NAME\tSTATE\tCORES\tMEMORY\tCLOCK\tVERSION\tADDRESS\tLABELS")
	for _, a := range agents {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", report.Printable(a.Name), report.Plain(agentState(a)), a.Host.Cores, gibibytes(a.Host.Memory),
			fmt.Sprintf("%+.3f ± %.3f ms", a.Clock.OffsetMS, a.Clock.UncertaintyMS), report.Printable(a.Version), report.Printable(a.Address), report.Plain(labels(a.Labels)))
	}
	return t.Flush()
}

// agentState describes the work and the connection of an agent in a few words.
func agentState(a remote.Agent) string {
	state := "idle"
	if a.Run != "" {
		state = a.Run
	}
	if a.Draining {
		state += ", drained"
	}
	switch {
	case a.Connected:
	case a.LastHeard.Unix() <= 0: // a coordinator that has just started expects it
		state += ", has not connected yet"
	default:
		state += ", not connected since " + when(a.LastHeard)
	}
	return state
}

// labels formats labels as --select takes them.
func labels(of map[string]string) string {
	pairs := make([]string, 0, len(of))
	for _, k := range slices.Sorted(maps.Keys(of)) {
		pairs = append(pairs, k+"="+of[k])
	}
	return strings.Join(pairs, " ")
}

func gibibytes(bytes uint64) string {
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64) + " GiB"
}

func drainCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "drain NAME",
		Short: "Assign no further runs to an agent; its current run continues",
		Example: `  benchctl agents drain client-3
  benchctl agents drain client-3 --undo`,
		Args: cli.Exactly("NAME"),
	}
	f := addConnectFlags(cmd)
	cmd.ValidArgsFunction = completeFrom(f, agentNames)
	var undo bool
	cmd.Flags().BoolVar(&undo, "undo", false, "assign runs to it again")
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, _ *cli.Context, client *remote.Client, args []string) error {
		return client.Drain(ctx, args[0], undo)
	})}
}

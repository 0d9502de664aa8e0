package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/spec"
)

// schedule gives a suite with a schedule to the coordinator.
func (f *submitFlags) schedule(ctx context.Context, c *cli.Context, cmd *cobra.Command, client *remote.Client, s spec.Submission, signals chan os.Signal) error {
	if f.wait || f.watch {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--wait and --watch need one suite, and a schedule has no end: leave them out; `benchctl schedule run NAME` submits its suite now, and `benchctl watch` follows that")}
	}
	var kept remote.Scheduled
	if err := begin(ctx, signals, "interrupted before the coordinator answered; `benchctl schedule` shows whether it has the schedule", func(ctx context.Context) (err error) {
		if err := f.upload(ctx, client); err != nil {
			return err
		}
		kept, err = client.Schedule(ctx, f.request(s), f.replace)
		return err
	}); err != nil {
		return err
	}
	warn(c, kept.Warnings)
	_, _ = fmt.Fprintf(c.Err, "schedule %s is kept; its suite is due at %s, and `%s` shows what became of it\n",
		report.Printable(kept.Name), when(kept.Next), f.commandLine(c.Origins, "benchctl schedule show "+quoted(kept.Name)))
	_, err := fmt.Fprintln(c.Out, kept.Name)
	return err
}

// quoted quotes a name for a shell, if it needs that.
func quoted(name string) string {
	if strings.ContainsAny(name, " '\"$`\\*?()&;|<>") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

func scheduleCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "List the schedules of a coordinator, and change them",
		Long: `Schedule lists the suites that a coordinator runs again and again, with the next due time, the newest suite and the newest
change that was found. A suite file with "schedule: {every: 24h}" or "schedule: {cron: '0 2 * * *', timezone: Asia/Shanghai}"
becomes a schedule when it is submitted (docs/schedules.md).`,
		Example: `  benchctl submit -f nightly.yaml
  benchctl schedule
  benchctl schedule show nightly
  benchctl schedule -o json | jq -r '.[] | select(.last_alert.verdict == "worse").name'`,
	}
	f := addConnectFlags(cmd)
	output := "table"
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{
		Command: cmd,
		Commands: []cli.Command{
			showScheduleCommand(),
			changeScheduleCommand("pause", "Pass over the due times of a schedule until it is resumed", remote.PauseSchedule),
			changeScheduleCommand("resume", "Continue a paused schedule with its next due time", remote.ResumeSchedule),
			changeScheduleCommand("run", "Submit the suite of a schedule now, and print its id", remote.RunSchedule),
			changeScheduleCommand("delete", "Delete a schedule with its alerts; its suites remain", remote.DeleteSchedule),
		},
		Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, _ []string) error {
			list, err := client.Schedules(ctx)
			if err != nil {
				return err
			}
			if output == "json" {
				return printJSON(c.Out, list)
			}
			return printSchedules(c.Out, list)
		}),
	}
}

func showScheduleCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what became of the due times of a schedule, and the changes that its suites have revealed",
		Example: `  benchctl schedule show nightly
  benchctl schedule show nightly -o json | jq '.alerts[] | select(.verdict == "worse")'`,
		Args: cli.Exactly("NAME"),
	}
	f := addConnectFlags(cmd)
	cmd.ValidArgsFunction = completeFrom(f, scheduleNames)
	output := "table"
	addOutputFlag(cmd, &output, "table", "json")
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		d, err := client.ShowSchedule(ctx, args[0])
		if err != nil {
			return err
		}
		if output == "json" {
			return printJSON(c.Out, d)
		}
		return printSchedule(c.Out, d)
	})}
}

func changeScheduleCommand(name, short string, change remote.ScheduleChange) cli.Command {
	cmd := &cobra.Command{
		Use:     name + " NAME",
		Short:   short,
		Example: "  benchctl schedule " + name + " nightly",
		Args:    cli.Exactly("NAME"),
	}
	f := addConnectFlags(cmd)
	cmd.ValidArgsFunction = completeFrom(f, scheduleNames)
	return cli.Command{Command: cmd, Run: ask(f, func(ctx context.Context, c *cli.Context, client *remote.Client, args []string) error {
		suite, next, err := client.ChangeSchedule(ctx, args[0], change, submitter())
		if err != nil {
			return err
		}
		if change == remote.ResumeSchedule {
			_, _ = fmt.Fprintf(c.Err, "its suite is due at %s\n", when(next))
		}
		if suite != "" {
			_, err = fmt.Fprintln(c.Out, suite)
		}
		return err
	})}
}

// scheduleNames completes the names of schedules.
func scheduleNames(ctx context.Context, client *remote.Client) []string {
	list, err := client.Schedules(ctx)
	if err != nil {
		return nil
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = cobra.CompletionWithDesc(s.Name, s.Recurs)
	}
	return names
}

func printSchedules(out io.Writer, list []schedule.Summary) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "NAME\tDUE\tNEXT\tLAST DUE\tLAST SUITE\tSTATUS\tLAST CHANGE\tOWNER")
	for _, s := range list {
		change, last := "-", "-"
		if s.Last != nil {
			last = string(s.Last.Kind)
		}
		if a := s.LastAlert; a != nil {
			change = fmt.Sprintf("%s: %s since %s", when(a.At), sizeOf(*a), report.Printable(a.Since))
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", report.Printable(s.Name), report.Printable(s.Recurs), nextOf(s), report.Printable(last),
			report.Printable(cmp.Or(s.Suite, "-")), report.Printable(cmp.Or(s.Status, "-")), change, report.Printable(s.Owner))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print schedules: %w", err)
	}
	for _, s := range list {
		if s.Last != nil && s.Last.Kind != schedule.Submitted {
			_, _ = fmt.Fprintf(out, "\n%s %s at %s: %s\n", report.Printable(s.Name), report.Printable(string(s.Last.Kind)), when(s.Last.Due), report.PlainLines(s.Last.Reason))
		}
	}
	return nil
}

func nextOf(s schedule.Summary) string {
	if s.Next == nil {
		return "paused"
	}
	return when(*s.Next)
}

// sizeOf describes the figure and the size of a change: worse, by −6.8 %.
func sizeOf(a schedule.Alert) string {
	return report.Printable(fmt.Sprintf("%s %s %+.1f %% (%s)", a.Case, a.Figure, 100*(a.Ratio-1), a.Verdict))
}

func printSchedule(out io.Writer, d schedule.Document) error {
	_, _ = fmt.Fprintf(out, "schedule %s of %s, since %s\ndue   %s\nnext  %s\n", report.Printable(d.Name), report.Printable(d.Owner), when(d.Created), report.Printable(d.Recurs), nextOf(d.Summary))
	if len(d.Outcomes) > 0 {
		_, _ = fmt.Fprintln(out)
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "DUE TIME\tOUTCOME\tSUITE\tNOTE")
		for _, o := range d.Outcomes {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", when(o.Due), report.Printable(string(o.Kind)), report.Printable(cmp.Or(o.Suite, "-")), report.PlainLines(note(o)))
		}
		if err := t.Flush(); err != nil {
			return fmt.Errorf("print outcomes: %w", err)
		}
	}
	if len(d.Alerts) == 0 {
		_, err := fmt.Fprintln(out, "\nno suite has revealed a change")
		return err
	}
	_, _ = fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "FOUND\tIN\tSINCE\tCASE\tFIGURE\tVERDICT\tCHANGE\t95 % INTERVAL")
	for _, a := range d.Alerts {
		interval := "-"
		if a.Low != nil && a.High != nil {
			interval = fmt.Sprintf("%+.1f to %+.1f %%", 100*(*a.Low-1), 100*(*a.High-1))
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%+.1f %%\t%s\n", when(a.At), report.Printable(a.Suite), report.Printable(a.Since), report.Printable(a.Case),
			report.Printable(a.Figure), report.Printable(a.Verdict), 100*(a.Ratio-1), interval)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print alerts: %w", err)
	}
	_, err := fmt.Fprintf(out, "\ntest: %s\n", report.PlainLines(d.Alerts[0].Test))
	return err
}

// note describes what else became of a due time.
func note(o schedule.Outcome) string {
	var parts []string
	if o.By != "" {
		parts = append(parts, "asked for by "+o.By)
	}
	if late := o.At.Sub(o.Due); late >= time.Minute && o.By == "" {
		parts = append(parts, schedule.Period(late.Round(time.Second))+" late")
	}
	if o.Missed > 0 {
		parts = append(parts, several(o.Missed, "due time")+" before it missed")
	}
	if o.Reason != "" {
		parts = append(parts, o.Reason)
	}
	return strings.Join(parts, "; ")
}

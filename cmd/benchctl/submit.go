package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
)

type submitFlags struct {
	*submissionFlags
	*connectFlags
	dryRun     bool
	agents     int
	labels     config.Pairs
	waitAgents time.Duration
	onLoss     string
	wait       bool
	watch      bool
	cancel     bool
	output     string
	resume     string
}

func submitCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Hand a benchmark to a coordinator",
		Long: `Submit hands a benchmark to a coordinator, which queues it and runs it on its agents: all that --select matches, or
as many of them as --agents says. With -f it takes a suite file, which has many cases (docs/suites.md); the file is judged
whole, and nothing runs where anything is wrong. It prints the suite's id alone on standard output, or with --wait or --watch waits for
the end and prints the result.

Ctrl-C while it waits: on a terminal it asks once. y cancels the run and prints what was measured until then, n waits on, a
further Ctrl-C leaves the run to the coordinator. Without a terminal it leaves the run to the coordinator at once. With
--cancel-on-interrupt it cancels without asking. SIGTERM leaves, or cancels with --cancel-on-interrupt. After leaving, the
exit code is 4, and "benchctl watch" finds the run again.`,
		Example: `  id=$(benchctl submit -P workloads/workloada --threads 32)
  benchctl submit --db null --duration 1m --threads-total 64 --agents 3 --wait -o json
  benchctl submit -P workloads/workloadb --select zone=a --wait-agents 2m --watch --tag ticket=123
  benchctl submit -f suite.yaml --dry-run
  benchctl submit --resume 20261121-abcd --watch
  benchctl submit -f suite.yaml --trial --var quorum=127.0.0.1:2181 --watch`,
	}
	f := submitFlags{submissionFlags: addSubmissionFlags(cmd, targets), connectFlags: addConnectFlags(cmd), onLoss: string(remote.FailOnLoss), output: "table"}
	fs := cmd.Flags()
	fs.BoolVar(&f.dryRun, "dry-run", false, "print cases, runs, rows, operations and an estimate of the time, and do nothing; it asks no coordinator")
	config.Whole(fs, &f.agents, "agents", 0, "how many agents; 0 is all that match")
	config.PairsVar(fs, &f.labels, "select", "", "only agents with this label; may stand several times")
	config.Duration(fs, &f.waitAgents, "wait-agents", false, "wait so long for enough agents to be there")
	config.Enum(cmd, &f.onLoss, "on-agent-loss", "", "what becomes of a run that loses an agent", string(remote.FailOnLoss), string(remote.ContinueOnLoss))
	fs.StringVar(&f.resume, "resume", "", "go on with suite `ID`, which was interrupted: its runs that have failed, were cancelled or are partial are run again, those that are complete are not")
	fs.BoolVar(&f.wait, "wait", false, "wait for the end and print the result")
	fs.BoolVar(&f.watch, "watch", false, "like --wait, and show progress on standard error")
	fs.BoolVar(&f.cancel, "cancel-on-interrupt", false, "cancel without asking on Ctrl-C or SIGTERM")
	addOutputFlag(cmd, &f.output, resultFormats()...)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return submit(ctx, c, cmd, &f)
	}}
}

// judge checks what is submitted. What is resumed was checked when it was.
func (f *submitFlags) judge(cmd *cobra.Command, s spec.Submission) (judged, error) {
	if f.resume == "" {
		return judge(f.targets, s)
	}
	if s.Suite != nil || len(s.Files)+len(s.Properties)+len(s.Flags) > 0 || f.agents > 0 || len(f.labels) > 0 {
		return judged{}, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--resume %s goes on with what was submitted then: leave out what says what to run and on which agents", f.resume)}
	}
	return judged{}, nil
}

func submit(ctx context.Context, c *cli.Context, cmd *cobra.Command, f *submitFlags) error {
	if f.dryRun {
		return dryRun(c, cmd, f)
	}
	waits := f.wait || f.watch
	if f.cancel && !waits {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--cancel-on-interrupt is of use with --wait or --watch only")}
	}
	client, err := f.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	s, err := f.submission(cmd, c.Origins)
	if err != nil {
		return err
	}
	j, err := f.judge(cmd, s)
	if err != nil {
		return err
	}
	if t := j.target; t.Embed != nil {
		if brought := t.Embedded.Of(f.targets.Reader().Given(s)); len(brought) > 0 {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("%[1]s: these are of the %[2]s that `benchctl run` brings with it; the one that agents use is started by `benchd %[2]s` or `benchd dev`, with flags of its own", strings.Join(brought, ", "), t.Name)}
		}
	}
	signals, stop := catch()
	defer stop()
	var id string
	var warnings []string
	if err := begin(ctx, signals, "interrupted before the coordinator answered; `benchctl list` tells whether it took the suite", func(ctx context.Context) error {
		id, warnings, err = client.Submit(ctx, remote.Request{
			Submission: s, Agents: f.agents, Select: f.labels.Map(), WaitAgents: f.waitAgents,
			OnAgentLoss: remote.Policy(f.onLoss), SubmittedBy: submitter(), Resume: f.resume,
		})
		return err
	}); err != nil {
		return err
	}
	warn(c, warnings)
	if !waits {
		warnOfFiles(c, j.ycsb, id)
		_, err := fmt.Fprintln(c.Out, id)
		return err
	}
	_, _ = fmt.Fprintf(c.Err, "suite %s\n", id)
	w := following{
		client: client, id: id, known: true, out: c.Err, how: quiet, first: askFirst, statuses: statusOuts(c, j.ycsb, f.output),
		left: fmt.Sprintf("%s goes on; `%s` follows it, `%s` ends it", id,
			f.told(c.Origins, "benchctl watch "+id), f.told(c.Origins, "benchctl cancel "+id)),
	}
	if f.watch {
		w.how = progress
	}
	if f.cancel {
		w.first = cancel
	}
	if err := follow(ctx, c, signals, w); err != nil {
		return err
	}
	return conclude(ctx, c, client, f.targets, id, f.output, j.ycsb)
}

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
	"github.com/benchd/benchd/internal/phrase"
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
	lang       phrase.Translator
	resume     string
	replace    bool
}

func submitCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Submit a benchmark to a coordinator",
		Long: `Submit sends a benchmark to a coordinator, which queues it and runs it on its agents: all that --select matches, or --agents of
them. With -f it takes a suite file, which has many cases (docs/suites.md); the whole file is validated, and nothing runs if
it has a mistake. A suite with a schedule runs when it is due: submit prints the schedule's name (docs/schedules.md), and with
--trial it runs once. Submit prints only the suite's id on standard output. With --wait or --watch it waits for the end and
prints the result.

Ctrl-C while it waits: on a terminal it asks once. y cancels the run and prints the measurements up to then, n continues to
wait, a further Ctrl-C leaves the run to the coordinator. Without a terminal it leaves the run to the coordinator at once.
With --cancel-on-interrupt it cancels without asking. SIGTERM leaves, or cancels with --cancel-on-interrupt. After leaving,
the exit code is 4, and "benchctl watch" follows the run again.`,
		Example: `  id=$(benchctl submit -P workloads/workloada --threads 32)
  benchctl submit --db null --duration 1m --threads-total 64 --agents 3 --wait -o json
  benchctl submit -P workloads/workloadb --select zone=a --wait-agents 2m --watch --tag ticket=123
  benchctl submit -f suite.yaml --dry-run
  benchctl submit -P workloads/workloadb --duration 1m --warmup 20s --search 'rate 1k..100k keep p99 < 20ms and errors < 0.1%' --watch
  benchctl submit -f nightly.yaml --replace       # has a schedule: the coordinator runs it again and again
  benchctl submit --resume 20261121-abcd --watch
  benchctl submit -f suite.yaml --trial --var quorum=127.0.0.1:2181 --watch`,
	}
	f := submitFlags{submissionFlags: addSubmissionFlags(cmd, targets), connectFlags: addConnectFlags(cmd), onLoss: string(remote.FailOnLoss), output: "table"}
	fs := cmd.Flags()
	fs.BoolVar(&f.dryRun, "dry-run", false, "print cases, runs, rows, operations and an estimate of the time, without submitting; where the coordinator answers, also what its earlier runs of the cases show")
	config.Whole(fs, &f.agents, "agents", 0, "number of agents; 0 is all that match")
	config.PairsVar(fs, &f.labels, "select", "", "only agents with this label; repeatable")
	config.Duration(fs, &f.waitAgents, "wait-agents", false, "wait this time for enough agents")
	config.Enum(cmd, &f.onLoss, "on-agent-loss", "", "action for a run that loses an agent", string(remote.FailOnLoss), string(remote.ContinueOnLoss))
	fs.StringVar(&f.resume, "resume", "", "continue suite `ID`, which was interrupted: repeat its failed, cancelled and partial runs, keep the complete ones")
	fs.BoolVar(&f.replace, "replace", false, "replace the schedule of the same name")
	fs.BoolVar(&f.wait, "wait", false, "wait for the end and print the result")
	fs.BoolVar(&f.watch, "watch", false, "like --wait, and show progress on standard error")
	fs.BoolVar(&f.cancel, "cancel-on-interrupt", false, "cancel without asking on Ctrl-C or SIGTERM")
	addOutputFlag(cmd, &f.output, resultFormats()...)
	addLangFlag(cmd, &f.lang)
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return submit(ctx, c, cmd, &f)
	}}
}

// validate checks a new submission. A resumed one was checked when it was submitted.
func (f *submitFlags) validate(cmd *cobra.Command, s spec.Submission) (validated, error) {
	if f.resume == "" {
		return validate(f.targets, s)
	}
	if s.Suite != nil || len(s.Files)+len(s.Properties)+len(s.Flags) > 0 || f.agents > 0 || len(f.labels) > 0 {
		return validated{}, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--resume %s continues the suite as it was submitted: leave out files, properties, settings, --agents and --select", f.resume)}
	}
	return validated{}, nil
}

// request asks for a suite on the agents of the flags.
func (f *submitFlags) request(s spec.Submission) remote.Request {
	return remote.Request{
		Submission: s, Agents: f.agents, Select: f.labels.Map(), WaitAgents: f.waitAgents,
		OnAgentLoss: remote.Policy(f.onLoss), SubmittedBy: submitter(), Resume: f.resume,
	}
}

func submit(ctx context.Context, c *cli.Context, cmd *cobra.Command, f *submitFlags) error {
	if f.dryRun {
		return dryRun(ctx, c, cmd, f)
	}
	waits := f.wait || f.watch
	if f.cancel && !waits {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--cancel-on-interrupt needs --wait or --watch")}
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
	j, err := f.validate(cmd, s)
	if err != nil {
		return err
	}
	if t := j.target; t.Embed != nil {
		if brought := t.Embedded.Of(f.targets.Reader().Given(s)); len(brought) > 0 {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("%[1]s: these configure the %[2]s that `benchctl run` starts; the one that agents use is started by `benchd %[2]s` or `benchd dev`, with flags of its own", strings.Join(brought, ", "), t.Name)}
		}
	}
	signals, stop := catch()
	defer stop()
	if j.suite != nil && !j.suite.Schedule.IsZero() {
		return f.schedule(ctx, c, cmd, client, s, signals)
	}
	if f.replace {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New("--replace is for a suite with a schedule: this one runs once")}
	}
	var id string
	var warnings []string
	if err := begin(ctx, signals, "interrupted before the coordinator answered; `benchctl list` shows whether it has the suite", func(ctx context.Context) error {
		if err := f.upload(ctx, client); err != nil {
			return err
		}
		id, warnings, err = client.Submit(ctx, f.request(s))
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
			f.commandLine(c.Origins, "benchctl watch "+id), f.commandLine(c.Origins, "benchctl cancel "+id)),
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
	return conclude(ctx, c, client, f.targets, id, f.output, f.lang, j.ycsb)
}

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
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/wire"
)

// agentsPatience bounds the time until agents in this process are connected.
const agentsPatience = 30 * time.Second

type runFlags struct {
	*submissionFlags
	agents     int
	data       string
	output     string
	lang       phrase.Translator
	rawIO      string
	allow      []string
	secrets    []string
	credential *cli.CredentialFlags
	below      string // the folder of files that properties name
	quiet      bool
}

func runCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a benchmark within this process and print its result",
		Long: `Run starts a coordinator and agents within this process, runs a benchmark on them and prints its result.
` + embeddedHelp(targets) + `
Progress goes to standard error: live on a terminal, otherwise as a line for each interval. Ctrl-C cancels the run and prints
the measurements up to then; a second one ends the process at once.`,
		Example: `  benchctl run --db null --duration 10s -p 'null.service=lognormal 1ms 0.5'
  benchctl run --db sandbox --phase load,run -p recordcount=100000 --threads 16 --duration 10s
  benchctl run -P workloads/workloada -p recordcount=100000 --phase load,run --threads 16 --agents 2
  benchctl run --db sandbox --phase load,run -p recordcount=10000 --threads 32 --duration 5s --warmup 1s \
    --search 'rate 1000..50000 keep p99(READ) < 10ms'
  benchctl run --db null --target 20000 --threads 64 --duration 30s -o json >result.json`,
	}
	f := runFlags{submissionFlags: addSubmissionFlags(cmd, targets), agents: 1, output: "table"}
	config.Whole(cmd.Flags(), &f.agents, "agents", 1, "agents within this process; a suite that asks for more gets as many as it asks for")
	cmd.Flags().StringVar(&f.data, "data", "", "keep the archive in `DIR`; without it only the printed result remains")
	addOutputFlag(cmd, &f.output, resultFormats()...)
	addLangFlag(cmd, &f.lang)
	cli.WriteBelowFlag(cmd, &f.below, ".")
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	f.credential = cli.AddCredentialFlags(cmd, f.sites)
	cli.RawIOFlag(cmd, &f.rawIO)
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runHere(ctx, c, cmd, &f)
	}}
}

func runHere(ctx context.Context, c *cli.Context, cmd *cobra.Command, f *runFlags) (err error) {
	s, err := f.submission(cmd, c.Origins)
	if err != nil {
		return err
	}
	j, err := validate(f.targets, s)
	if err != nil {
		return err
	}
	embedded, err := j.embedded(c, cmd, s)
	if err != nil {
		return err
	}
	secrets, err := cli.Secrets(f.secrets)
	if err != nil {
		return err
	}
	keys, err := f.credential.Load(cmd, c.Origins)
	if err != nil {
		return err
	}
	dialer, err := cli.Outbound(cmd, f.allow)
	if err != nil {
		return err
	}
	if !j.suite.Schedule.IsZero() {
		warn(c, []string{"the suite runs once: its schedule is for a coordinator, which `benchctl submit` gives it to"})
	}
	signals, stop := catch()
	defer stop()
	var cluster *dev.Cluster
	defer func() {
		if cluster != nil {
			err = errors.Join(err, cluster.Close())
		}
	}()
	var client *remote.Client
	var id string
	var warnings []string
	if err := begin(ctx, signals, "interrupted before the run started", func(ctx context.Context) (err error) {
		cluster, err = dev.Start(ctx, dev.Config{
			Targets: f.targets, Agents: agentsFor(j.suite, f.agents), DataDir: f.data, Version: c.Version, Logger: c.Logger, Embed: embedded,
			WriteBelow: f.below, Outbound: dialer, Secrets: secrets, Credential: keys, KnownIO: f.rawIO == cli.Off,
		})
		if err != nil {
			return cli.StartError(err)
		}
		client = remote.New(cluster.Conn(), nil, "this process")
		if err := f.upload(ctx, client); err != nil {
			return err
		}
		id, warnings, err = client.Submit(ctx, remote.Request{
			Submission: s, Agents: f.agents, WaitAgents: agentsPatience, SubmittedBy: submitter(),
		})
		if errors.Is(err, wire.ErrTooFewAgents) { // its cures are for remote agents
			return &cli.Error{Code: cli.Unavailable, Err: fmt.Errorf("the agents of this process did not connect to its coordinator within %v; --log-level info shows why", agentsPatience)}
		}
		return err
	}); err != nil {
		return err
	}
	warn(c, warnings)
	how := progress
	if f.quiet {
		how = quiet
	}
	if err := follow(ctx, c, signals, following{
		client: client, id: id, known: true, out: c.Err, how: how, first: cancel, statuses: statusOuts(c, j.ycsb, f.output),
		left: "the run ended with this process, without a result",
	}); err != nil {
		return err
	}
	return conclude(ctx, c, client, f.targets, id, f.output, f.lang, j.ycsb)
}

// agentsFor returns the number of agents that a run starts: want, or the largest number that a case asks for.
func agentsFor(suite *plan.Suite, want int) int {
	for _, one := range suite.Cases {
		want = max(want, one.Agents)
	}
	return want
}

// embeddedHelp returns a paragraph for each system that a run can start itself.
func embeddedHelp(targets target.List) string {
	var b strings.Builder
	for _, t := range targets {
		if t.Embed != nil {
			b.WriteString("\n" + t.Embedded.Help + "\n")
		}
	}
	return b.String()
}

// embedded returns the function that starts the run's own system, or nil for none.
func (j validated) embedded(c *cli.Context, cmd *cobra.Command, s spec.Submission) (load.Start, error) {
	t := j.target
	if t.Embed == nil {
		return nil, nil //nolint:nilnil // no system to start
	}
	for _, property := range t.Address {
		if j.sets(s, property) {
			return nil, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("%[1]s: `benchctl run --db %[2]s` starts its own %[2]s and needs no address; leave it out, or write --db %[3]s for one that runs already", property, t.Name, t.Embedded.Elsewhere)}
		}
	}
	for _, one := range j.suite.Cases {
		if property := t.EmbedsOther(j.properties, one.Properties); property != "" && one.Settings.DB == t.Name {
			return nil, &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("%s differs between cases of %s, but `benchctl run` starts one %s for all of them; set it once, for the whole suite", property, s.Suite.Name, t.Name)}
		}
	}
	start, err := t.Embed(j.properties, load.EmbedSettings{Program: c.Version, Logger: c.Logger})
	if err != nil {
		return nil, &cli.Error{Code: cli.Usage, Err: err}
	}
	return start, nil
}

// texts formats warnings.
func texts(warnings []property.Warning) []string {
	lines := make([]string, len(warnings))
	for i, w := range warnings {
		lines[i] = w.String()
	}
	return lines
}

func warn(c *cli.Context, warnings []string) {
	for _, w := range warnings {
		_, _ = fmt.Fprintf(c.Err, "warning: %s\n", report.PlainLines(w))
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
)

// adminFlags are the flags of every action.
type adminFlags struct {
	targets target.List
	*connectFlags
	properties config.Pairs
	files      []string
	sites      *cli.SiteFlags
	agent      string
	local      bool
	allow      []string
	secrets    []string
	credential *cli.CredentialFlags
	timeout    time.Duration
	output     string
}

func addAdminFlags(cmd *cobra.Command, targets target.List) *adminFlags {
	descriptors := targets.Descriptors()
	f := &adminFlags{targets: targets, connectFlags: addConnectFlags(cmd), output: "table"}
	fs := cmd.Flags()
	fs.VarP(newFiles(&f.files), "properties", "P", "properties `FILE` that locates the target; repeatable, later files override earlier ones")
	config.PairsVar(fs, &f.properties, "property", "p", "set a property, such as "+descriptors.Example().Where+"; overrides -P; repeatable")
	f.sites = cli.AddSiteFlags(cmd, descriptors, "-P and -p override it")
	fs.StringVar(&f.agent, "agent", "", "agent `NAME` that executes the action; default is an idle one")
	fs.BoolVar(&f.local, "local", false, "execute the action in this process, without a coordinator and its agents")
	cli.AllowTargetFlag(cmd, &f.allow)
	cli.SecretsFlag(cmd, &f.secrets)
	f.credential = cli.AddCredentialFlags(cmd, f.sites)
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "limit of the action; at its end the target may still be working on it")
	addOutputFlag(cmd, &f.output, "table", "json")
	return f
}

// submission returns the properties that locate the target.
func (f *adminFlags) submission(cmd *cobra.Command, origins config.Origins) (spec.Submission, error) {
	where := submissionFlags{targets: f.targets, files: f.files, properties: f.properties, sites: f.sites, settings: map[string]*string{}}
	for _, s := range settingFlags() {
		where.settings[s.name] = new(string)
	}
	return where.submission(cmd, origins)
}

// act executes an action on a target, and prints its answer.
func (f *adminFlags) act(ctx context.Context, c *cli.Context, cmd *cobra.Command, name string, action load.Action) (err error) {
	s, err := f.submission(cmd, c.Origins)
	if err != nil {
		return err
	}
	if f.timeout <= 0 {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--timeout %s: an action takes some time; write such as 10m", f.timeout)}
	}
	client, end, err := f.client(ctx, c, cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	signals, stop := catch()
	defer stop()
	var done remote.ActionResult
	if err := begin(ctx, signals, "interrupted; the target may still be working on the action", func(ctx context.Context) (err error) {
		done, err = client.Act(ctx, remote.ActionRequest{
			Target: name, Submission: s, Action: action, Agent: f.agent, Timeout: f.timeout, By: submitter(),
		})
		return err
	}); err != nil {
		return err
	}
	warn(c, done.Warnings)
	return printAnswer(c, action.Name, done, f.output)
}

// client connects to a coordinator, or starts one in this process.
func (f *adminFlags) client(ctx context.Context, c *cli.Context, cmd *cobra.Command) (*remote.Client, func() error, error) {
	if !f.local {
		if err := f.remote(cmd); err != nil {
			return nil, nil, err
		}
		client, err := f.dial()
		if err != nil {
			return nil, nil, err
		}
		return client, client.Close, nil
	}
	secrets, err := cli.Secrets(f.secrets)
	if err != nil {
		return nil, nil, err
	}
	keys, err := f.credential.Load(cmd, c.Origins)
	if err != nil {
		return nil, nil, err
	}
	dialer, err := cli.Outbound(cmd, f.allow)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := dev.Start(ctx, dev.Config{
		Targets: f.targets, Agents: 1, Version: c.Version, Logger: c.Logger, Outbound: dialer, Secrets: secrets, Credential: keys,
	})
	if err != nil {
		return nil, nil, cli.StartError(err)
	}
	return remote.New(cluster.Conn(), nil, "this process"), cluster.Close, nil
}

// remote refuses what the operators of agents decide.
func (f *adminFlags) remote(cmd *cobra.Command) error {
	var text string
	switch {
	case len(f.allow) > 0:
		text = "--allow-target is valid only with --local: the operators of agents decide what those reach"
	case len(f.secrets) > 0:
		text = "--secrets is valid only with --local: the operators of agents decide which files those release"
	case f.credential.Given():
		text = "--kerberos-… and --target-tls-… are valid only with --local: the operators of agents give those their own keys"
	default:
		return nil
	}
	return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New(text)}
}

func adminCommand(targets target.List) cli.Command {
	var commands []cli.Command
	example := "" // one of them: each target's command has its own
	for _, t := range targets {
		if t.Admin.Short != "" {
			commands = append(commands, adminTargetCommand(targets, t.Target))
			example = cmp.Or(example, t.Admin.Example)
		}
	}
	return cli.Command{
		Command: &cobra.Command{
			Use:   "admin",
			Short: "Run administrative actions on a system under test",
			Long: `Admin executes an action on the system under test by one of the coordinator's agents, and prints the answer. The coordinator
itself never connects to that system.`,
			Example: example,
		},
		Commands: commands,
	}
}

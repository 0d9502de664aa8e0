package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/wire"
)

// doctorFlags select the coordinator and the target.
type doctorFlags struct {
	adminFlags
	db string
}

func doctorCommand(targets target.List) cli.Command {
	f := &doctorFlags{adminFlags: adminFlags{targets: targets, connectFlags: &connectFlags{}, output: "table"}}
	descriptors := targets.Descriptors()
	example := descriptors.Example()
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check a coordinator, its agents and their machines",
		Long: `Doctor checks the coordinator, its archive and its agents, which listeners --insecure leaves open, and when certificates
expire. Each connected agent checks its own machine: clock, file limit, idle CPU, CPU governor and idle states, memory,
network interfaces, free disk, its spool and its certificates. With --db each agent also checks its connection to that
target. Doctor changes nothing; an agent that serves a run is checked, too.

Each finding has a verdict: ok, unknown (it cannot be determined), warn (figures may suffer) or bad (runs would fail, or
their figures be worthless). Findings that need a cure name it. The exit code is 0 if no finding is bad, 5 if the
coordinator or a target cannot be reached or there are no agents, and 1 if another finding is bad. "benchd doctor" checks
the machine that it runs on.`,
		Example: `  benchctl doctor
  benchctl doctor --coordinator 10.0.0.1:7070 --insecure --db ` + example.Name + ` -p ` + example.Where + `
  benchctl doctor -o json | jq -r '.findings[] | select(.verdict != "ok") | .agent + " " + .name + ": " + .cure'`,
	}
	f.connectFlags = addConnectFlags(cmd)
	fs := cmd.Flags()
	config.Enum(cmd, &f.db, "db", "", "let each agent check its connection to this `TARGET`", probed(targets)...)
	fs.VarP(newFiles(&f.files), "properties", "P", "properties `FILE` that locates the target; repeatable, later files override earlier ones")
	config.PairsVar(fs, &f.properties, "property", "p", "set a property, such as "+example.Where+"; overrides -P; repeatable")
	f.sites = cli.AddSiteFlags(cmd, descriptors, "-P and -p override it")
	addOutputFlag(cmd, &f.output, "table", "json")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		s, err := f.submission(cmd, c.Origins)
		if err != nil {
			return err
		}
		if f.db == "" && len(s.Files)+len(s.Properties) > 0 {
			return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New(f.sites.With("-P", "-p") + " locate a target: name its kind with --db, such as --db " + example.Name)}
		}
		if f.db != "" {
			if _, _, err := targets.Reader().Target(s, f.db); err != nil {
				return &cli.Error{Code: cli.Usage, Err: err}
			}
		}
		own, usable, err := f.ownCertificates()
		if err != nil {
			return err
		}
		if !usable {
			return cli.Diagnose(c, append(own, doctor.Unasked(cmp.Or(f.coordinator, usualCoordinator))), f.output)
		}
		client, err := f.dial()
		if err != nil {
			return err
		}
		defer func() { _ = client.Close() }()
		findings, err := f.examine(ctx, c, client, s)
		if err != nil {
			return err
		}
		return cli.Diagnose(c, append(own, findings...), f.output)
	}}
}

// ownCertificates checks the certificates of this program, and reports whether they can be used.
func (f *doctorFlags) ownCertificates() (findings []doctor.Finding, usable bool, err error) {
	if inspect := f.tls.Inspect(); inspect != nil {
		_, usable, err = f.tls.LoadForDoctor()
		return doctor.ExamineCertificates(inspect(), time.Now()), usable, err
	}
	p, err := f.choose(cli.Profiles())
	if err != nil {
		return nil, false, usage(err)
	}
	if !p.Secured() {
		return nil, true, nil
	}
	store, err := p.Certificates(certs.Options{})
	if err != nil {
		return nil, false, err
	}
	return doctor.ExamineCertificates(store.State(), time.Now()), true, nil
}

// examine queries the coordinator, and then all agents in parallel.
func (f *doctorFlags) examine(ctx context.Context, c *cli.Context, client *remote.Client, s spec.Submission) ([]doctor.Finding, error) {
	version := c.Version
	var findings []doctor.Finding
	peer, instead := cli.Ask(ctx, client, f.coordinator)
	switch {
	case instead == nil:
		findings = append(peer.Examine(version, remote.Protocol), peer.ExamineArchive()...)
		version = peer.Version
	case instead.Verdict == doctor.Bad:
		return []doctor.Finding{*instead}, nil
	default:
		findings = append(findings, *instead)
	}
	agents, err := client.Agents(ctx)
	if err != nil {
		return nil, err
	}
	members := make([]doctor.Member, len(agents))
	for i, a := range agents {
		members[i] = doctor.Member{
			Name: a.Name, Version: a.Version, Hostname: a.Host.Hostname, Connected: a.Connected, Draining: a.Draining,
			Silent: max(0, time.Since(a.LastHeard)), Clock: cli.Offset(a.Clock),
		}
	}
	findings = append(findings, doctor.ExamineRoster(members, version)...)
	findings = append(findings, f.examineAgents(ctx, client, agents, s)...)
	// The findings of the coordinator come first, then those of each agent.
	slices.SortStableFunc(findings, func(a, b doctor.Finding) int { return strings.Compare(a.Agent, b.Agent) })
	return findings, nil
}

const (
	// mostAtOnce is the number of agents that are queried at a time.
	mostAtOnce = 16
	// examineWithin bounds the time in which an agent checks its machine, or opens a target.
	examineWithin = 10 * time.Second
)

func (f *doctorFlags) examineAgents(ctx context.Context, client *remote.Client, agents []remote.Agent, s spec.Submission) []doctor.Finding {
	found := make([][]doctor.Finding, len(agents))
	var asking sync.WaitGroup
	turns := make(chan struct{}, mostAtOnce)
	for i, a := range agents {
		if !a.Connected {
			continue
		}
		asking.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			found[i] = examineMachine(ctx, client, a.Name)
			if a.Run != "" {
				found[i] = doctor.WhileServing(a.Run, found[i])
			}
			if f.db != "" {
				found[i] = append(found[i], f.reach(ctx, client, a.Name, s))
			}
		})
	}
	asking.Wait()
	var findings []doctor.Finding
	for _, one := range found {
		findings = append(findings, one...)
	}
	return findings
}

// examineMachine lets an agent check its machine.
func examineMachine(ctx context.Context, client *remote.Client, agent string) []doctor.Finding {
	done, err := client.Act(ctx, remote.ActionRequest{
		Target: doctor.Target, Action: load.Action{Name: doctor.Action}, Agent: agent, Timeout: examineWithin, By: submitter(),
	})
	var findings []doctor.Finding
	if err == nil {
		findings, err = doctor.FromAnswer(agent, done.Answer)
	}
	if err != nil {
		return []doctor.Finding{doctor.Silent(agent, errors.Is(err, wire.ErrBadSpec), err)}
	}
	return findings
}

// probed returns the names of the targets whose connection an agent can check.
func probed(targets target.List) []string {
	var names []string
	for _, t := range targets {
		if t.Probe != "" {
			names = append(names, t.Name)
		}
	}
	return names
}

// reach lets an agent check its connection to the target.
func (f *doctorFlags) reach(ctx context.Context, client *remote.Client, agent string, s spec.Submission) doctor.Finding {
	begin := time.Now()
	t, _ := f.targets.Descriptors().Find(f.db)
	done, err := client.Act(ctx, remote.ActionRequest{
		Target: f.db, Submission: s, Action: load.Action{Name: t.Probe}, Agent: agent, Timeout: examineWithin, By: submitter(),
	})
	if err != nil && !errors.Is(err, wire.ErrTarget) {
		err = fmt.Errorf("agent %s did not check: %w", agent, err)
	}
	return doctor.Reached(agent, t, len(done.Answer.Rows), time.Since(begin), err)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

func faultCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "fault",
		Short: "Inject faults into a sandbox",
		Example: `  benchctl sandbox fault add latency --op get --delay 5ms --for 30s
  benchctl sandbox fault list
  benchctl sandbox fault clear`,
	}
	return cli.Command{Command: cmd, Commands: []cli.Command{faultAddCommand(), faultListCommand(), faultClearCommand()}}
}

// faultSetting is a flag for a setting of a fault. Package fault checks its value.
type faultSetting struct {
	flag, key, usage string
	list             bool
}

func faultSettings() []faultSetting {
	return []faultSetting{
		{"op", "op", "only `KINDS` of calls: " + words(fault.Ops()) + "; default is calls for data", true},
		{"table", "table", "only calls to `TABLES`", true},
		{"region", "region", "only calls to `REGIONS`, by their encoded names", true},
		{"server", "server", "only `SERVERS`, each a number, address or name; the one to kill, restart or silence, for kill-server, restart-server and silence-server", true},
		{"from", "from", "only rows from `ROW` on; \\xHH is a byte", false},
		{"to", "to", "only rows before `ROW`", false},
		{"delay", "delay", "delay of calls, for latency: `TIME` is " + randdur.Forms, false},
		{"exception", "exception", "Java `CLASS` to answer with, for io-exception; default java.io.IOException", false},
		{"start", "start", "start after `D`; default at once", false},
		{"for", "length", "end after `D`; default is to last until it is cleared", false},
		{"share", "share", "affect this `SHARE` of the calls, such as 20% or 0.2; default all", false},
		{"seed", "seed", "seed `N` of the choice of calls and of their delays", false},
	}
}

func words[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return strings.Join(texts, ", ")
}

type faultAddFlags struct {
	*sandboxFlags
	file  string
	one   map[string]*string
	lists map[string]*[]string
}

func faultAddCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "add KIND | --faults FILE",
		Short: "Add a fault to a sandbox",
		Long: `Add starts a fault in a sandbox and prints its number, or adds all faults of a file. KIND is one of:

  latency              calls wait for --delay before they are executed
  stall                calls wait until the fault is over
  not-serving-region   calls are answered with NotServingRegionException, and not executed
  region-moved         … RegionMovedException
  region-opening       … RegionOpeningException
  region-too-busy      … RegionTooBusyException
  call-queue-too-big   … CallQueueTooBigException
  unknown-scanner      … UnknownScannerException, for scans in progress
  io-exception         … java.io.IOException, or the class of --exception
  disconnect           calls are executed, and the connection ends in the middle of the answer
  kill-server          a region server ends as in a crash; with --for it is started again after that time
  restart-server       a region server ends as in a crash, and is started again at once
  silence-server       a region server's connections stay open without answers, as with SIGSTOP; with --for it continues after
                       that time, or is started again if the master has declared it dead
  add-server           another region server is started

For a slow ZooKeeper use "latency --op zookeeper". Faults that answer with an exception do not affect hbase:meta unless --table
names it.`,
		Example: `  benchctl sandbox fault add latency --op get --delay 'exponential 5ms' --for 30s
  benchctl sandbox fault add region-too-busy --table usertable --share 5% --seed 7 --start 10s --for 1m
  benchctl sandbox fault add stall --server 2 --for 3s
  benchctl sandbox fault add kill-server --server 2 --start 30s --for 20s
  benchctl sandbox fault add --faults faults.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%q is one argument too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return strings.Split(words(fault.Kinds()), ", "), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := faultAddFlags{sandboxFlags: addSandboxFlags(cmd), one: map[string]*string{}, lists: map[string]*[]string{}}
	cmd.Flags().StringVar(&f.file, "faults", "", "`FILE` of faults (YAML; docs/sandbox.md has the format)")
	for _, s := range faultSettings() {
		if s.list {
			f.lists[s.flag] = cmd.Flags().StringSlice(s.flag, nil, s.usage)
			continue
		}
		f.one[s.flag] = cmd.Flags().String(s.flag, "", s.usage)
	}
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		faults, err := f.read(c, args)
		if err != nil {
			if _, placed := errors.AsType[fault.Mistakes](err); placed {
				return err
			}
			return &cli.UsageError{Command: cmd.CommandPath(), Err: err}
		}
		return command(f.sandboxFlags, func(ctx context.Context, c *cli.Context, client *control.Client, _ []string) error {
			numbers, err := client.AddFaults(ctx, faults)
			if err != nil {
				return err
			}
			for _, n := range numbers {
				_, _ = fmt.Fprintln(c.Out, n)
			}
			return nil
		})(ctx, c, args)
	}}
}

// read checks the faults before they are sent to a sandbox.
func (f *faultAddFlags) read(c *cli.Context, args []string) ([]fault.Fault, error) {
	var settings []fault.Setting
	for _, s := range faultSettings() {
		if !c.Origins.Set(s.flag) {
			continue
		}
		values := f.lists[s.flag]
		if !s.list {
			values = &[]string{*f.one[s.flag]}
		}
		settings = append(settings, fault.Setting{Key: s.key, Values: *values})
	}
	switch {
	case f.file != "" && (len(args) > 0 || len(settings) > 0):
		return nil, errors.New("--faults excludes KIND and its flags: give a file alone, or a KIND with its flags")
	case f.file != "":
		return fault.ReadFile(f.file)
	case len(args) == 0:
		return nil, errors.New("KIND is missing: `benchctl sandbox fault add --help` lists the kinds of faults")
	}
	one, err := fault.Parse(append([]fault.Setting{{Key: "kind", Values: args}}, settings...))
	if err != nil {
		return nil, byFlag(err)
	}
	return []fault.Fault{one}, nil
}

// byFlag names the flag that a problem is about.
func byFlag(err error) error {
	p, ok := errors.AsType[*fault.Problem](err)
	if !ok {
		return err
	}
	for _, s := range faultSettings() {
		if s.key == p.Key {
			return fmt.Errorf("--%s: %s", s.flag, p.Text)
		}
	}
	return errors.New(p.Text)
}

func faultListCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the faults of a sandbox, with the number of calls that they have affected",
		Example: `  benchctl sandbox fault list
  benchctl sandbox fault list -o json | jq '.[] | select(.state == "active").hits'`,
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
			if s.Faults == nil {
				s.Faults = []fault.Status{}
			}
			return printJSON(c.Out, s.Faults)
		}
		t := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(t, "NUMBER\tSTATE\tHITS\tFAULT")
		for _, one := range s.Faults {
			_, _ = fmt.Fprintf(t, "%d\t%s\t%d\t%s\n", one.Number, stateOf(&one), one.Hits, one.Fault)
		}
		return t.Flush()
	})}
}

// stateOf returns a fault's state, and the time that it still lasts.
func stateOf(s *fault.Status) string {
	switch {
	case s.Trouble != "":
		return string(s.State) + " (" + s.Trouble + ")"
	case s.State == fault.Waiting:
		return string(s.State) + " " + rounded(s.Begins)
	case s.State == fault.Active && s.Left > 0:
		return string(s.State) + ", " + rounded(s.Left) + " left"
	default:
		return string(s.State)
	}
}

func rounded(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

func faultClearCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "clear [NUMBER…]",
		Short: "End faults of a sandbox: all, or those with the given numbers",
		Long: `Clear ends all faults, or those with the given numbers, which "fault list" prints. Calls that wait for these faults continue.
Killed region servers stay dead; "benchctl sandbox restart" starts them again.`,
		Example: `  benchctl sandbox fault clear
  benchctl sandbox fault clear 3`,
		Args: cobra.ArbitraryArgs,
	}
	f := addSandboxFlags(cmd)
	return cli.Command{Command: cmd, Run: command(f, func(ctx context.Context, c *cli.Context, client *control.Client, args []string) error {
		if len(args) == 0 {
			n, err := client.ClearFaults(ctx)
			if err == nil {
				_, err = fmt.Fprintf(c.Err, "%d cleared\n", n)
			}
			return err
		}
		for _, arg := range args {
			number, err := strconv.Atoi(arg)
			if err != nil {
				return &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("invalid fault number %q: want a number that `benchctl sandbox fault list` prints", arg)}
			}
			if err := client.ClearFault(ctx, number); err != nil {
				return err
			}
		}
		return nil
	})}
}

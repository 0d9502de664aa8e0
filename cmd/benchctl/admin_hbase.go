package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/load"
)

// adminVerb is an action on HBase as a command.
type adminVerb struct {
	name, args      string // as in Use
	short, more     string
	example         string
	argument        string // of the action, that the command's argument is
	required        bool
	flags           func(*cobra.Command) func(args map[string]string)
	argumentChoices []string
}

func adminVerbs() []adminVerb {
	return []adminVerb{
		{
			name: "flush", args: "[TABLE]", argument: "table", short: "Write what a table has in memory to its files",
			more: `Flush returns when all is written.`, example: "  benchctl admin hbase flush usertable",
		},
		{
			name: "compact", args: "[TABLE]", argument: "table", short: "Ask for a compaction of a table's files", flags: waitFlag,
			more: `Compact asks each region of a table to compact its files as the servers think best, which they do in the background.`, example: "  benchctl admin hbase compact usertable --wait",
		},
		{
			name: "major-compact", args: "[TABLE]", argument: "table", short: "Ask for a major compaction of a table", flags: waitFlag,
			more: `Major-compact asks each region of a table to make one file of all files of each store, which the servers do in the background.`, example: "  benchctl admin hbase major-compact usertable --wait --timeout 2h",
		},
		{
			name: "split", args: "[TABLE]", argument: "table", short: "Split a table's regions", flags: splitFlags,
			more: `Split splits every region of a table in its middle, or only the one that has the key of --key, there; or the region of the
encoded name that --encoded gives.`, example: "  benchctl admin hbase split usertable\n  benchctl admin hbase split usertable --key user5\n  benchctl admin hbase split --encoded 6414e613ff343a5f966676d7d7a90674",
		},
		{
			name: "move", args: "REGION", argument: "region", required: true, short: "Move a region to another server", flags: moveFlags,
			more: `Move moves a region, which "regions" lists by its encoded name, and returns when it is open there.`, example: "  benchctl admin hbase move 6414e613ff343a5f966676d7d7a90674 --to rs2,16020,1795269465681",
		},
		{
			name: "balance", short: "Let the master spread the regions over the servers", example: "  benchctl admin hbase balance",
		},
		{
			name: "balancer", args: "[on|off]", argument: "state", short: "Tell whether the balancer is on, or switch it",
			example: "  benchctl admin hbase balancer\n  benchctl admin hbase balancer off", argumentChoices: []string{"on", "off"},
		},
		{
			name: "regions", args: "[TABLE]", argument: "table", short: "List a table's regions with their servers and sizes",
			more: `Regions lists a table's regions. Sizes are as the servers last reported them, in whole MB.`, example: "  benchctl admin hbase regions usertable",
		},
		{
			name: "servers", short: "List the masters and region servers", more: `Servers lists the masters and region servers. Sizes are as the servers last reported them, in whole MB.`, example: "  benchctl admin hbase servers -o json",
		},
		{name: "tables", short: "List the tables, with the run that created them", example: "  benchctl admin hbase tables"},
		{name: "describe", args: "[TABLE]", argument: "table", short: "Print a table's descriptor and whether it is enabled", example: "  benchctl admin hbase describe usertable"},
		{
			name: "wait-for-quiet", short: "Wait until no compaction, flush, split or move is left",
			more: `Wait-for-quiet waits until no region is in transition, none is being compacted, and the servers' queues are empty, in several
looks in a row. What was measured while the servers still compact is not what a table gives at rest.`, example: "  benchctl admin hbase wait-for-quiet --timeout 1h",
		},
		{name: "count", args: "[TABLE]", argument: "table", short: "Count a table's rows by reading a key of each", example: "  benchctl admin hbase count usertable"},
		{
			name: "create", args: "[TABLE]", argument: "table", short: "Create a table as a load would",
			more: `Create creates a table with the column family, its settings and the split points that the properties say, as a load does.`, example: "  benchctl admin hbase create usertable -p columnfamily=family -p hbase.splits=200",
		},
		{
			name: "drop", args: "[TABLE]", argument: "table", short: "Delete a table", flags: forceFlag,
			more: `Drop disables and deletes a table. One that benchd did not create is deleted with --force only.`, example: "  benchctl admin hbase drop usertable",
		},
		{
			name: "truncate", args: "[TABLE]", argument: "table", short: "Delete a table's rows and keep its regions", flags: truncateFlags,
			more: `Truncate deletes all rows of a table. One that benchd did not create is emptied with --force only.`, example: "  benchctl admin hbase truncate usertable",
		},
		{name: "enable", args: "[TABLE]", argument: "table", short: "Enable a table", example: "  benchctl admin hbase enable usertable"},
		{name: "disable", args: "[TABLE]", argument: "table", short: "Disable a table", example: "  benchctl admin hbase disable usertable"},
	}
}

func waitFlag(cmd *cobra.Command) func(map[string]string) {
	yes := cmd.Flags().Bool("wait", false, "wait until the servers are quiet again")
	return func(args map[string]string) { set(args, "wait", *yes) }
}

func forceFlag(cmd *cobra.Command) func(map[string]string) {
	yes := cmd.Flags().Bool("force", false, "do it to a table that benchd did not create, too")
	return func(args map[string]string) { set(args, "force", *yes) }
}

func truncateFlags(cmd *cobra.Command) func(map[string]string) {
	force := forceFlag(cmd)
	keep := cmd.Flags().Bool("keep-splits", true, "keep the regions' bounds")
	return func(args map[string]string) {
		force(args)
		args["keep_splits"] = strconv.FormatBool(*keep)
	}
}

func splitFlags(cmd *cobra.Command) func(map[string]string) {
	region := cmd.Flags().String("encoded", "", "split only the region of that encoded `NAME`")
	key := cmd.Flags().String("key", "", "split only the region that has `KEY`, there")
	return func(args map[string]string) {
		if *region != "" {
			args["region"] = *region
		}
		if *key != "" {
			args["key"] = *key
		}
	}
}

func moveFlags(cmd *cobra.Command) func(map[string]string) {
	server := cmd.Flags().String("to", "", "move it to server `HOST,PORT,STARTCODE`, or HOST:PORT; default is as the master thinks best")
	return func(args map[string]string) {
		if *server != "" {
			args["server"] = *server
		}
	}
}

func set(args map[string]string, name string, yes bool) {
	if yes {
		args[name] = "true"
	}
}

// command makes a command of a verb.
func (v adminVerb) command() cli.Command {
	cmd := &cobra.Command{Use: strings.TrimSpace(v.name + " " + v.args), Short: v.short, Long: v.more, Example: v.example}
	f := addAdminFlags(cmd)
	switch {
	case v.required:
		cmd.Args = cli.Exactly(v.args)
	case v.argument != "":
		cmd.Args = cobra.MaximumNArgs(1)
	default:
		cmd.Args = cobra.NoArgs
	}
	if v.argumentChoices != nil {
		cmd.ValidArgs = v.argumentChoices
	} else {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	more := func(map[string]string) {}
	if v.flags != nil {
		more = v.flags(cmd)
	}
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		action := load.Action{Name: strings.ReplaceAll(v.name, "-", "_"), Args: map[string]string{}}
		if len(args) > 0 {
			action.Args[v.argument] = args[0]
		}
		more(action.Args)
		return f.act(ctx, c, cmd, action)
	}}
}

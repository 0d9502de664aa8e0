package hbasespec

import "github.com/benchd/benchd/internal/descriptor"

// admin is what an administrator does to HBase.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Flush, compact, split, move, balance, count and the like, on an HBase",
		Long: `Hbase does to an HBase cluster what its administrator does. Where the cluster is say -p hbase.zookeeper.quorum=HOST:PORT
or --hbase-site; without either it is looked for on the agent's own machine.

Without a TABLE the property table is meant, which is usertable by default. What was begun by an action whose outcome is
not known, because its time was over or its agent was lost, may go on: look before you ask for it again.`,
		Example: `  benchctl admin hbase regions usertable -p hbase.zookeeper.quorum=zk1:2181
  benchctl admin hbase flush usertable && benchctl admin hbase major-compact usertable --wait
  benchctl admin hbase count usertable --local -o json | jq '.rows[0][1]'`,
		Verbs: verbs(),
	}
}

func verbs() []descriptor.Verb {
	wait := descriptor.Flag{Name: "wait", Argument: "wait", Switch: true, Usage: "wait until the servers are quiet again"}
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true, Usage: "do it to a table that benchd did not create, too"}
	splitting := []descriptor.Flag{
		{Name: "encoded", Argument: "region", Usage: "split only the region of that encoded `NAME`"},
		{Name: "key", Argument: "key", Usage: "split only the region that has `KEY`, there"},
	}
	moving := []descriptor.Flag{
		{Name: "to", Argument: "server", Usage: "move it to server `HOST,PORT,STARTCODE`, or HOST:PORT; default is as the master thinks best"},
	}
	truncating := []descriptor.Flag{
		force, {Name: "keep-splits", Argument: "keep_splits", Switch: true, On: true, Usage: "keep the regions' bounds"},
	}
	return []descriptor.Verb{
		{
			Name: "flush", Args: "[TABLE]", Argument: "table", Short: "Write what a table has in memory to its files",
			More: `Flush returns when all is written.`, Example: "  benchctl admin hbase flush usertable",
		},
		{
			Name: "compact", Args: "[TABLE]", Argument: "table", Short: "Ask for a compaction of a table's files", Flags: []descriptor.Flag{wait},
			More: `Compact asks each region of a table to compact its files as the servers think best, which they do in the background.`, Example: "  benchctl admin hbase compact usertable --wait",
		},
		{
			Name: "major-compact", Args: "[TABLE]", Argument: "table", Short: "Ask for a major compaction of a table", Flags: []descriptor.Flag{wait},
			More: `Major-compact asks each region of a table to make one file of all files of each store, which the servers do in the background.`, Example: "  benchctl admin hbase major-compact usertable --wait --timeout 2h",
		},
		{
			Name: "split", Args: "[TABLE]", Argument: "table", Short: "Split a table's regions", Flags: splitting,
			More: `Split splits every region of a table in its middle, or only the one that has the key of --key, there; or the region of the
encoded name that --encoded gives.`, Example: "  benchctl admin hbase split usertable\n  benchctl admin hbase split usertable --key user5\n  benchctl admin hbase split --encoded 6414e613ff343a5f966676d7d7a90674",
		},
		{
			Name: "move", Args: "REGION", Argument: "region", Required: true, Short: "Move a region to another server", Flags: moving,
			More: `Move moves a region, which "regions" lists by its encoded name, and returns when it is open there.`, Example: "  benchctl admin hbase move 6414e613ff343a5f966676d7d7a90674 --to rs2,16020,1795269465681",
		},
		{
			Name: "balance", Short: "Let the master spread the regions over the servers", Example: "  benchctl admin hbase balance",
		},
		{
			Name: "balancer", Args: "[on|off]", Argument: "state", Short: "Tell whether the balancer is on, or switch it",
			Example: "  benchctl admin hbase balancer\n  benchctl admin hbase balancer off", Choices: []string{"on", "off"},
		},
		{
			Name: "regions", Args: "[TABLE]", Argument: "table", Short: "List a table's regions with their servers and sizes",
			More: `Regions lists a table's regions. Sizes are as the servers last reported them, in whole MB.`, Example: "  benchctl admin hbase regions usertable",
		},
		{
			Name: "servers", Short: "List the masters and region servers", More: `Servers lists the masters and region servers. Sizes are as the servers last reported them, in whole MB.`, Example: "  benchctl admin hbase servers -o json",
		},
		{Name: "tables", Short: "List the tables, with the run that created them", Example: "  benchctl admin hbase tables"},
		{Name: "describe", Args: "[TABLE]", Argument: "table", Short: "Print a table's descriptor and whether it is enabled", Example: "  benchctl admin hbase describe usertable"},
		{
			Name: "wait-for-quiet", Short: "Wait until no compaction, flush, split or move is left",
			More: `Wait-for-quiet waits until no region is in transition, none is being compacted, and the servers' queues are empty, in several
looks in a row. What was measured while the servers still compact is not what a table gives at rest.`, Example: "  benchctl admin hbase wait-for-quiet --timeout 1h",
		},
		{Name: "count", Args: "[TABLE]", Argument: "table", Short: "Count a table's rows by reading a key of each", Example: "  benchctl admin hbase count usertable"},
		{
			Name: "create", Args: "[TABLE]", Argument: "table", Short: "Create a table as a load would",
			More: `Create creates a table with the column family, its settings and the split points that the properties say, as a load does.`, Example: "  benchctl admin hbase create usertable -p columnfamily=family -p hbase.splits=200",
		},
		{
			Name: "drop", Args: "[TABLE]", Argument: "table", Short: "Delete a table", Flags: []descriptor.Flag{force},
			More: `Drop disables and deletes a table. One that benchd did not create is deleted with --force only.`, Example: "  benchctl admin hbase drop usertable",
		},
		{
			Name: "truncate", Args: "[TABLE]", Argument: "table", Short: "Delete a table's rows and keep its regions", Flags: truncating,
			More: `Truncate deletes all rows of a table. One that benchd did not create is emptied with --force only.`, Example: "  benchctl admin hbase truncate usertable",
		},
		{Name: "enable", Args: "[TABLE]", Argument: "table", Short: "Enable a table", Example: "  benchctl admin hbase enable usertable"},
		{Name: "disable", Args: "[TABLE]", Argument: "table", Short: "Disable a table", Example: "  benchctl admin hbase disable usertable"},
	}
}

package hbasespec

import (
	"fmt"
	"regexp"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/property"
)

// Actions lists the actions on HBase with their arguments. Package action has a function for each.
func Actions() []descriptor.Action {
	table := []string{"table"}
	awaited := map[string]string{"wait": "true"} // otherwise nothing would wait for its end
	wait := descriptor.Flag{Name: "wait", Argument: "wait", Switch: true, Usage: "wait until the servers are quiet again"}
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true, Usage: "allow it on a table that benchd did not create"}
	splitting := []descriptor.Flag{
		{Name: "encoded", Argument: "region", Usage: "split only the region with this encoded `NAME`"},
		{Name: "key", Argument: "key", Usage: "split only the region that holds `KEY`, at that key"},
	}
	moving := []descriptor.Flag{
		{Name: "to", Argument: "server", Usage: "move it to server `HOST,PORT,STARTCODE`, or HOST:PORT; by default the master picks one"},
	}
	truncating := []descriptor.Flag{
		force, {Name: "keep-splits", Argument: "keep_splits", Switch: true, On: true, Usage: "keep the regions' bounds"},
	}
	named := descriptor.Flag{Name: "name", Argument: descriptor.SnapshotArg, Usage: "`NAME` of the snapshot; by default TABLE-benchd"}
	counted := descriptor.Flag{Name: "count", Argument: "count", Switch: true, On: true, Usage: "count the table's rows: with the snapshot, and to compare them after a restore"}
	replaced := descriptor.Flag{Name: "replace", Argument: "replace", Switch: true, Usage: "delete an older snapshot of this table and name"}
	unmarked := force
	unmarked.Usage = "allow it for a snapshot without a number of rows, which benchd may not have taken"
	return []descriptor.Action{
		{Name: "balance", Verb: descriptor.Verb{
			Short: "Have the master spread the regions over the servers", Example: "  benchctl admin hbase balance",
		}},
		{
			Name: "balancer", Takes: []string{"state"}, Needs: 1, Check: checkState,
			Verb: descriptor.Verb{
				Args: "[on|off]", Short: "Show whether the balancer is on, or switch it",
				Example: "  benchctl admin hbase balancer\n  benchctl admin hbase balancer off", Choices: []string{"on", "off"},
			},
		},
		{
			Name: "compact", Takes: table, Named: []string{"wait"}, Implied: awaited, Check: checkArgs,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Request a compaction of a table's files", Flags: []descriptor.Flag{wait},
				More: `Compact requests a minor compaction of each region of a table. The servers pick the files and compact them in the background.`, Example: "  benchctl admin hbase compact usertable --wait",
			},
		},
		{Name: "count", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Count a table's rows by reading a key of each", Example: "  benchctl admin hbase count usertable",
		}},
		{
			Name: "create", Takes: table, AdminOnly: true,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Create a table as a load would",
				More: `Create creates a table with the column family, settings and split points of the properties, as a load does.`, Example: "  benchctl admin hbase create usertable -p columnfamily=family -p hbase.splits=200",
			},
		},
		{
			Name: "delete_snapshot", Takes: table, Named: []string{descriptor.SnapshotArg, "force"}, Check: checkArgs, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a snapshot of a table", Flags: []descriptor.Flag{named, unmarked},
				Example: "  benchctl admin hbase delete-snapshot usertable --name base",
			},
		},
		{Name: "describe", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Print a table's descriptor and whether it is enabled", Example: "  benchctl admin hbase describe usertable",
		}},
		{Name: "disable", Takes: table, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Disable a table", Example: "  benchctl admin hbase disable usertable",
		}},
		{
			Name: "drop", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a table", Flags: []descriptor.Flag{force},
				More: `Drop disables and deletes a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin hbase drop usertable",
			},
		},
		{Name: "enable", Takes: table, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Enable a table", Example: "  benchctl admin hbase enable usertable",
		}},
		{
			Name: "flush", Takes: table, Check: checkArgs,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Write what a table has in memory to its files",
				More: `Flush returns when everything is written.`, Example: "  benchctl admin hbase flush usertable",
			},
		},
		{
			Name: "major_compact", Takes: table, Named: []string{"wait"}, Implied: awaited, Check: checkArgs,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Request a major compaction of a table", Flags: []descriptor.Flag{wait},
				More: `Major-compact requests a major compaction of each region of a table: the servers merge all files of each store into one, in the background.`, Example: "  benchctl admin hbase major-compact usertable --wait --timeout 2h",
			},
		},
		{
			Name: "move", Takes: []string{"region", "server"}, Needs: 1,
			Verb: descriptor.Verb{
				Args: "REGION", Required: true, Short: "Move a region to another server", Flags: moving,
				More: `Move moves a region, named by the encoded name that "regions" lists, and returns when it is open on the other server.`, Example: "  benchctl admin hbase move 6414e613ff343a5f966676d7d7a90674 --to rs2,16020,1795269465681",
			},
		},
		{
			Name: "regions", Takes: table, AdminOnly: true,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "List a table's regions with their servers and sizes",
				More: `Regions lists a table's regions. Sizes are as the servers last reported them, in whole MB.`, Example: "  benchctl admin hbase regions usertable",
			},
		},
		{
			Name: "restore", Takes: table, Named: []string{descriptor.SnapshotArg, "count", "force"}, Check: checkArgs, Idle: true,
			Privilege: identity.Drop, Object: "table", Rows: descriptor.RestoresRows,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Give a table the rows and regions of a snapshot", Flags: []descriptor.Flag{named, counted, force},
				More: `Restore disables a table, gives it the descriptor, regions and rows of a snapshot, and enables it. All changes since the snapshot are
lost. It fails if the table then has another number of rows than the snapshot. A table that benchd did not create needs --force.`, Example: "  benchctl admin hbase restore usertable\n  benchctl admin hbase restore usertable --name base",
			},
		},
		{Name: "servers", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the masters and region servers", More: `Servers lists the masters and region servers. Sizes are as the servers last reported them, in whole MB.`, Example: "  benchctl admin hbase servers -o json",
		}},
		{
			Name: "snapshot", Takes: table, Named: []string{descriptor.SnapshotArg, "count", "replace", "force"}, Check: checkArgs,
			Privilege: identity.Drop, PrivilegeIf: "replace", Object: "table", Rows: descriptor.SavesRows,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Take a snapshot of a table, to restore it later", Flags: []descriptor.Flag{named, counted, replaced, unmarked},
				More: `Snapshot counts a table's rows and takes a snapshot of it. The number of rows is in the snapshot's name in HBase (NAME.rows-1000), so
that restore can compare it. Nothing should write to the table meanwhile.`, Example: "  benchctl admin hbase snapshot usertable\n  benchctl admin hbase snapshot usertable --name base --replace",
			},
		},
		{Name: "snapshots", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the snapshots of all tables with their numbers of rows", Example: "  benchctl admin hbase snapshots",
		}},
		{
			Name: "split", Takes: []string{"table", "key"}, Named: []string{"region"}, Check: checkArgs,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Split a table's regions", Flags: splitting,
				More: `Split splits every region of a table in the middle. With --key it splits only the region that holds the key, at the key. With
--encoded it splits only that region.`, Example: "  benchctl admin hbase split usertable\n  benchctl admin hbase split usertable --key user5\n  benchctl admin hbase split --encoded 6414e613ff343a5f966676d7d7a90674",
			},
		},
		{Name: "tables", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the tables, with the run that created them", Example: "  benchctl admin hbase tables",
		}},
		{
			Name: "truncate", Takes: table, Named: []string{"force", "keep_splits"}, Check: checkArgs, Idle: true, Privilege: identity.Drop, Object: "table",
			Rows: descriptor.EmptiesTable,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a table's rows and keep its regions", Flags: truncating,
				More: `Truncate deletes all rows of a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin hbase truncate usertable",
			},
		},
		{
			Name: "wait_for_quiet",
			Verb: descriptor.Verb{
				Short: "Wait until no compaction, flush, split or move is left",
				More: `Wait-for-quiet waits until several checks in a row find no region in transition, no compaction and empty queues. A measurement
during a compaction does not show the speed of an idle table.`, Example: "  benchctl admin hbase wait-for-quiet --timeout 1h",
			},
		},
	}
}

func checkState(args map[string]string) error {
	if state := args["state"]; state != "on" && state != "off" {
		return fmt.Errorf("invalid balancer state %s: want balancer on or balancer off", property.Quote(state))
	}
	return nil
}

func checkArgs(args map[string]string) error {
	for _, name := range []string{"count", "force", "keep_splits", "replace", "wait"} {
		if v, ok := args[name]; ok && v != "true" && v != "false" {
			return fmt.Errorf("invalid %s %s: want true or false", name, property.Quote(v))
		}
	}
	if name, ok := args[descriptor.SnapshotArg]; ok {
		if err := CheckSnapshotName(name); err != nil {
			return err
		}
	}
	if table := args["table"]; table != "" {
		_, _, err := parseTable(table)
		return err
	}
	return nil
}

// between lists the actions that may come between the phases of a run.
func between() []string {
	return []string{"flush", "compact", "major_compact", "split", "balance", "wait_for_quiet", "snapshot", "restore", "delete_snapshot", "truncate"}
}

var snapshotPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// CheckSnapshotName validates a snapshot's name.
func CheckSnapshotName(name string) error {
	if !snapshotPattern.MatchString(name) {
		return fmt.Errorf("invalid snapshot name %s: want letters, digits, _, - and ., with a letter, digit or _ at its start", property.Quote(name))
	}
	return nil
}

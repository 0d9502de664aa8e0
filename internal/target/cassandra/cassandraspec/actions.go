package cassandraspec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/property"
)

// Actions lists the actions on Cassandra with their arguments. Package action has a function for each.
func Actions() []descriptor.Action {
	table := []string{"table"}
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true, Usage: "allow it on a table that benchd did not create"}
	const jolokia = " It needs cassandra.jolokia.port."
	return []descriptor.Action{
		{Name: "autocompaction", Takes: []string{"state", "table"}, Needs: 1, Check: checkArgs, Verb: descriptor.Verb{
			Args: "on|off", Required: true, Choices: []string{"on", "off"}, Short: "Switch the compactions that the nodes begin by themselves",
			More: `Autocompaction switches the minor compactions of a table on all nodes, until they restart.` + jolokia, Example: "  benchctl admin cassandra autocompaction off -p cassandra.jolokia.port=8778",
		}},
		{Name: "compact", Takes: table, Named: []string{"wait"}, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Merge the files of a table",
			More: `Compact merges the files of a table on each node, as nodetool compact does, and returns when that is done.` + jolokia, Example: "  benchctl admin cassandra compact usertable -p cassandra.jolokia.port=8778",
		}},
		{Name: "count", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Count a table's rows by reading a key of each", Example: "  benchctl admin cassandra count usertable",
		}},
		{Name: "describe", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Print a table's columns and options, and the replication of its keyspace", Example: "  benchctl admin cassandra describe usertable",
		}},
		{Name: "drain", Takes: []string{"node"}, Needs: 1, AdminOnly: true, Privilege: identity.Fault, Object: "node", Verb: descriptor.Verb{
			Args: "NODE", Required: true, Short: "Have a node flush everything and serve no more until it restarts",
			More: `Drain ends the service of a node, named by the address that "servers" lists: it flushes its tables and refuses requests until its process is started again.` + jolokia, Example: "  benchctl admin cassandra drain 10.0.0.1:9042 -p cassandra.jolokia.port=8778",
		}},
		{Name: "drop", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table", Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Delete a table", Flags: []descriptor.Flag{force},
			More: `Drop deletes a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin cassandra drop usertable",
		}},
		{Name: "flush", Takes: table, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Write what a table has in memory to its files",
			More: `Flush returns when each node has written everything.` + jolokia, Example: "  benchctl admin cassandra flush usertable -p cassandra.jolokia.port=8778",
		}},
		{Name: "major_compact", Takes: table, Named: []string{"wait"}, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Merge the files of a table, as compact does",
			More: `Major-compact is another name of compact, for suites that also have other databases.` + jolokia, Example: "  benchctl admin cassandra major-compact usertable -p cassandra.jolokia.port=8778",
		}},
		{Name: "servers", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the nodes with their datacenters and versions", Example: "  benchctl admin cassandra servers -o json",
		}},
		{Name: "repair_off", Verb: descriptor.Verb{
			Short: "End the repairs that are under way",
			More:  `Repair-off ends all repair sessions on all nodes. benchd starts none, and Cassandra 5.0 starts none by itself.` + jolokia, Example: "  benchctl admin cassandra repair-off -p cassandra.jolokia.port=8778",
		}},
		{Name: "tables", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the tables of users, with the run that created them", Example: "  benchctl admin cassandra tables",
		}},
		{Name: "truncate", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table", Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Delete a table's rows", Flags: []descriptor.Flag{force},
			More: `Truncate deletes all rows of a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin cassandra truncate usertable",
		}},
		{Name: "wait_for_quiet", Verb: descriptor.Verb{
			Short: "Wait until no node flushes or compacts",
			More:  `Wait-for-quiet waits until several checks in a row find no flush and no compaction, active or waiting, on any node.`, Example: "  benchctl admin cassandra wait-for-quiet --timeout 1h",
		}},
	}
}

func checkArgs(args map[string]string) error {
	if state, ok := args["state"]; ok && state != "on" && state != "off" {
		return fmt.Errorf("invalid state %s: want autocompaction on or autocompaction off", property.Quote(state))
	}
	if wait, ok := args["wait"]; ok && wait != "true" {
		return fmt.Errorf("invalid wait %s: Cassandra's compaction is always waited for; leave it out, or write true", property.Quote(wait))
	}
	if table := args["table"]; table != "" {
		_, _, err := ParseTable(table, "")
		return err
	}
	return nil
}

package mongodbspec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/property"
)

// Actions lists the actions on MongoDB with their arguments. Package action has a function for each.
func Actions() []descriptor.Action {
	table := []string{"table"}
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true, Usage: "allow it on a collection that has documents"}
	at := descriptor.Flag{Name: "key", Argument: "key", Usage: "split the chunk that has `KEY`, at that key; without it every chunk is split in the middle"}
	return []descriptor.Action{
		{
			Name: "balancer", Takes: []string{"state"}, Needs: 1, Check: checkState,
			Verb: descriptor.Verb{
				Args: "[on|off]", Short: "Show whether the balancer of a sharded cluster is on, or switch it",
				More: `Balancer off returns when the balancer has stopped: no chunk is moved any more.`, Example: "  benchctl admin mongodb balancer\n  benchctl admin mongodb balancer off", Choices: []string{"on", "off"},
			},
		},
		{
			Name: "compact", Takes: table, Check: checkTable,
			Verb: descriptor.Verb{
				Args: "[COLLECTION]", Short: "Compact a collection's files and indexes on every server",
				More: `Compact runs MongoDB's command compact on every member of a replica set, the secondaries first, or on every server of each shard, and
returns when all of them have ended.`, Example: "  benchctl admin mongodb compact usertable --timeout 2h",
			},
		},
		{Name: "count", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[COLLECTION]", Short: "Count a collection's documents by reading all of them", Example: "  benchctl admin mongodb count usertable",
		}},
		{
			Name: "create", Takes: table, AdminOnly: true,
			Verb: descriptor.Verb{
				Args: "[COLLECTION]", Short: "Create a collection as a load would",
				More: `Create creates a collection, sharded and split as the properties have it.`, Example: "  benchctl admin mongodb create usertable -p mongodb.shard.key=hashed -p mongodb.shard.chunks=64",
			},
		},
		{Name: "describe", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[COLLECTION]", Short: "Show a collection's documents, bytes, indexes and chunks of each shard", Example: "  benchctl admin mongodb describe usertable",
		}},
		{
			Name: "drop", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[COLLECTION]", Short: "Delete a collection", Flags: []descriptor.Flag{force},
				More: `Drop deletes a collection. One that has documents needs --force.`, Example: "  benchctl admin mongodb drop usertable --force",
			},
		},
		{Name: "flush", Takes: table, Check: checkTable, Verb: descriptor.Verb{
			Args: "[COLLECTION]", Short: "Write what every server has in memory to its files",
			More: `Flush runs MongoDB's command fsync on every server that has documents, and returns when everything is written. The command writes all
collections, not only the given one.`, Example: "  benchctl admin mongodb flush",
		}},
		{Name: "servers", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the servers with their replica sets, states and versions", Example: "  benchctl admin mongodb servers -o json",
		}},
		{
			Name: "split", Takes: []string{"table", "key"}, Check: checkTable,
			Verb: descriptor.Verb{
				Args: "[COLLECTION]", Short: "Split a chunk of a sharded collection", Flags: []descriptor.Flag{at}, Example: "  benchctl admin mongodb split usertable --key user5",
			},
		},
		{Name: "tables", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the collections of the database", Example: "  benchctl admin mongodb tables",
		}},
		{
			Name: "wait_for_quiet",
			Verb: descriptor.Verb{
				Short: "Wait until no chunk is moved and no compaction or index build is left",
				More: `Wait-for-quiet waits until several checks in a row find no round of the balancer, no compaction, no index build and no writer in a queue. With
the balancer on, chunks may move again later.`, Example: "  benchctl admin mongodb wait-for-quiet --timeout 1h",
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

func checkTable(args map[string]string) error {
	if table := args["table"]; table != "" {
		return CheckCollection(table)
	}
	return nil
}

// admin describes the commands of `benchctl admin mongodb`.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Administer a MongoDB: balancer, compact, count, create, drop, split and more",
		Long: `Mongodb administers a MongoDB. Its address is given by -p mongodb.url=mongodb://HOST:PORT/DATABASE; the default is the agent's own
machine. The user needs MongoDB's roles for what a command does: clusterManager for the balancer and splits, hostManager for flush and
compact, dbAdmin for create, drop and describe, clusterMonitor for servers.

COLLECTION defaults to the property table, which is usertable by default. An action whose outcome is unknown, because it timed out or
its agent was lost, may still go on in the cluster: check before you repeat it.`,
		Example: `  benchctl admin mongodb servers -p mongodb.url=mongodb://db1:27017/ycsb
  benchctl admin mongodb balancer off && benchctl admin mongodb compact usertable
  benchctl admin mongodb count usertable --local -o json | jq '.rows[0][1]'`,
	}
}

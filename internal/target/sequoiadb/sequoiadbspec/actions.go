package sequoiadbspec

import (
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
)

// Actions lists the actions on SequoiaDB with their arguments. Package action has a function for each.
func Actions() []descriptor.Action {
	table := []string{"table"}
	return []descriptor.Action{
		{Name: "count", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Count a collection's documents", Example: "  benchctl admin sequoiadb count usertable",
		}},
		{
			Name: "create", Takes: table, AdminOnly: true,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Create a collection as a load would",
				More: `Create creates the domain and the collection space if they do not exist, and a collection with the settings of the properties.`, Example: "  benchctl admin sequoiadb create usertable -p sequoiadb.replsize=2",
			},
		},
		{Name: "describe", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Print a collection's sharding, groups and settings", Example: "  benchctl admin sequoiadb describe usertable",
		}},
		{
			Name: "drop", Takes: table, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a collection",
				More: `Drop deletes a collection with its documents. SequoiaDB does not record who created it.`, Example: "  benchctl admin sequoiadb drop usertable",
			},
		},
		{Name: "servers", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the coordinators of the properties, and the nodes of the cluster", Example: "  benchctl admin sequoiadb servers -o json",
		}},
		{
			Name: "sync", Verb: descriptor.Verb{
				Short: "Write what the nodes have in memory to their disks",
				More:  `Sync returns when the nodes have written data and log to their disks.`, Example: "  benchctl admin sequoiadb sync",
			},
		},
		{Name: "tables", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the collections", Example: "  benchctl admin sequoiadb tables",
		}},
		{
			Name: "truncate", Takes: table, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a collection's documents and keep its sharding", Example: "  benchctl admin sequoiadb truncate usertable",
			},
		},
	}
}

// admin describes the commands of `benchctl admin sequoiadb`.
func admin() descriptor.Admin {
	return descriptor.Admin{
		Short: "Administer a SequoiaDB: count, create, truncate, drop, sync and more",
		Long: `Sequoiadb administers a SequoiaDB cluster through one of its coordinators. Their addresses are given by
-p sequoiadb.url=HOST:PORT,…; the default is the agent's own machine.

TABLE is a collection, in the space of property database unless it has its own: SPACE.COLLECTION. It defaults to the property
table, which is usertable by default.`,
		Example: `  benchctl admin sequoiadb tables -p sequoiadb.url=sdb1:11810
  benchctl admin sequoiadb count usertable --local -o json | jq '.rows[0][1]'`,
	}
}

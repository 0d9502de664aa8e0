package postgresspec

import (
	"fmt"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/property"
)

// Actions lists the actions on PostgreSQL with their arguments. Package action has a function for each.
func Actions() []descriptor.Action {
	table := []string{"table"}
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true, Usage: "allow it on a table that benchd did not create"}
	full := descriptor.Flag{Name: "full", Argument: "full", Switch: true, Usage: "write the whole table again (VACUUM FULL), which locks it"}
	return []descriptor.Action{
		{Name: "analyze", Takes: table, Check: checkArgs, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Renew the planner's statistics of a table", Example: "  benchctl admin postgres analyze usertable",
		}},
		{Name: "checkpoint", Verb: descriptor.Verb{
			Short: "Write all changed pages to disk",
			More:  `Checkpoint needs a superuser, or a member of pg_checkpoint (PostgreSQL 15).`, Example: "  benchctl admin postgres checkpoint",
		}},
		{Name: "count", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "Count a table's rows", Example: "  benchctl admin postgres count usertable",
		}},
		{
			Name: "create", Takes: table, AdminOnly: true,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Create a table as a load would",
				More: `Create creates a table in the form and with the settings of the properties, as a load does.`, Example: "  benchctl admin postgres create usertable -p postgres.form=jsonb",
			},
		},
		{Name: "describe", Takes: table, AdminOnly: true, Verb: descriptor.Verb{
			Args: "[TABLE]", Short: "List a table's columns", Example: "  benchctl admin postgres describe usertable",
		}},
		{
			Name: "drop", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a table", Flags: []descriptor.Flag{force},
				More: `Drop deletes a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin postgres drop usertable",
			},
		},
		{Name: "servers", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the server and its standbys", Example: "  benchctl admin postgres servers -o json",
		}},
		{Name: "tables", AdminOnly: true, Verb: descriptor.Verb{
			Short: "List the tables with their sizes, and the run that created them", Example: "  benchctl admin postgres tables",
		}},
		{
			Name: "truncate", Takes: table, Named: []string{"force"}, AdminOnly: true, Privilege: identity.Drop, Object: "table",
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Delete a table's rows", Flags: []descriptor.Flag{force},
				More: `Truncate deletes all rows of a table. A table that benchd did not create needs --force.`, Example: "  benchctl admin postgres truncate usertable",
			},
		},
		{
			Name: "vacuum", Takes: table, Named: []string{"full"}, Check: checkArgs,
			Verb: descriptor.Verb{
				Args: "[TABLE]", Short: "Remove the dead rows of a table, and renew its statistics", Flags: []descriptor.Flag{full},
				More: `Vacuum returns when it is done.`, Example: "  benchctl admin postgres vacuum usertable --timeout 1h",
			},
		},
	}
}

func checkArgs(args map[string]string) error {
	if v, ok := args["full"]; ok && v != "true" && v != "false" {
		return fmt.Errorf("invalid full %s: want true or false", property.Quote(v))
	}
	if table := args["table"]; table != "" {
		_, err := ParseTable(table)
		return err
	}
	return nil
}
